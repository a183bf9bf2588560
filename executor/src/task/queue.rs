//! A first-in-first-out queue of runnables, linked through the tasks themselves: it allocates
//! nothing.

use std::ptr::{self, NonNull};

use super::Runnable;
use super::header::Header;
use crate::util::sync::atomic::Ordering::Relaxed;

/// A queue of runnables that one thread holds: a batch on its way from a poller or a full ring to
/// where it will wait.
///
/// Dropping it cancels the tasks in it.
#[derive(Default)]
pub(crate) struct TaskQueue {
    head: Option<NonNull<Header>>,
    /// The last; means nothing while `head` is `None`.
    tail: Option<NonNull<Header>>,
    len: usize,
}

// SAFETY: the queue owns the runnables in it, which are Send, and reaches nothing else.
unsafe impl Send for TaskQueue {}

impl TaskQueue {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(crate) fn push_back(&mut self, task: Runnable) {
        let task = task.into_raw();
        // SAFETY: we have the task's runnable.
        unsafe { set_next(task, None) };
        self.link(task);
        self.tail = Some(task);
        self.len += 1;
    }

    pub(crate) fn pop_front(&mut self) -> Option<Runnable> {
        let task = self.head?;
        // SAFETY: the queue holds the runnable of each task in it.
        self.head = unsafe { next(task) };
        self.len -= 1;
        // SAFETY: it was turned into a pointer by `push_back`, and is in the queue no more.
        Some(unsafe { Runnable::from_raw(task) })
    }

    /// Makes `task` follow the last.
    fn link(&mut self, task: NonNull<Header>) {
        match (self.head, self.tail) {
            // SAFETY: the queue holds the runnable of each task in it.
            (Some(_), Some(tail)) => unsafe { set_next(tail, Some(task)) },
            _ => self.head = Some(task),
        }
    }
}

/// # Safety
///
/// The caller has the task's runnable.
unsafe fn set_next(task: NonNull<Header>, next: Option<NonNull<Header>>) {
    // SAFETY: the runnable keeps the task alive.
    let header = unsafe { task.as_ref() };
    // Relaxed: the link belongs to the holder of the runnable.
    header.queue_link().store(next.map_or(ptr::null_mut(), NonNull::as_ptr), Relaxed);
}

/// # Safety
///
/// The caller has the task's runnable.
unsafe fn next(task: NonNull<Header>) -> Option<NonNull<Header>> {
    // SAFETY: the runnable keeps the task alive.
    let header = unsafe { task.as_ref() };
    // Relaxed: as above.
    NonNull::new(header.queue_link().load(Relaxed))
}

impl Iterator for TaskQueue {
    type Item = Runnable;

    fn next(&mut self) -> Option<Runnable> {
        self.pop_front()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.len, Some(self.len))
    }
}

impl Extend<Runnable> for TaskQueue {
    fn extend<I: IntoIterator<Item = Runnable>>(&mut self, tasks: I) {
        tasks.into_iter().for_each(|task| self.push_back(task));
    }
}

impl Drop for TaskQueue {
    fn drop(&mut self) {
        self.for_each(Runnable::cancel);
    }
}
