//! The result of a firing of timers: how many fired, and how late.

/// Counts the timers that fired, and by how much they were late.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use]
#[non_exhaustive]
pub struct Fired {
    /// How many fired.
    pub count: usize,
    /// The sum of their delays, in nanoseconds.
    pub late: u64,
    /// The longest of their delays, in nanoseconds.
    pub latest: u64,
}

impl Fired {
    /// Counts one more, which was `late` by this many nanoseconds.
    pub(super) fn add(&mut self, late: u64) {
        self.count += 1;
        self.late = self.late.saturating_add(late);
        self.latest = self.latest.max(late);
    }
}
