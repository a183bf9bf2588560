//! Cooperative scheduling: the budget of a poll, which makes tasks yield even if always ready.
//!
//! In a single poll, a task may find sockets, timers and join handles ready 128 times; a connection
//! that is accepted counts as four. After that, these operations return pending and wake the task.
//! The task then goes behind all other tasks that wait on its processor, and continues with a full
//! budget when its turn comes. No event is lost, and programs need no code for this.
//!
//! Types of other crates, such as their streams or the channels and locks of `tokio::sync`, do not
//! use the budget. In a loop over such types, wrap the future with [`cooperative()`], or call
//! [`consume_budget`] once per iteration.
//!
//! Only tasks, and futures passed to wsrt's own `block_on`, have a budget.
//!
//! # Differences from tokio
//!
//! Names and semantics are tokio's, with two improvements. First, another executor's
//! `block_on` inside a task polls again instead of yielding. In tokio such a loop hangs once the
//! budget is spent; in wsrt, it gets a new budget after 1024 refused polls. Second, a poll that
//! computes for long without using its budget does not delay other tasks, as
//! [`block_in_place`](crate::task::block_in_place) explains.
//!
//! # Examples
//!
//! ```
//! use wsrt::task::coop;
//!
//! # wsrt::runtime::Runtime::new()?.block_on(async {
//! # struct Receiver(u32);
//! # impl Receiver { async fn recv(&mut self) -> Option<u32> { self.0 = self.0.checked_sub(1)?; Some(self.0) } }
//! # let mut receiver = Receiver(1000);
//! # let mut sum = 0;
//! // However fast the other side of this channel sends, the task does not keep its processor.
//! while let Some(message) = coop::cooperative(receiver.recv()).await {
//!     sum += message;
//! }
//! # assert_eq!(sum, 499_500);
//! # });
//! # Ok::<(), std::io::Error>(())
//! ```

use std::cell::Cell;
use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;
use wsrt_reactor::budget;

/// Makes `future` count against the budget of the task that awaits it. The returned future takes
/// one unit of budget when `future` is ready, and yields to other tasks when no budget is left.
///
/// Use this function for channels, streams and locks of other crates, which have no budget of their
/// own. Futures of wsrt already count against the budget, and would take a second unit.
///
/// # Cancel safety
///
/// The returned future is as cancel safe as `future`, which is not polled while no budget is left.
///
/// # Examples
///
/// ```
/// use wsrt::task::coop::cooperative;
///
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// assert_eq!(cooperative(async { 7 }).await, 7);
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
#[inline]
pub fn cooperative<F: Future>(future: F) -> Coop<F> {
    Coop { future }
}

pin_project! {
    /// A future that counts against its task's budget. Returned by [`cooperative`].
    #[derive(Debug)]
    #[must_use = "futures do nothing unless they are awaited"]
    pub struct Coop<F> {
        #[pin]
        future: F,
    }
}

impl<F: Future> Future for Coop<F> {
    type Output = F::Output;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        budget::poll_spending(cx, |cx| self.project().future.poll(cx))
    }
}

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

/// Exempts `future` from the budget of its task.
///
/// The returned future is polled without a limit, so other tasks on the processor wait until
/// `future` itself returns pending. Its operations take nothing from the surrounding task's budget.
///
/// # Cancel safety
///
/// The returned future is as cancel safe as `future`.
///
/// # Examples
///
/// ```
/// use wsrt::task::coop::unconstrained;
///
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// assert_eq!(unconstrained(async { 7 }).await, 7);
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn unconstrained<F>(future: F) -> Unconstrained<F> {
    Unconstrained { future }
}

pin_project! {
    /// A future that is exempt from its task's budget. Returned by [`unconstrained`].
    #[derive(Debug)]
    #[must_use = "futures do nothing unless they are awaited"]
    pub struct Unconstrained<F> {
        #[pin]
        future: F,
    }
}

impl<F: Future> Future for Unconstrained<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let _outer = budget::keep();
        budget::lift();
        self.project().future.poll(cx)
    }
}
