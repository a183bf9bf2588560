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
