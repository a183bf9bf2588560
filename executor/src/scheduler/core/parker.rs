//! Where one machine sleeps, and how it is woken: at most once for any number of wakes.
//!
//! A machine sleeps in one of two places, on its own thread token or in the netpoller. The parker
//! knows which, so that its waker knows whether the netpoller has to be interrupted.

use std::sync::OnceLock;

use crate::util::sync;
use crate::util::sync::atomic::AtomicU32;
use crate::util::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use crate::util::sync::{park_timeout, thread};

/// Awake, and no wake is pending.
const AWAKE: u32 = 0;
/// A wake is pending: the next sleep ends at once.
const NOTIFIED: u32 = 1;
/// Asleep on the thread's own token.
const PARKED: u32 = 2;
/// Blocked in the netpoller.
const POLLING: u32 = 3;

/// The parker of one thread. [`park`](Parker::park) and the polling pair are for that thread alone.
#[derive(Debug)]
pub(crate) struct Parker {
    state: State,
    thread: OnceLock<thread::Thread>,
}

/// The state that [`Parker::unpark`] found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "a machine that sleeps in the netpoller has to be interrupted"]
pub(crate) enum Unparked {
    /// It was awake, or had been notified already: it will see the wake before it sleeps.
    Awake,
    /// It slept on its own token and has been woken.
    Woken,
    /// It is blocked in the netpoller, which the caller has to interrupt.
    InNetpoller,
}

impl Parker {
    pub(crate) fn new() -> Self {
        Self { state: State(AtomicU32::new(AWAKE)), thread: OnceLock::new() }
    }

    /// Names the thread that sleeps here: the calling one. Has to come before its first sleep.
    pub(crate) fn adopt_current_thread(&self) {
        let _ = self.thread.set(thread::current());
    }

    /// Sleeps until notified; returns at once if a wake is pending.
    pub(crate) fn park(&self) {
        if self.begin_parking() {
            self.sleep_until_notified();
        }
    }

    fn sleep_until_notified(&self) {
        while !self.state.consume_wake() {
            thread::park();
        }
    }

    /// Sleeps until notified or until `timeout` has passed, which never happens if it reaches
    /// beyond the clock. `true` if notified.
    pub(crate) fn park_timeout(&self, timeout: std::time::Duration) -> bool {
        if !self.begin_parking() {
            return true;
        }
        let Some(deadline) = sync::now().checked_add(timeout) else {
            self.sleep_until_notified();
            return true;
        };
        while !self.state.consume_wake() {
            let left = deadline.saturating_duration_since(sync::now());
            if left.is_zero() {
                return self.end_parking();
            }
            park_timeout(left);
        }
        true
    }

    /// Falls asleep; a simulated thread only seems to. `false` if a wake was pending.
    #[must_use]
    pub(crate) fn begin_parking(&self) -> bool {
        self.state.fall_asleep(PARKED)
    }

    /// Ends that sleep. `true` if it was notified.
    pub(crate) fn end_parking(&self) -> bool {
        self.state.wake_up()
    }

    /// Announces that this thread is about to block in the netpoller. `false` if a wake was
    /// pending: then it must not.
    #[must_use]
    pub(crate) fn begin_polling(&self) -> bool {
        self.state.fall_asleep(POLLING)
    }

    /// The thread is back from the netpoller. Returns `true` if it was notified there.
    pub(crate) fn end_polling(&self) -> bool {
        self.state.wake_up()
    }

    /// Returns whether a wake is pending. A hint.
    pub(crate) fn is_notified(&self) -> bool {
        self.state.is_one_of([NOTIFIED])
    }

    /// Returns whether the thread is neither notified nor in the netpoller. A hint.
    pub(crate) fn is_quiet(&self) -> bool {
        self.state.is_one_of([AWAKE, PARKED])
    }

    /// Returns whether the thread is asleep on its own token. A hint.
    pub(crate) fn is_parked(&self) -> bool {
        self.state.is_one_of([PARKED])
    }

    /// Returns whether the thread sleeps, on its token or in the netpoller, with no wake pending. A
    /// hint.
    pub(crate) fn is_asleep(&self) -> bool {
        self.state.is_one_of([PARKED, POLLING])
    }

    /// Returns whether the thread is in the netpoller. A hint.
    pub(crate) fn is_polling(&self) -> bool {
        self.state.is_one_of([POLLING])
    }

    /// Wakes the thread, or leaves a wake pending for its next sleep.
    pub(crate) fn unpark(&self) -> Unparked {
        match self.state.notify() {
            PARKED => {
                let thread = self.thread.get().expect("a thread names itself before it sleeps");
                thread.unpark();
                Unparked::Woken
            }
            POLLING => Unparked::InNetpoller,
            AWAKE | NOTIFIED => Unparked::Awake,
            state => unreachable!("parker state {state}"),
        }
    }
}

/// The parker's word. Its transitions are `AWAKE → PARKED | POLLING` by the sleeper,
/// `any → NOTIFIED` by a waker, and `NOTIFIED → AWAKE` by the sleeper, which consumes
/// the wake.
#[derive(Debug)]
struct State(AtomicU32);

impl State {
    /// `AWAKE → asleep`; or consumes a pending wake and says `false`.
    #[must_use]
    fn fall_asleep(&self, asleep: u32) -> bool {
        if self.0.compare_exchange(AWAKE, asleep, Relaxed, Relaxed).is_ok() {
            return true;
        }
        // Acquire pairs with the Release in `notify`: the wakers' earlier writes are visible. A
        // swap, though the value is known: a second waker may have come since, and a store would
        // wipe its wake out without having seen its work.
        let state = self.0.swap(AWAKE, Acquire);
        assert_eq!(state, NOTIFIED, "only its own thread sleeps on a parker");
        false
    }

    fn is_one_of<const N: usize>(&self, states: [u32; N]) -> bool {
        states.contains(&self.0.load(Relaxed))
    }

    #[must_use]
    fn consume_wake(&self) -> bool {
        // Acquire pairs with the Release in `notify`.
        self.0.compare_exchange(NOTIFIED, AWAKE, Acquire, Relaxed).is_ok()
    }

    /// `any → AWAKE`, when the sleep ended for its own reason. `true` if a wake was consumed
    /// by the way.
    fn wake_up(&self) -> bool {
        // Acquire pairs with the Release in `notify`.
        self.0.swap(AWAKE, Acquire) == NOTIFIED
    }

    /// `any → NOTIFIED`; returns the state before. Release pairs with the Acquires of the sleeper;
    /// the wakes of several wakers are one release sequence, so that a machine that consumes the
    /// last has seen the writes before each.
    #[must_use]
    fn notify(&self) -> u32 {
        self.0.swap(NOTIFIED, Release)
    }
}
