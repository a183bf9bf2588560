//! The number of steals from each processor, and of the tasks stolen: one thief's row of the steal
//! matrix.

use std::sync::OnceLock;

use crate::observe::counters::Counter;

/// The steals of one processor, by victim, written by the holder of the thief.
///
/// A row has 16 bytes for each processor that exists from the start. The entries for spares, of
/// which there may be hundreds, are allocated when the first spare is robbed.
#[derive(Debug)]
pub(crate) struct Victims {
    regular: Box<[Stolen]>,
    spares: OnceLock<Box<[Stolen]>>,
    most: usize,
}

/// The steals from one victim.
#[derive(Debug, Default)]
pub(crate) struct Stolen {
    /// The number of successful steals.
    pub(crate) steals: Counter,
    /// The number of tasks that the steals have moved.
    pub(crate) tasks: Counter,
}

impl Victims {
    pub(crate) fn new(regular: usize, most: usize) -> Self {
        Self { regular: row(regular), spares: OnceLock::new(), most }
    }

    /// Counts a steal of `tasks` tasks from the processor with index `victim`.
    pub(crate) fn count(&self, victim: usize, tasks: usize) {
        let stolen = match self.regular.get(victim) {
            Some(stolen) => stolen,
            None => {
                let spares = self.spares.get_or_init(|| row(self.most - self.regular.len()));
                &spares[victim - self.regular.len()]
            }
        };
        stolen.steals.add(1);
        stolen.tasks.add(tasks as u64);
    }

    /// Returns the steals from each processor, by index. Spares are omitted if no spare was ever a
    /// victim.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Stolen> {
        self.regular.iter().chain(self.spares.get().into_iter().flatten())
    }

    pub(crate) fn steals(&self) -> u64 {
        self.iter().map(|stolen| stolen.steals.get()).sum()
    }

    pub(crate) fn tasks(&self) -> u64 {
        self.iter().map(|stolen| stolen.tasks.get()).sum()
    }
}

fn row(length: usize) -> Box<[Stolen]> {
    (0..length).map(|_| Stolen::default()).collect()
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn steals_are_counted_by_victim_and_spares_have_room() {
        let victims = Victims::new(2, 5);
        victims.count(1, 7);
        victims.count(1, 1);
        assert_eq!(victims.iter().count(), 2);
        victims.count(4, 3);
        let row: Vec<_> = victims.iter().map(|stolen| (stolen.steals.get(), stolen.tasks.get())).collect();
        assert_eq!(row, [(0, 0), (2, 8), (0, 0), (0, 0), (1, 3)]);
        assert_eq!((victims.steals(), victims.tasks()), (3, 11));
    }
}
