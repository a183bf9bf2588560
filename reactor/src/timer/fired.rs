//! The result of firing timers: how many fired, and how late.

/// The number of timers that a call fired, and how late they were. Returned by
/// [`TimerQueue::fire_some_due`](super::TimerQueue::fire_some_due).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use]
#[non_exhaustive]
pub struct Fired {
    /// The number of timers that fired.
    pub count: usize,
    /// The sum of the timers' delays past their deadlines, in nanoseconds.
    pub late: u64,
    /// The longest delay of a timer past its deadline, in nanoseconds.
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
