//! A first-in-first-out queue of runnables, linked through the tasks themselves: it allocates
//! nothing.

use std::ptr;
use std::ptr::NonNull;

use wsrt_sync::wait::TaskWait;

use crate::task::Runnable;
use crate::task::cell::Header;
use crate::util::sync::atomic::AtomicPtr;
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

// One word of a task with two uses that never meet: the link of the queue that its runnable is in,
// and, while it waits and is in no queue, its wait.
//
// # The word
//
// | value | means | written by |
// |---|---|---|
// | a pointer to a header, or null | the next in the queue; null: none, or nothing is known | the holder of the runnable; in the injector also the pusher of the next one |
// | the lowest bit is set | a wait, as [`TaskWait::pack`] makes it | the machine that polls the task, before it gives up its claim |
//
// The wait is stored after each poll that returns pending, null if the poll has noted none, so it
// is never an earlier poll's. A queue that takes the runnable writes over it before it
// reads. Dumps read the word at any time and act on waits only, whose pointers stay valid for
// ever.

pub(crate) struct QueueLink {
    word: AtomicPtr<Header>,
}

impl QueueLink {
    pub(super) fn new() -> Self {
        Self { word: AtomicPtr::new(std::ptr::null_mut()) }
    }

    /// The link, for the queue that holds the runnable.
    #[inline]
    pub(super) fn link(&self) -> &AtomicPtr<Header> {
        &self.word
    }

    /// Keeps the wait of the poll that has just returned pending, packed.
    ///
    /// Relaxed: the Release of [`pause`](super::state::State::pause), which follows, puts this
    /// before every use of the word as a link.
    #[inline]
    pub(super) fn keep_wait(&self, packed: *const ()) {
        self.word.store(packed.cast_mut().cast(), Relaxed);
    }

    /// The wait that is kept here, if the task is in no queue and its last poll has noted one.
    ///
    /// Relaxed: a wait refers to nothing that is written.
    pub(super) fn wait(&self) -> Option<TaskWait> {
        let word = self.word.load(Relaxed);
        // SAFETY: pointers to headers are aligned, so one with its lowest bit set is a wait.
        unsafe { TaskWait::unpack(word.cast_const().cast()) }
    }
}
