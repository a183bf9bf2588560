//! The state that a processor's holder shows to the watcher: which task it polls, on which thread,
//! and whether it blocks. And the watcher's conclusion, for observers.

use std::panic::Location;
use std::ptr;

use crate::util::sync::unmodelled::Ordering::{Acquire, Relaxed, Release};
use crate::util::sync::unmodelled::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64};

/// The watch on one processor. Written by its holder with plain stores, read by the watcher and
/// observers.
#[derive(Debug, Default)]
pub(crate) struct PollWatch {
    /// The id of the task in the current poll, or the last.
    task: AtomicU64,
    spawned_at: SpawnSite,
    /// True if the holder is inside `block_in_place`.
    blocking: AtomicBool,
    /// True if the holder has opened a region of fork-join, and works in it.
    computing: AtomicBool,
    /// True if the holder is out of work and looks for some.
    searching: AtomicBool,
    /// The system's number for the holder's thread; 0 where that is not known.
    thread: AtomicU32,
    /// Written by the watcher: the stamp of the poll that it has found under way twice, and when it
    /// first saw that, in nanoseconds.
    long_poll: AtomicU64,
    long_since: AtomicU64,
}

/// The watcher's view. The parts are read one by one: the watcher makes sure that the poll is still
/// the same.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PollState {
    pub(crate) task: u64,
    /// Where that task was spawned; none before the first.
    pub(crate) spawned_at: Option<&'static Location<'static>>,
    pub(crate) blocking: bool,
    pub(crate) computing: bool,
    pub(crate) searching: bool,
    pub(crate) thread: u32,
}

impl PollWatch {
    /// The holder begins a poll.
    #[inline]
    pub(crate) fn begin_poll(&self, task: u64, spawned_at: &'static Location<'static>) {
        // Release pairs with the Acquire in `state`: a thread that sees it finds the poll counted,
        // and does not take it for the last.
        self.task.store(task, Release);
        self.spawned_at.note(spawned_at);
    }

    /// The current thread holds the processor from now on.
    pub(crate) fn begin_hold(&self, thread: u32) {
        self.thread.store(thread, Relaxed);
        self.computing.store(false, Relaxed);
    }

    /// Records that the holder is about to block.
    pub(crate) fn begin_blocking(&self) {
        // Release pairs with the Acquire in `state`: the watcher sees the tasks that are in the
        // queues then.
        self.blocking.store(true, Release);
    }

    pub(crate) fn end_blocking(&self) {
        self.blocking.store(false, Relaxed);
    }

    /// The holder works in its own region, or has left it.
    pub(crate) fn set_computing(&self, computing: bool) {
        self.computing.store(computing, Relaxed);
    }

    pub(crate) fn set_searching(&self, searching: bool) {
        self.searching.store(searching, Relaxed);
    }

    /// The watcher has found the poll with this stamp under way again, which it first saw at the
    /// time `since`.
    pub(crate) fn note_long_poll(&self, poll: u64, since: u64) {
        self.long_since.store(since, Relaxed);
        // Release pairs with the Acquire in `under_way_since`: that poll's time, or one that was
        // written since.
        self.long_poll.store(poll, Release);
    }

    /// Since when the poll with this stamp has been under way, if the watcher has seen it twice. It
    /// may have begun earlier by as much as the watcher was away.
    pub(crate) fn under_way_since(&self, poll: u64) -> Option<u64> {
        let is_seen = poll != 0 && self.long_poll.load(Acquire) == poll;
        is_seen.then(|| self.long_since.load(Relaxed))
    }

    pub(crate) fn state(&self) -> PollState {
        PollState {
            blocking: self.blocking.load(Acquire),
            computing: self.computing.load(Relaxed),
            searching: self.searching.load(Relaxed),
            // Acquire pairs with the Release in `begin_poll`.
            task: self.task.load(Acquire),
            spawned_at: self.spawned_at.read(),
            thread: self.thread.load(Relaxed),
        }
    }
}

/// Where the task was spawned that is polled, or was last. The place is in the program's text, and
/// stays when the task has gone: so the watcher may read it at any time, and needs no lock.
#[derive(Debug, Default)]
struct SpawnSite(AtomicPtr<Location<'static>>);

impl SpawnSite {
    #[inline]
    fn note(&self, site: &'static Location<'static>) {
        // Release pairs with the Acquire in `read`, as for the task's id.
        self.0.store(ptr::from_ref(site).cast_mut(), Release);
    }

    fn read(&self) -> Option<&'static Location<'static>> {
        // Acquire pairs with the Release in `note`.
        let site = self.0.load(Acquire);
        // SAFETY: it is null, or was made of a reference that is good forever.
        unsafe { site.as_ref() }
    }
}
