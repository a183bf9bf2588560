//! A roll of things that have to be dropped once each.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;

/// Counts, for each of a number of entries, how often it was dropped.
#[derive(Debug, Clone)]
pub struct Roll(Arc<[AtomicUsize]>);

/// One entry of a [`Roll`]. Not Clone: it stands for itself.
#[derive(Debug)]
#[must_use]
pub struct RollEntry {
    roll: Roll,
    index: usize,
}

impl Roll {
    /// A roll of `count` entries, none of them made yet.
    #[must_use]
    pub fn new(count: usize) -> Self {
        Self((0..count).map(|_| AtomicUsize::new(0)).collect())
    }

    /// The entry at `index`, to be put into the value that has to be dropped.
    pub fn entry(&self, index: usize) -> RollEntry {
        RollEntry { roll: self.clone(), index }
    }

    /// How many entries there are, made or not.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many entries were dropped at least once.
    #[must_use]
    pub fn dropped(&self) -> usize {
        self.0.iter().filter(|drops| drops.load(SeqCst) > 0).count()
    }

    /// Checks that `made` entries were dropped, and none twice.
    ///
    /// # Panics
    ///
    /// Panics if it is otherwise.
    #[track_caller]
    pub fn assert_dropped_once(&self, made: usize) {
        let drops: Vec<_> = self.0.iter().map(|drops| drops.load(SeqCst)).collect();
        assert!(drops.iter().all(|drops| *drops <= 1), "dropped more than once: {drops:?}");
        assert_eq!(drops.iter().sum::<usize>(), made, "dropped, and made");
    }

    /// Checks that every entry was dropped, and none twice.
    ///
    /// # Panics
    ///
    /// Panics if it is otherwise, with the indices of some entries.
    #[track_caller]
    pub fn assert_each_dropped_once(&self) {
        let wrong: Vec<_> =
            self.0.iter().map(|drops| drops.load(SeqCst)).enumerate().filter(|(_, drops)| *drops != 1).collect();
        let some = &wrong[..wrong.len().min(10)];
        assert!(
            wrong.is_empty(),
            "{} of {} were not dropped once; (index, drops): {some:?}",
            wrong.len(),
            self.0.len()
        );
    }
}

impl Drop for RollEntry {
    fn drop(&mut self) {
        self.roll.0[self.index].fetch_add(1, SeqCst);
    }
}
