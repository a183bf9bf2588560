//! The alarm that wakes the watcher, set and cleared by others.

use std::time::{Duration, Instant};

use wsrt_reactor::timer::WakeTimer;

use crate::scheduler::core::parker::Parker;
use crate::util::sync::{Mutex, now, sleep};

/// A timer of the kernel's. Where there is none the thread is woken when the alarm is set, to wait
/// for the moment itself.
#[derive(Debug)]
pub(crate) struct Alarm {
    timer: Option<WakeTimer>,
    rings_at: Mutex<Option<Instant>>,
    parker: Parker,
}

impl Alarm {
    pub(crate) fn new() -> Self {
        Self { timer: WakeTimer::new(), rings_at: Mutex::new(None), parker: Parker::new() }
    }

    /// Names the thread that waits: the calling one.
    pub(crate) fn adopt_current_thread(&self) {
        self.parker.adopt_current_thread();
    }

    /// Rings after `time`, and not at the moment that was set before.
    pub(crate) fn set(&self, time: Duration) {
        match &self.timer {
            Some(timer) => timer.set(time),
            None => {
                *self.rings_at.lock() = Some(now() + time);
                let _ = self.parker.unpark();
            }
        }
    }

    /// Rings no more.
    pub(crate) fn clear(&self) {
        match &self.timer {
            Some(timer) => timer.clear(),
            None => *self.rings_at.lock() = None,
        }
    }

    /// Waits until it rings, for the time `at_most` if there is one.
    pub(crate) fn wait(&self, at_most: Option<Duration>) {
        match &self.timer {
            Some(timer) => timer.wait(at_most),
            None => while !self.wait_without_timer(at_most) {},
        }
    }

    /// Returns whether the wait is over. A moment that is taken back meanwhile ends it too.
    fn wait_without_timer(&self, at_most: Option<Duration>) -> bool {
        let rings_at = self.rings_at.lock().take();
        match (rings_at, at_most) {
            (Some(moment), _) => sleep(moment.saturating_duration_since(now())),
            (None, Some(at_most)) => return !self.parker.park_timeout(at_most),
            (None, None) => self.parker.park(),
        }
        rings_at.is_some()
    }
}
