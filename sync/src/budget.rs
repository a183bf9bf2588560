//! The budget of a poll: the number of ready operations that its task may complete before other
//! tasks get their turn.
//!
//! A socket whose peer is faster than we are is always ready, and a loop over it would never return
//! from its poll. So the executor calls [`refill`] before each poll, and each ready operation takes
//! a unit. When none is left, every operation wakes the task and is pending: the task is queued
//! behind all waiting tasks, and continues with a full budget. An operation that is pending because
//! it is not ready takes no unit.
//!
//! The budget is a number in thread-local storage and not in the task, because a poll never changes
//! threads. Threads that run no task have no limit.
//!
//! # Polls that never return
//!
//! A poll whose operation is *pending* should return. Some do not: another executor's `block_on`
//! inside a task polls again as soon as it is woken, and without a refill would do that forever.
//! So after [`MAX_DENIALS`] denials within a poll the budget is full again. For the others, such as
//! a set of ten thousand sockets in one task, this means that one operation in nine is let through.

use crate::poll_state::PollState;
use std::fmt;
use std::future::poll_fn;
use std::ptr::{self, NonNull};
use std::task::{Context, Poll, ready};

/// Units that a poll begins with.
///
/// It is the number of tokio, which users' code may have been tuned for: a read from a socket takes
/// half a microsecond or more, so that a poll that does nothing else ends after some hundred
/// microseconds.
pub const PER_POLL: u32 = 128;

/// Denials in one poll after which the budget is full again.
const MAX_DENIALS: i32 = 1024;

const FULL: i32 = PER_POLL as i32;
const UNLIMITED: i32 = i32::MAX;

thread_local! {
    static POLL: PollState = const { PollState::new(UNLIMITED) };
}

/// Gives `f` the state of the poll that this thread is in.
#[inline(always)]
pub(crate) fn with_state<R>(f: impl FnOnce(&PollState) -> R) -> R {
    // Not inside `with`, which calls a large closure instead of inlining it.
    let state = POLL.with(|state| NonNull::from(state));
    // SAFETY: the state has no destructor: it is there as long as the thread, whose frame this is.
    f(unsafe { state.as_ref() })
}

/// Each operation looks the state up once, since that costs a call, and works on it by these.
impl PollState {
    #[inline]
    pub(crate) fn has_remaining(&self) -> bool {
        self.budget.get() > 0
    }

    #[inline]
    pub(crate) fn poll_proceed(&self, cx: &mut Context<'_>) -> Poll<()> {
        if self.has_remaining() { Poll::Ready(()) } else { self.deny(cx) }
    }

    #[cold]
    fn deny(&self, cx: &mut Context<'_>) -> Poll<()> {
        let denials = self.budget.get() - 1;
        if denials < -MAX_DENIALS {
            self.budget.set(FULL);
            return Poll::Ready(());
        }
        self.budget.set(denials);
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    #[inline]
    pub(crate) fn spend(&self) {
        let left = self.budget.get();
        if left > 0 && left != UNLIMITED {
            self.budget.set(left - 1);
        }
    }

    #[inline]
    fn poll_spending<R>(&self, cx: &mut Context<'_>, operation: impl FnOnce(&mut Context<'_>) -> Poll<R>) -> Poll<R> {
        ready!(self.poll_proceed(cx));
        let answer = operation(cx);
        if answer.is_ready() {
            self.spend();
        }
        answer
    }
}

/// Begins a poll: it has a full budget, and waits for nothing yet. Costs two stores.
#[inline]
pub fn refill() {
    with_state(|state| {
        state.budget.set(FULL);
        state.wait.set(ptr::null());
    });
}

/// Lifts the limit, until the next [`refill`] or the end of an outer [`keep`].
pub fn lift() {
    with_state(|state| state.budget.set(UNLIMITED));
}

/// Returns whether an operation that is ready may proceed.
#[inline]
#[must_use]
pub fn has_remaining() -> bool {
    with_state(PollState::has_remaining)
}

/// Returns ready if an operation may be tried. Otherwise wakes the task: it is to give up its turn.
///
/// Takes nothing: call [`spend`] when the operation turns out to be ready.
#[inline]
pub fn poll_proceed(cx: &mut Context<'_>) -> Poll<()> {
    with_state(|state| state.poll_proceed(cx))
}

/// Takes a unit, if there is a limit and something left.
#[inline]
pub fn spend() {
    with_state(PollState::spend);
}

/// Polls `operation`, unless the budget is spent, and takes a unit if it is ready.
///
/// # Examples
///
/// ```
/// use std::task::{Context, Poll, Waker};
/// # use wsrt_sync::budget;
///
/// let mut cx = Context::from_waker(Waker::noop());
/// let kept = budget::keep();
/// budget::refill();
/// for _ in 0..budget::PER_POLL {
///     assert!(budget::poll_spending(&mut cx, |_| Poll::Ready(())).is_ready());
/// }
/// assert!(budget::poll_spending(&mut cx, |_| Poll::Ready(())).is_pending());
/// drop(kept);
/// assert!(budget::has_remaining(), "this thread runs no task");
/// ```
#[inline]
pub fn poll_spending<R>(cx: &mut Context<'_>, operation: impl FnOnce(&mut Context<'_>) -> Poll<R>) -> Poll<R> {
    with_state(|state| state.poll_spending(cx, operation))
}

/// Polls `operation`, unless the budget is spent, and takes a unit if it is ready and has taken
/// none itself.
///
/// For what wraps other operations, which may spend or not: a copy between two streams.
///
/// # Examples
///
/// ```
/// use std::task::{Context, Poll, Waker};
/// # use wsrt_sync::budget;
///
/// let mut cx = Context::from_waker(Waker::noop());
/// let kept = budget::keep();
/// budget::refill();
/// for _ in 0..budget::PER_POLL {
///     let inner = |cx: &mut Context<'_>| budget::poll_spending(cx, |_| Poll::Ready(()));
///     assert!(budget::poll_spending_once(&mut cx, inner).is_ready());
/// }
/// assert!(!budget::has_remaining());
/// drop(kept);
/// ```
#[inline]
pub fn poll_spending_once<R>(cx: &mut Context<'_>, operation: impl FnOnce(&mut Context<'_>) -> Poll<R>) -> Poll<R> {
    with_state(|state| {
        ready!(state.poll_proceed(cx));
        let before = state.budget.get();
        let answer = operation(cx);
        if answer.is_ready() && state.budget.get() == before {
            state.spend();
        }
        answer
    })
}

/// Takes a unit, waiting for a full budget if there is none.
///
/// For an operation that may fail at once, again and again: a client that connects to a port on
/// which no server listens.
///
/// # Cancel safety
///
/// If it is dropped before it is ready, it has taken nothing.
pub async fn consume() {
    poll_fn(|cx| poll_spending(cx, |_| Poll::Ready(()))).await;
}

/// Keeps the current budget, and what the poll waits for, to be put back when the guard is dropped:
/// for polls inside a poll.
#[must_use = "they are put back when the guard is dropped"]
pub fn keep() -> Kept {
    with_state(|state| Kept { budget: state.budget.get(), wait: state.wait.get() })
}

/// Puts a budget back when it is dropped. Stays on its thread.
pub struct Kept {
    budget: i32,
    wait: *const (),
}

impl Drop for Kept {
    fn drop(&mut self) {
        with_state(|state| {
            state.budget.set(self.budget);
            state.wait.set(self.wait);
        });
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kept").finish_non_exhaustive()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use std::task::{Wake, Waker};

    #[derive(Default)]
    struct Wakes(AtomicUsize);

    impl Wake for Wakes {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Relaxed);
        }
    }

    /// Calls `test` with a full budget, a way to poll an operation that is ready or not, and the
    /// count of wakes.
    fn with_full_budget(test: impl FnOnce(&mut dyn FnMut(bool) -> bool, &Wakes)) {
        let wakes = Arc::new(Wakes::default());
        let waker = Waker::from(Arc::clone(&wakes));
        let mut cx = Context::from_waker(&waker);
        let _kept = keep();
        refill();
        let mut poll =
            |ready| poll_spending(&mut cx, |_| if ready { Poll::Ready(()) } else { Poll::Pending }).is_ready();
        test(&mut poll, &wakes);
    }

    #[test]
    fn a_spent_budget_makes_ready_operations_pending() {
        with_full_budget(|poll, wakes| {
            assert!((0..PER_POLL).all(|_| poll(true)));
            assert_eq!(wakes.0.load(Relaxed), 0);
            assert!(!has_remaining());
            assert!(!poll(true));
            assert_eq!(wakes.0.load(Relaxed), 1);
            refill();
            assert!(poll(true));
        });
    }

    #[test]
    fn an_operation_that_makes_no_progress_takes_nothing() {
        with_full_budget(|poll, wakes| {
            assert!((0..10 * PER_POLL).all(|_| !poll(false)));
            assert!((0..PER_POLL).all(|_| poll(true)));
            assert_eq!(wakes.0.load(Relaxed), 0);
        });
    }

    #[test]
    fn a_poll_that_never_returns_still_makes_progress() {
        with_full_budget(|poll, wakes| {
            assert!((0..PER_POLL).all(|_| poll(true)));
            let denials = (0..).take_while(|_| !poll(true)).count();
            assert_eq!(denials, MAX_DENIALS as usize);
            assert_eq!(wakes.0.load(Relaxed), denials);
            assert!((1..PER_POLL).all(|_| poll(true)));
            assert!(!poll(true), "and is limited again");
        });
    }

    #[test]
    fn a_thread_without_tasks_has_no_limit() {
        let mut cx = Context::from_waker(Waker::noop());
        assert!((0..10 * PER_POLL).all(|_| poll_spending(&mut cx, |_| Poll::Ready(())).is_ready()));
    }

    #[test]
    fn a_limit_that_was_lifted_is_there_again() {
        with_full_budget(|poll, _| {
            assert!((0..PER_POLL).all(|_| poll(true)));
            let kept = keep();
            lift();
            assert!((0..10 * PER_POLL).all(|_| poll(true)));
            drop(kept);
            assert!(!poll(true));
        });
    }
}
