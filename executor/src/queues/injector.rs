//! The injector: the one queue that is everybody's, first in first out and unbounded.
//!
//! It takes what has no processor to go to: tasks spawned or woken by threads outside the runtime, what a full ring gave
//! up, and the part of a poll batch that other processors are to have.

use crossbeam_deque::Steal;

use crate::base::sync::RawInjector;

#[derive(Debug)]
pub(crate) struct Injector<T>(RawInjector<T>);

impl<T> Injector<T> {
    pub(crate) fn new() -> Self {
        Self(RawInjector::new())
    }

    pub(crate) fn push(&self, task: T) {
        self.0.push(task);
    }

    /// Appends a batch, in its order.
    pub(crate) fn push_all(&self, batch: impl Iterator<Item = T>) {
        batch.for_each(|task| self.push(task));
    }

    /// Takes the oldest tasks, `most` of them at most, as they are asked for; those that are not asked for stay.
    pub(crate) fn take_batch(&self, most: usize) -> impl Iterator<Item = T> + '_ {
        std::iter::from_fn(|| self.take()).take(most)
    }

    /// Takes the oldest task.
    pub(crate) fn take(&self) -> Option<T> {
        loop {
            match self.0.steal() {
                Steal::Success(task) => return Some(task),
                Steal::Empty => return None,
                // Lost to another processor, which therefore has one: the queue as a whole moved on.
                Steal::Retry => std::hint::spin_loop(),
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}
