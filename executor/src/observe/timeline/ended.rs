//! Tasks and threads that have ended, kept until no output has an event of them.

use std::collections::VecDeque;

/// The numbers of those that have ended, each with the end of the batch that has its last event, in
/// the order of the batches.
#[derive(Debug)]
pub(super) struct Ended<T>(VecDeque<(u64, T)>);

impl<T> Default for Ended<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T> Ended<T> {
    /// Adds one whose last event is in the batch that ends at `until`, the latest so far.
    pub(super) fn add(&mut self, until: u64, ended: T) {
        self.0.push_back((until, ended));
    }

    /// Takes one whose last batch has ended before `oldest`, if there is one.
    pub(super) fn take_older(&mut self, oldest: u64) -> Option<T> {
        let &(until, _) = self.0.front()?;
        if until < oldest { self.0.pop_front().map(|(_, ended)| ended) } else { None }
    }
}
