//! Where the watcher sleeps, and who sees to it that it looks while a processor is busy.
//!
//! While the watcher *rests*, its alarm is set as long as any processor is busy, and only then. The
//! machine that takes the first processor sets it, the one that gives the last back clears it, or
//! sets it for the next round of the patrol: so a poll that lasts is looked at in time, and a short
//! one costs two system calls and wakes no thread. Between two polls a machine vouches for all: it
//! takes what waits behind polls that last (`worker/vouch.rs`), and moves the alarm on. Under load
//! the watcher looks only where no machine comes to vouch, or a poll lasts for 5 ms.
//!
//! The two sides meet as in the sleeping protocol. The watcher says that it rests, full barrier,
//! looks whether a processor is busy; a machine changes the count, full barrier, looks whether the
//! watcher rests. Whoever sets or clears the alarm looks at the count again afterwards: so the last
//! one to do so finds the last count.

use std::time::Duration;

use crate::scheduler::core::alarm::Alarm;
use crate::scheduler::core::limits::PERIOD;
use crate::util::sync::atomic::Ordering::{Relaxed, SeqCst};
use crate::util::sync::atomic::{AtomicU8, AtomicU64, fence};
use crate::util::sync::{HAS_PATROL, Mutex};

/// The watcher looks so long after a processor has become busy, or a machine has vouched for all,
/// which one does when half of the time is over. A second look shows what sleeps or computes.
pub(crate) const LOOK: Duration = Duration::from_micros(700);

/// Machines vouch for one and the same poll for 5 ms: for longer than a thread waits for its core
/// where two share it, which is one of Linux's ticks, 1 to 4 ms.
pub(crate) const LONGEST_VOUCH: u64 = 5_000_000;

/// So often the alarm is cleared in one rest; then it stays set, and is moved on while machines
/// vouch, so that one of many short busy times costs no system call. It rings when there was none
/// for a while, and the next rest begins: that look costs as much as a dozen pairs of system calls.
const MOST_CLEARS: u32 = 64;

#[derive(Debug)]
pub(crate) struct WatcherSleep {
    state: AlarmState,
    /// When a machine vouched last, by the scheduler's clock; 0 where the alarm was set since.
    vouched: AtomicU64,
    /// The poll of each processor, as the last machine that vouched saw it.
    seen: Mutex<Vec<SeenPoll>>,
    setting: Mutex<Setting>,
    alarm: Alarm,
}

/// Locked by the thread that changes the state or the alarm.
#[derive(Debug, Default)]
struct Setting {
    /// How often the alarm was cleared in this rest.
    clears: u32,
    /// True if the alarm was made to ring, and the watcher has not come back since: it is left so.
    rings: bool,
    /// True if the watcher may be made to look early.
    may_be_early: bool,
}

/// A poll that a machine which vouches has seen, and when it was first seen; none of a processor
/// that was idle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SeenPoll {
    pub(crate) stamp: Option<u64>,
    pub(crate) since: u64,
}

impl WatcherSleep {
    pub(crate) fn new() -> Self {
        Self {
            state: AlarmState(AtomicU8::new(AWAKE)),
            vouched: AtomicU64::new(0),
            seen: Mutex::new(Vec::new()),
            setting: Mutex::new(Setting::default()),
            alarm: Alarm::new(),
        }
    }

    /// Names the watcher's thread: the calling one.
    pub(crate) fn adopt_current_thread(&self) {
        self.alarm.adopt_current_thread();
    }

    /// To be called after a processor has left the list of the idle.
    #[inline]
    pub(crate) fn note_taken(&self, is_busy: impl Fn() -> bool) {
        // Pairs with the fences in `rest` and `settle`.
        fence(SeqCst);
        if self.state.is(CLEAR) {
            self.settle(is_busy);
        }
    }

    /// To be called after a processor has come on the list of the idle, and a full barrier. Sets
    /// the alarm too: where one more has come into play, another thread may have counted it as
    /// idle only.
    #[inline]
    pub(crate) fn note_given_back(&self, is_busy: impl Fn() -> bool) {
        if !self.state.is(AWAKE) && self.state.is_set() != is_busy() {
            self.settle(is_busy);
        }
    }

    /// Sets the alarm, or clears it, as the processors are now.
    #[cold]
    fn settle(&self, is_busy: impl Fn() -> bool) {
        let mut setting = self.setting.lock();
        loop {
            let busy = is_busy();
            let stays = busy == self.state.is_set() || (!busy && setting.clears == MOST_CLEARS);
            if stays || setting.rings || self.state.is(AWAKE) {
                return;
            }
            if busy {
                self.vouched.store(0, Relaxed);
                self.set(&setting);
            } else {
                setting.clears += 1;
                // Polls may have left something to the patrol.
                if HAS_PATROL {
                    self.alarm.set(Duration::from_nanos(PERIOD))
                } else {
                    self.alarm.clear()
                }
                self.state.enter(CLEAR);
            }
            // Pairs with the fence in `note_taken`: that side sees the alarm as it is now, or the
            // next turn of this loop sees the processor taken.
            fence(SeqCst);
        }
    }

    fn set(&self, setting: &Setting) {
        self.alarm.set(LOOK);
        self.state.enter(if setting.may_be_early { MAY_BE_EARLY } else { SET });
    }

    /// To be called by a machine between two polls, at the time `now`: the alarm is moved on, and
    /// the watcher need not look, if `sees_to_all`. It is given the polls that were seen last.
    #[inline]
    pub(crate) fn vouch(&self, now: u64, sees_to_all: impl FnOnce(&mut Vec<SeenPoll>) -> bool) {
        let before = self.vouched.load(Relaxed);
        if now.saturating_sub(before) >= LOOK.as_nanos() as u64 / 2 {
            self.vouch_since(before, now, sees_to_all);
        }
    }

    #[cold]
    fn vouch_since(&self, before: u64, now: u64, sees_to_all: impl FnOnce(&mut Vec<SeenPoll>) -> bool) {
        let is_first = self.vouched.compare_exchange(before, now, Relaxed, Relaxed).is_ok();
        // The alarm was set just now, or there is none to move on.
        if !is_first || before == 0 || !self.state.is_set() {
            return;
        }
        // Another machine that is at it still does the same.
        let Some(mut seen) = self.seen.try_lock() else { return };
        let sees_to_all = sees_to_all(&mut seen);
        drop(seen);
        // Another thread sets it, and the watcher may look once for nothing.
        let Some(setting) = self.setting.try_lock() else { return };
        // Not where it was set since.
        let is_the_same = self.state.is_set() && !self.state.is(EARLY) && self.vouched.load(Relaxed) == now;
        if sees_to_all && is_the_same && !setting.rings {
            self.set(&setting);
        }
    }

    /// To be called after the poll under way has put a task into runnext, which waits for the poll:
    /// one that lasts for an eighth of the time is no hand-off.
    #[inline]
    pub(crate) fn look_early(&self) {
        if self.state.is(MAY_BE_EARLY) {
            self.set_early();
        }
    }

    #[cold]
    fn set_early(&self) {
        let setting = self.setting.lock();
        if self.state.is(MAY_BE_EARLY) && !setting.rings {
            self.alarm.set(LOOK / 8);
            self.state.enter(EARLY);
        }
    }

    /// Rests, if `may_rest`, until the alarm rings, or until the time `at_most` has passed, if
    /// there is one. With `may_be_early`, a task in runnext makes it ring sooner; returns whether
    /// one did.
    pub(crate) fn rest(
        &self,
        at_most: Option<Duration>,
        may_be_early: bool,
        is_busy: impl Fn() -> bool,
        may_rest: impl FnOnce() -> bool,
    ) -> bool {
        *self.setting.lock() = Setting { may_be_early, ..Setting::default() };
        self.state.enter(CLEAR);
        // Pairs with the fences in `note_taken` and `wake_if_resting`.
        fence(SeqCst);
        if may_rest() {
            self.settle(is_busy);
            self.alarm.wait(at_most);
        }
        self.come_back()
    }

    fn come_back(&self) -> bool {
        let mut setting = self.setting.lock();
        setting.rings = false;
        let is_early = self.state.is(EARLY);
        self.state.enter(AWAKE);
        is_early
    }

    /// Wakes the watcher if it rests, though no processor need be busy.
    pub(crate) fn wake_if_resting(&self) {
        // Pairs with the fence in `rest`.
        fence(SeqCst);
        if !self.state.is(AWAKE) {
            self.wake();
        }
    }

    /// Ends whatever sleep the watcher is in.
    pub(crate) fn wake(&self) {
        self.setting.lock().rings = true;
        self.alarm.set(Duration::ZERO);
    }

    /// Sleeps for a time.
    pub(crate) fn nap(&self, time: Duration) {
        self.alarm.wait(Some(time));
        let _is_early = self.come_back();
    }
}

/// The watcher does not rest: the alarm is its own.
const AWAKE: u8 = 0;
/// It rests, and the alarm is not set.
const CLEAR: u8 = 1;
/// The alarm is set for a busy processor.
const SET: u8 = 2;
/// Likewise, and a push into runnext may set it early.
const MAY_BE_EARLY: u8 = 3;
/// One has.
const EARLY: u8 = 4;

/// Relaxed throughout: the fences above order it with the count of processors, and the lock orders
/// its writers.
#[derive(Debug)]
struct AlarmState(AtomicU8);

impl AlarmState {
    fn is(&self, state: u8) -> bool {
        self.0.load(Relaxed) == state
    }

    fn is_set(&self) -> bool {
        self.0.load(Relaxed) >= SET
    }

    fn enter(&self, state: u8) {
        self.0.store(state, Relaxed);
    }
}
