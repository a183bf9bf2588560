//! One registered source: its readiness word and its waiters, and the argument why no wake-up is
//! lost.
//!
//! A waiter and an event can race. Each does two things in a fixed order:
//!
//! ```text
//!   waiter                                     event
//!   W1  read the word: not ready               E1  set the bits in the word
//!   W2  lock; leave the waker                  E2  lock; take the wakers of these directions
//!   W3  read the word again, still locked      E3  unlock; wake the taken wakers
//!   W4  unlock; pending only if W3 said so
//! ```
//!
//! The lock orders W2-W4 against E2. If W2 comes first, E2 finds the waker. If E2 comes first, then
//! E1 happened before the lock was released, so W3 reads E1's bits or a later value of the word. A
//! later value without the bits was written by a clear whose tick was E1's or newer, that is, by a
//! thread whose system call came after the event and found the source drained: the kernel will
//! send another event. Shutdown is an event whose bit is never cleared.
//!
//! # After the end
//!
//! No event comes after the shutdown, so a wait is an error. But tasks of the runtime that ends may
//! be in the middle of their last polls, after which they are dropped: they do not learn of the
//! end, and their waits are pending. Among them may be one that is in another executor's
//! `block_on`, which polls for as long as it is woken, and returns only with an answer: so each is
//! woken, and after [`POLLS_AFTER_END`] such polls of one source there is the error.

use crate::error::shut_down_error;
use crate::interest::Interest;
use crate::readiness::{EventBits, Readiness, SeenReadiness};
use crate::services;
use crate::sync::Mutex;
use crate::waiters::{PerDirection, WaiterKind, Waiters};
use std::io;
use std::task::{Context, Poll, Waker};

/// The condition that completes a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    /// The OS has reported that the direction is ready.
    Reported,
    /// An operation may succeed: the direction was reported ready, or was never found drained.
    WorthTrying,
}

/// This many polls of one source are pending after the end. Each thread that runs tasks, of which
/// there are some hundreds at most, may be in its last poll, and look more than once.
const POLLS_AFTER_END: u16 = 1024;

#[derive(Debug)]
pub(crate) struct SourceState {
    readiness: Readiness,
    waiters: Mutex<Waiters>,
}

// No foreign code runs while the lock is held, so a panic never leaves the waiters half changed.
impl std::panic::RefUnwindSafe for SourceState {}

impl SourceState {
    pub(crate) fn fresh(untried: Interest) -> Self {
        Self { readiness: Readiness::of_fresh(untried), waiters: Mutex::new(Waiters::default()) }
    }

    pub(crate) fn readiness(&self) -> &Readiness {
        &self.readiness
    }

    /// Returns the word as soon as `condition` holds. If it does not hold and the runtime has shut
    /// down, returns an error, because no event would ever be reported; otherwise leaves the waker
    /// as `kind` says.
    pub(crate) fn poll_ready(
        &self,
        condition: Condition,
        interest: Interest,
        cx: &mut Context<'_>,
        kind: WaiterKind<'_>,
    ) -> Poll<io::Result<SeenReadiness>> {
        let answer = self.look(condition, interest);
        if answer.is_ready() {
            return answer;
        }
        self.wait(condition, interest, cx, kind)
    }

    /// Checks `condition` without waiting. A source that is neither ready nor alive is an error,
    /// except to a future that is about to be dropped.
    pub(crate) fn look(&self, condition: Condition, interest: Interest) -> Poll<io::Result<SeenReadiness>> {
        let seen = self.readiness.read();
        let is_over = match condition {
            Condition::Reported => seen.is_ready(interest),
            Condition::WorthTrying => seen.is_worth_trying(interest),
        };
        if is_over {
            Poll::Ready(Ok(seen))
        } else if seen.is_shut_down() && !services::drops_what_waits() {
            Poll::Ready(Err(shut_down_error()))
        } else {
            Poll::Pending
        }
    }

    fn wait(
        &self,
        condition: Condition,
        interest: Interest,
        cx: &mut Context<'_>,
        kind: WaiterKind<'_>,
    ) -> Poll<io::Result<SeenReadiness>> {
        let mut wakers = PerDirection::default();
        for index in interest.indices() {
            wakers[index] = Some(cx.waker().clone());
        }
        let mut waiters = self.waiters.lock();
        let displaced = waiters.leave(interest, kind, wakers);
        // W3. If the source is ready now, the waker stays behind: that costs one spurious wake-up
        // at most.
        let mut answer = self.look(condition, interest);
        let is_last_poll = answer.is_pending() && self.readiness.read().is_shut_down();
        if is_last_poll && !waiters.count_poll_after_end(POLLS_AFTER_END) {
            answer = Poll::Ready(Err(shut_down_error()));
        }
        drop(waiters);
        displaced.let_go();
        if is_last_poll {
            cx.waker().wake_by_ref();
        }
        answer
    }

    /// Removes the waker of a keyed waiter that has been dropped or has finished.
    pub(crate) fn withdraw(&self, key: usize) {
        let waker = self.waiters.lock().withdraw(key);
        drop(waker);
    }

    /// E1 and E2: an event arrived. The caller wakes the wakers that this adds to `wakers`.
    pub(crate) fn dispatch(&self, bits: EventBits, wakers: &mut Vec<Waker>) {
        self.readiness.set_from_event(bits);
        if let Some(interest) = bits.concerns() {
            self.waiters.lock().take(interest, wakers);
        }
    }

    /// Takes the wakers of all waiters.
    pub(crate) fn take_waiters(&self, wakers: &mut Vec<Waker>) {
        self.waiters.lock().take(Interest::ALL, wakers);
    }

    /// Shows `f` each waiter, with the lock held.
    pub(crate) fn for_each_waiter(&self, f: impl FnMut(&Waker, Interest)) {
        self.waiters.lock().for_each(f);
    }

    /// The runtime is gone: marks the source shut down and takes the wakers of all waiters.
    pub(crate) fn shut_down(&self, wakers: &mut Vec<Waker>) {
        self.readiness.shut_down();
        self.take_waiters(wakers);
    }
}
