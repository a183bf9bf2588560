//! Turns of owners: about as many parallel calls of a runtime compute at a time as there are
//! processors.
//!
//! More would take time from each other and from the tasks, and none would end earlier. A turn is
//! no promise: an owner that has waited for long takes over the oldest turn, whose owner continues
//! without one. That owner may be in an endless loop, or may wait for the one that takes over.

use std::collections::VecDeque;
use std::time::Duration;

use crate::scheduler::hand_over::with_processor_handed_over;
use crate::util::sync::{Condvar, Mutex};

pub(super) struct OwnerTurns {
    given: Mutex<Given>,
    ended: Condvar,
}

struct Given {
    /// The numbers of the turns, the oldest first.
    turns: VecDeque<u64>,
    next: u64,
}

impl OwnerTurns {
    pub(super) fn new() -> Self {
        Self { given: Mutex::new(Given { turns: VecDeque::new(), next: 0 }), ended: Condvar::new() }
    }

    /// Waits until fewer than `most` turns are given, or for `longest`, and returns a turn.
    pub(super) fn begin(&self, most: usize, longest: Duration) -> OwnerTurn<'_> {
        let begun = self.given.lock().begin(most);
        let number = begun.unwrap_or_else(|| with_processor_handed_over(|| self.wait(most, longest)));
        OwnerTurn { turns: self, number }
    }

    fn wait(&self, most: usize, longest: Duration) -> u64 {
        let mut given = self.given.lock();
        self.ended.wait_while_for(&mut given, |given| given.turns.len() >= most, longest);
        if given.turns.len() >= most {
            given.turns.pop_front();
        }
        given.add()
    }
}

impl Given {
    fn begin(&mut self, most: usize) -> Option<u64> {
        (self.turns.len() < most).then(|| self.add())
    }

    fn add(&mut self) -> u64 {
        self.next += 1;
        self.turns.push_back(self.next);
        self.next
    }
}

/// A turn, until it is dropped or taken over.
pub(super) struct OwnerTurn<'a> {
    turns: &'a OwnerTurns,
    number: u64,
}

impl Drop for OwnerTurn<'_> {
    fn drop(&mut self) {
        self.turns.given.lock().turns.retain(|&turn| turn != self.number);
        self.turns.ended.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::sync::atomic::Ordering::Relaxed;
    use std::thread;

    use super::*;

    #[test]
    fn an_owner_waits_for_the_end_of_another_ones_turn() {
        let (turns, has_ended) = (OwnerTurns::new(), AtomicBool::new(false));
        let turn = turns.begin(1, Duration::ZERO);
        thread::scope(|scope| {
            scope.spawn(|| {
                let _turn = turns.begin(1, Duration::MAX);
                assert!(has_ended.load(Relaxed));
            });
            has_ended.store(true, Relaxed);
            drop(turn);
        });
    }

    #[test]
    fn a_turn_that_was_taken_over_is_in_nobodys_way() {
        let turns = OwnerTurns::new();
        let endless = turns.begin(1, Duration::ZERO);
        drop(turns.begin(1, Duration::from_millis(1)));
        let next = turns.begin(1, Duration::MAX);
        drop(endless);
        assert_eq!(turns.given.lock().turns.len(), 1);
        drop(next);
        assert!(turns.given.lock().turns.is_empty());
    }
}
