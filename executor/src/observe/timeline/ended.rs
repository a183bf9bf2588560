//! Ended tasks and threads, kept until no output contains their events.

use std::collections::VecDeque;

/// Ended tasks or threads, each with the end of the batch that has its last event, in batch order.
#[derive(Debug)]
pub(super) struct Ended<T>(VecDeque<(u64, T)>);

impl<T> Default for Ended<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T> Ended<T> {
    /// Adds an entry whose last event is in the batch that ends at `until`, the latest batch so
    /// far.
    pub(super) fn add(&mut self, until: u64, ended: T) {
        self.0.push_back((until, ended));
    }

    /// Takes an entry whose last batch ended before `oldest`, if there is any.
    pub(super) fn take_older(&mut self, oldest: u64) -> Option<T> {
        let &(until, _) = self.0.front()?;
        if until < oldest { self.0.pop_front().map(|(_, ended)| ended) } else { None }
    }
}
