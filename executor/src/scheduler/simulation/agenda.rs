//! The agenda: which machine has the next turn, found without a look at all of them.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The moment of a turn, and what decides between turns of one moment.
pub(super) type Due = (u64, u64);

/// The turns of machines that are known of, the first on top. A machine whose turn was moved is in
/// it twice: only the entry with its present due counts.
#[derive(Default)]
pub(super) struct Agenda(RefCell<BinaryHeap<Reverse<(Due, usize)>>>);

impl Agenda {
    /// Notes the due of the machine with this index, unless it waits forever.
    pub(super) fn note(&self, due: Due, machine: usize) {
        if due.0 < u64::MAX {
            self.0.borrow_mut().push(Reverse((due, machine)));
        }
    }

    /// The first turn that `is_present` confirms. Forgets those before it.
    pub(super) fn first(&self, is_present: impl Fn(Due, usize) -> bool) -> Option<(Due, usize)> {
        let mut turns = self.0.borrow_mut();
        while let Some(Reverse((due, machine))) = turns.peek().copied() {
            if is_present(due, machine) {
                return Some((due, machine));
            }
            turns.pop();
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_the_present_turns_is_next() {
        let agenda = Agenda::default();
        let mut dues = [(50, 1), (20, 2), (20, 1), (u64::MAX, 0)];
        dues.iter().enumerate().for_each(|(machine, due)| agenda.note(*due, machine));
        let first = |dues: &[Due]| agenda.first(|due, machine| dues[machine] == due);
        assert_eq!(first(&dues), Some(((20, 1), 2)));
        dues[2] = (90, 1);
        agenda.note(dues[2], 2);
        assert_eq!(first(&dues), Some(((20, 2), 1)));
        dues[3] = (10, 0);
        agenda.note(dues[3], 3);
        assert_eq!(first(&dues), Some(((10, 0), 3)));
        dues.fill((u64::MAX, 0));
        assert_eq!(first(&dues), None);
    }
}
