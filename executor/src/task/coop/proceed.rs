//! Using the budget directly.

use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::task::{Context, Poll};

use wsrt_reactor::budget;

/// Returns `true` if the current task has budget left, or if no budget applies.
///
/// Use this function in code that can stop early, such as the processing of a batch. The call takes
/// no budget and does not wake the task.
///
/// # Examples
///
/// ```
/// assert!(wsrt::task::coop::has_budget_remaining());
/// ```
#[inline]
#[must_use]
pub fn has_budget_remaining() -> bool {
    budget::has_remaining()
}

/// Takes one unit of the current task's budget. If no budget is left, yields to other tasks first.
///
/// Call this function once per iteration in loops that compute, or that await futures without a
/// budget. Unlike [`yield_now`](crate::task::yield_now), it costs a few instructions while budget
/// is left.
///
/// # Cancel safety
///
/// This function is cancel safe: nothing is lost if the future is dropped.
///
/// # Examples
///
/// ```
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let mut sum = 0_u64;
/// for n in 0..10_000 {
///     sum += n;
///     wsrt::task::coop::consume_budget().await;
/// }
/// assert_eq!(sum, 49_995_000);
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
pub async fn consume_budget() {
    budget::consume().await;
}

/// Returns ready if the current task has budget for another operation. Otherwise returns pending
/// and wakes the task, which should then return from its poll.
///
/// Use this function to implement futures and streams that are event sources themselves. Call
/// `made_progress` on the returned value when the operation was ready, to spend one unit of budget.
/// If the value is dropped without this call, no budget is spent.
///
/// # Examples
///
/// ```
/// use std::pin::Pin;
/// use std::task::{Context, Poll, ready};
/// use wsrt::task::coop;
///
/// /// Is ready with the next number each time it is polled.
/// struct Numbers(u32);
///
/// impl Numbers {
///     fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<u32> {
///         let budget = ready!(coop::poll_proceed(cx));
///         self.0 += 1;
///         budget.made_progress();
///         Poll::Ready(self.0)
///     }
/// }
///
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let mut numbers = Numbers(0);
/// let mut last = 0;
/// while last < 1000 {
///     last = std::future::poll_fn(|cx| numbers.poll_next(cx)).await;
/// }
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
#[inline]
pub fn poll_proceed(cx: &mut Context<'_>) -> Poll<RestoreOnPending> {
    budget::poll_proceed(cx).map(|()| RestoreOnPending { progress: Cell::new(false), not_send: PhantomData })
}

/// One unit of budget, taken by [`poll_proceed`]. Dropping the value returns the unit to the task,
/// unless [`made_progress`](Self::made_progress) was called.
#[must_use = "without `made_progress` the budget is not used up, and limits nothing"]
pub struct RestoreOnPending {
    progress: Cell<bool>,
    /// The budget is the thread's.
    not_send: PhantomData<*mut ()>,
}

impl RestoreOnPending {
    /// Spends the unit of budget, because the operation was ready. Further calls have no effect.
    pub fn made_progress(&self) {
        if !self.progress.replace(true) {
            budget::spend();
        }
    }
}

impl fmt::Debug for RestoreOnPending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RestoreOnPending").field("progress", &self.progress.get()).finish_non_exhaustive()
    }
}
