//! The seam between std, loom and controlled schedules: the only file that knows which of the three
//! the crate runs on.
//!
//! Under `--cfg wsrt_schedule` the atomics, locks and the clock are `wsrt_schedule`'s, and a thread
//! that waits in the poll waits for its turn there.
//!
//! Under `--cfg wsrt_loom` the atomics and locks are loom's, so that a model can walk through every
//! interleaving. `Arc` stays std's on both sides: it is part of the public surface
//! (`Arc<TimerEntry>`), and no protocol here leans on its count.

#[cfg(wsrt_loom)]
pub(crate) use self::with_loom::*;
#[cfg(not(wsrt_loom))]
pub(crate) use self::with_std::*;

pub(crate) use std::sync::Arc;

/// The clock and the poll where no schedule decides.
#[cfg(not(wsrt_schedule))]
mod of_system {
    /// Returns the system's time.
    #[inline(always)]
    pub(crate) fn now() -> std::time::Instant {
        std::time::Instant::now()
    }

    /// Waits for events.
    #[inline(always)]
    pub(crate) fn wait_in(
        poll: &mut mio::Poll,
        events: &mut mio::Events,
        timeout: Option<std::time::Duration>,
    ) -> std::io::Result<()> {
        poll.poll(events, timeout)
    }

    /// The poll has been sent an event, which ends a wait by itself.
    #[inline(always)]
    pub(crate) fn tell_poll() {}
}

#[cfg(not(wsrt_loom))]
mod with_std {
    #[cfg(wsrt_schedule)]
    use self::of_schedule as primitives;
    #[cfg(not(wsrt_schedule))]
    use self::of_std as primitives;

    pub(crate) use self::primitives::{Mutex, MutexGuard, atomic, now, tell_poll, wait_in};

    #[cfg(not(wsrt_schedule))]
    mod of_std {
        pub(crate) use crate::sync::of_system::{now, tell_poll, wait_in};
        pub(crate) use parking_lot::{Mutex, MutexGuard};
        pub(crate) use std::sync::atomic;
    }

    #[cfg(wsrt_schedule)]
    mod of_schedule {
        pub(crate) use wsrt_schedule::time::now;
        pub(crate) use wsrt_schedule::{Mutex, MutexGuard, atomic, events::notify as tell_poll};

        use std::time::Duration;
        use wsrt_schedule::events;

        /// Waits for events: the descriptors are real, the wait and its time are the schedule's.
        pub(crate) fn wait_in(
            poll: &mut mio::Poll,
            events: &mut mio::Events,
            timeout: Option<Duration>,
        ) -> std::io::Result<()> {
            if timeout == Some(Duration::ZERO) || !events::is_scheduled() {
                return poll.poll(events, timeout);
            }
            let deadline = timeout.and_then(|timeout| now().checked_add(timeout));
            loop {
                poll.poll(events, Some(Duration::ZERO))?;
                if !events.is_empty() || !events::wait(deadline) {
                    return Ok(());
                }
            }
        }
    }

    /// Unlocks, and passes the lock to a thread that has waited for it long enough to sleep: for a
    /// caller that takes the lock again at once.
    pub(crate) fn hand_on<T>(guard: MutexGuard<'_, T>) {
        MutexGuard::unlock_fair(guard);
    }

    /// Below this many entries a timer queue is not worth compacting: one pass over it costs less
    /// than the bookkeeping.
    pub(crate) const COMPACTION_FLOOR: usize = 64;

    /// Timers fired, moved on or removed under one hold of their queue's lock.
    pub(crate) const FIRED_PER_HOLD: usize = 256;
}

#[cfg(wsrt_loom)]
mod with_loom {
    pub(crate) use loom::sync::MutexGuard;
    pub(crate) use loom::sync::atomic;

    pub(crate) fn hand_on<T>(guard: MutexGuard<'_, T>) {
        drop(guard);
    }

    // Loom has no time, and no model waits for events.
    pub(crate) use super::of_system::{now, tell_poll, wait_in};

    /// Low enough that a model reaches a compaction within two timers.
    pub(crate) const COMPACTION_FLOOR: usize = 1;

    /// So few that a model lets the lock go between two timers.
    pub(crate) const FIRED_PER_HOLD: usize = 1;

    /// loom's mutex with parking_lot's interface: a lock that cannot be poisoned.
    #[derive(Debug, Default)]
    pub(crate) struct Mutex<T>(loom::sync::Mutex<T>);

    impl<T> Mutex<T> {
        pub(crate) fn new(value: T) -> Self {
            Self(loom::sync::Mutex::new(value))
        }

        pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
            self.0.lock().expect("a model thread panicked with the lock held")
        }

        pub(crate) fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
            self.0.try_lock().ok()
        }
    }
}
