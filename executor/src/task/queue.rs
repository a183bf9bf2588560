//! A first-in-first-out queue of runnables, and the word in each task that links the queue, so that
//! the queue allocates nothing.

use std::ptr;
use std::ptr::NonNull;

use wsrt_sync::wait::TaskWait;

use crate::task::Runnable;
use crate::task::cell::Header;
use crate::util::sync::atomic::AtomicPtr;
use crate::util::sync::atomic::Ordering::Relaxed;

/// A queue of runnables that one thread owns, such as a batch on its way from the netpoller to a
/// ring. Dropping the queue cancels its tasks.
#[derive(Default)]
pub(crate) struct TaskQueue {
    head: Option<NonNull<Header>>,
    /// The last task. Has no meaning while `head` is `None`.
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
        // SAFETY: this thread has the task's runnable.
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
        // SAFETY: `push_back` turned the runnable into a pointer, which has left the queue.
        Some(unsafe { Runnable::from_raw(task) })
    }

    /// Links `task` behind the last task.
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

/// A word of a task: the link in the queue that the runnable is in; or, while the task waits and is
/// in no queue, the wait.
///
/// | value | means | written by |
/// |---|---|---|
/// | a pointer to a header, or null | the next task in the queue; null: none, or no known wait | the holder of the runnable; in the injector also the thread that pushes the next task |
/// | the lowest bit is set | a wait, as [`TaskWait::pack`] makes it | the machine that polls the task, before it gives up the claim |
///
/// The wait is stored after each pending poll, as null if the poll has noted none. So the wait is
/// the last poll's. A queue that takes the runnable overwrites the wait before it reads the word.
/// Dumps read the word at any time, and use only waits, whose pointers are valid forever.
pub(crate) struct QueueLink {
    word: AtomicPtr<Header>,
}

impl QueueLink {
    pub(super) fn new() -> Self {
        Self { word: AtomicPtr::new(std::ptr::null_mut()) }
    }

    /// Returns the link, for the queue that holds the runnable.
    #[inline]
    pub(super) fn link(&self) -> &AtomicPtr<Header> {
        &self.word
    }

    /// Stores the packed wait of a poll that has returned pending.
    ///
    /// Relaxed: the Release of [`pause`](super::state::State::pause) follows, and puts this store
    /// before every use of the word as a link.
    #[inline]
    pub(super) fn keep_wait(&self, packed: *const ()) {
        self.word.store(packed.cast_mut().cast(), Relaxed);
    }

    /// Returns the wait of the task's last poll, if the poll has noted a wait and the task is in no
    /// queue.
    ///
    /// Relaxed: a wait points to data that never change.
    pub(super) fn wait(&self) -> Option<TaskWait> {
        let word = self.word.load(Relaxed);
        // SAFETY: pointers to headers are aligned, so a word with its lowest bit set is a wait.
        unsafe { TaskWait::unpack(word.cast_const().cast()) }
    }
}
