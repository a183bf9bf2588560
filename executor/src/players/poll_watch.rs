//! What a processor's holder leaves in sight of the watcher: which task it polls, on which thread, and whether it blocks. And
//! what the watcher makes of it, for those who look on.

// std's atomics on purpose: these are sightings, read by one thread that draws its own conclusions.
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};

/// The watch on one processor. Written by its holder with plain stores, read by the watcher and those who look on.
#[derive(Debug, Default)]
pub(crate) struct PollWatch {
    /// The id of the task in the current poll, or the last.
    task: AtomicU64,
    /// Whether the holder is inside `block_in_place`.
    blocking: AtomicBool,
    /// Whether the holder has opened a region of fork-join, and works in it.
    computing: AtomicBool,
    /// Whether the holder is out of work and looks for some.
    searching: AtomicBool,
    /// The system's number for the holder's thread; 0 where that is not known.
    thread: AtomicU32,
    /// Since when the watcher has seen the holder in one and the same poll; 0 if it has not. Written by the watcher.
    stuck_since: AtomicU64,
}

/// What the watcher saw. The parts are read one by one: the watcher makes sure that the poll is still the same.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sight {
    pub(crate) task: u64,
    pub(crate) blocking: bool,
    pub(crate) computing: bool,
    pub(crate) searching: bool,
    /// In nanoseconds of the scheduler's clock.
    pub(crate) stuck_since: Option<u64>,
    pub(crate) thread: u32,
}

impl PollWatch {
    /// The holder begins a poll.
    #[inline]
    pub(crate) fn begin_poll(&self, task: u64) {
        self.task.store(task, Relaxed);
    }

    /// The current thread holds the processor from now on.
    pub(crate) fn begin_hold(&self, thread: u32) {
        self.thread.store(thread, Relaxed);
        self.computing.store(false, Relaxed);
    }

    /// The holder is about to block, and says so.
    pub(crate) fn begin_blocking(&self) {
        // Release pairs with the Acquire in `sight`: what is in the queues then is seen by the watcher.
        self.blocking.store(true, Release);
    }

    pub(crate) fn end_blocking(&self) {
        self.blocking.store(false, Relaxed);
    }

    /// The holder works in a region of its own, or has left it.
    pub(crate) fn set_computing(&self, computing: bool) {
        self.computing.store(computing, Relaxed);
    }

    pub(crate) fn set_searching(&self, searching: bool) {
        self.searching.store(searching, Relaxed);
    }

    /// The watcher has seen the holder in one poll since then; `None`: not any more.
    pub(crate) fn set_stuck(&self, since: Option<u64>) {
        let since = since.map_or(0, |since| since.max(1));
        // The line is the holder's: it is left alone while there is no news.
        if self.stuck_since.load(Relaxed) != since {
            self.stuck_since.store(since, Relaxed);
        }
    }

    pub(crate) fn sight(&self) -> Sight {
        Sight {
            blocking: self.blocking.load(Acquire),
            computing: self.computing.load(Relaxed),
            searching: self.searching.load(Relaxed),
            stuck_since: Some(self.stuck_since.load(Relaxed)).filter(|&since| since > 0),
            task: self.task.load(Relaxed),
            thread: self.thread.load(Relaxed),
        }
    }
}
