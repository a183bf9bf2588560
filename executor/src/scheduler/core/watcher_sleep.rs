//! Where the watcher sleeps while every processor is idle, and how the first to become busy wakes
//! it.
//!
//! The two sides meet as in the sleeping protocol: the watcher says that it sleeps, full barrier,
//! looks whether a processor is busy; a machine that takes a processor changes the count, full
//! barrier, looks whether the watcher sleeps. While anything runs, the watcher is up and no machine
//! pays for more than that look.

use std::time::Duration;

use crate::scheduler::core::parker::Parker;
use crate::util::sync::atomic::Ordering::{Relaxed, SeqCst};
use crate::util::sync::atomic::{AtomicBool, fence};

#[derive(Debug)]
pub(crate) struct WatcherSleep {
    asleep: AtomicBool,
    parker: Parker,
}

impl WatcherSleep {
    pub(crate) fn new() -> Self {
        Self { asleep: AtomicBool::new(false), parker: Parker::new() }
    }

    /// Names the watcher's thread: the calling one.
    pub(crate) fn adopt_current_thread(&self) {
        self.parker.adopt_current_thread();
    }

    /// To be called after a processor has left the list of the idle.
    pub(crate) fn wake_if_asleep(&self) {
        // Pairs with the fence in `sleep_until_busy`.
        fence(SeqCst);
        if self.asleep.load(Relaxed) && self.asleep.swap(false, Relaxed) {
            self.wake();
        }
    }

    /// Ends whatever sleep the watcher is in.
    pub(crate) fn wake(&self) {
        // The watcher is never in the netpoller.
        let _ = self.parker.unpark();
    }

    /// Sleeps until a processor is taken, unless `is_busy` says that one is, or until the time
    /// `at_most` has passed, if there is one.
    pub(crate) fn sleep_until_busy(&self, at_most: Option<Duration>, is_busy: impl Fn() -> bool) {
        self.asleep.store(true, Relaxed);
        // Pairs with the fence in `wake_if_asleep`.
        fence(SeqCst);
        if !is_busy() {
            match at_most {
                Some(at_most) => self.nap(at_most),
                None => self.parker.park(),
            }
        }
        self.asleep.store(false, Relaxed);
    }

    /// Sleeps for one tick.
    pub(crate) fn nap(&self, tick: Duration) {
        self.parker.park_timeout(tick);
    }
}
