//! Asking for budget, by hand.

use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::task::{Context, Poll};

use wsrt_reactor::budget;

/// Returns `true` if the task has budget left. Always `true` where no budget applies.
///
/// For code that may stop early, such as a batch: it takes nothing and wakes no task.
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

/// Takes one unit of the budget, and yields first if none is left.
///
/// For loops that compute, or that await sources without a budget: once in each round. Unlike
/// [`yield_now`](crate::task::yield_now), it costs a few instructions where there is budget.
///
/// # Cancel safety
///
/// Nothing is lost if the future is dropped.
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

/// Returns ready if an operation may be tried. Otherwise wakes the task, which should return from
/// its poll.
///
/// For implementing futures and streams that are sources themselves. A unit is taken when
/// `made_progress` is called; a drop without that costs nothing.
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

/// A unit of budget that was taken by [`poll_proceed`], and is returned unless the operation makes
/// progress.
#[must_use = "without `made_progress` the budget is not used up, and limits nothing"]
pub struct RestoreOnPending {
    progress: Cell<bool>,
    /// The budget is the thread's.
    not_send: PhantomData<*mut ()>,
}

impl RestoreOnPending {
    /// Keeps the unit as spent, because the operation was ready. Only the first call counts.
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
