//! The budget of a poll: the number of operations that a task may complete in one poll before other
//! tasks get their turn.
//!
//! A socket whose peer is fast enough is always ready, and a loop that reads from it would never
//! return from its poll. For this reason the executor calls [`refill`] before each poll, and each
//! operation that completes takes one unit from the budget, a long one several. Once the budget is
//! used up, every operation wakes the task and returns pending. The task is queued behind all
//! waiting tasks, and continues with a full budget. An operation that returns pending because it is
//! not ready takes no unit.
//!
//! The budget lives in thread-local storage rather than in the task, because a poll never changes
//! threads. Threads that do not run a task have no limit.
//!
//! # Polls that never return
//!
//! A poll should return once an operation is *pending*. Some polls do not: another executor's
//! `block_on` inside a task polls again as soon as it is woken, and without a refill would do so
//! forever. For this reason the budget is refilled after [`MAX_DENIALS`] denials within one poll.
//! For other polls, such as one that polls ten thousand sockets in a single task, this means that
//! one operation in nine is let through.

use crate::current_poll::CurrentPoll;
use std::fmt;
use std::future::poll_fn;
use std::ptr::{self, NonNull};
use std::task::{Context, Poll, ready};

/// The number of units that each poll starts with.
///
/// The value is the same as tokio's, because existing programs may have been tuned for it. A read
/// from a socket takes half a microsecond or more, so a poll that only reads ends after roughly a
/// hundred microseconds.
pub const PER_POLL: u32 = 128;

/// The number of denials in one poll after which the budget is full again.
const MAX_DENIALS: i32 = 1024;

const FULL: i32 = PER_POLL as i32;
const UNLIMITED: i32 = i32::MAX;

thread_local! {
    static POLL: CurrentPoll = const { CurrentPoll::new(UNLIMITED) };
}

/// Calls `f` with the state of the current thread's poll.
#[inline(always)]
pub(crate) fn with_state<R>(f: impl FnOnce(&CurrentPoll) -> R) -> R {
    // Not inside `with`, which calls a large closure instead of inlining it.
    let state = POLL.with(|state| NonNull::from(state));
    // SAFETY: the state has no destructor: it is there as long as the thread, whose frame this is.
    f(unsafe { state.as_ref() })
}

/// Operations look the state up once, since each lookup costs a function call, and then use these
/// methods.
impl CurrentPoll {
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
        self.spend_units(1);
    }

    #[inline]
    fn spend_units(&self, units: i32) {
        let left = self.budget.get();
        if left > 0 && left != UNLIMITED {
            self.budget.set((left - units).max(0));
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

/// Starts a new poll with a full budget and with no recorded wait.
///
/// An executor calls this function before each poll. A call costs four stores.
#[inline]
pub fn refill() {
    with_state(|state| {
        state.budget.set(FULL);
        state.wait.set(ptr::null());
        state.locked.set(ptr::null());
        state.polls.set(state.polls.get().wrapping_add(1));
    });
}

/// Removes the limit until the next [`refill`], or until the guard of an enclosing [`keep`] is
/// dropped.
pub fn lift() {
    with_state(|state| state.budget.set(UNLIMITED));
}

/// Returns `true` if the budget is not used up, so that an operation may proceed.
#[inline]
#[must_use]
pub fn has_remaining() -> bool {
    with_state(CurrentPoll::has_remaining)
}

/// Returns ready if the budget allows another operation. Otherwise wakes the task and returns
/// pending, so that the task gives up its turn.
///
/// This function takes nothing from the budget: call [`spend`] if the operation completes.
#[inline]
pub fn poll_proceed(cx: &mut Context<'_>) -> Poll<()> {
    with_state(|state| state.poll_proceed(cx))
}

/// Takes one unit from the budget. Does nothing if the budget is used up or the thread has no
/// limit.
#[inline]
pub fn spend() {
    with_state(CurrentPoll::spend);
}

/// Takes several units from the budget, or all that are left, for an operation that takes as long
/// as several others.
///
/// # Examples
///
/// ```
/// # use wsrt_sync::budget;
/// let kept = budget::keep();
/// budget::refill();
/// budget::spend_units(budget::PER_POLL - 1);
/// assert!(budget::has_remaining());
/// budget::spend_units(2);
/// assert!(!budget::has_remaining());
/// drop(kept);
/// ```
#[inline]
pub fn spend_units(units: u32) {
    with_state(|state| state.spend_units(units.try_into().unwrap_or(FULL)));
}

/// Polls `operation` if the budget is not used up, and takes one unit if the operation completes.
///
/// If the budget is used up, wakes the task and returns pending without polling `operation`.
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

/// Polls `operation` if the budget is not used up, and takes one unit if the operation completes
/// without having taken a unit itself.
///
/// Use this function for an operation that wraps other operations which may or may not spend
/// budget, for example a copy between two streams.
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

/// Takes one unit from the budget, and yields first if the budget is used up.
///
/// Use this function in operations that may fail immediately many times in a row, such as
/// connecting to a port that no server listens on.
///
/// # Cancel safety
///
/// This function is cancel safe: if the future is dropped before it completes, nothing has been
/// taken from the budget.
pub async fn consume() {
    poll_fn(|cx| poll_spending(cx, |_| Poll::Ready(()))).await;
}

/// Saves the current budget and the recorded wait, and restores both when the returned guard is
/// dropped.
///
/// An executor uses this function to poll a future from inside another poll.
#[must_use = "they are put back when the guard is dropped"]
pub fn keep() -> BudgetGuard {
    with_state(|state| BudgetGuard { budget: state.budget.get(), wait: state.wait.get(), polls: state.polls.get() })
}

/// A guard that restores the saved budget when it is dropped. The guard cannot be sent to another
/// thread.
pub struct BudgetGuard {
    budget: i32,
    wait: *const (),
    polls: u64,
}

impl Drop for BudgetGuard {
    fn drop(&mut self) {
        with_state(|state| {
            state.budget.set(self.budget);
            state.wait.set(self.wait);
            state.polls.set(self.polls);
        });
    }
}

impl fmt::Debug for BudgetGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BudgetGuard").finish_non_exhaustive()
    }
}

#[cfg(all(test, not(wsrt_loom)))]
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
