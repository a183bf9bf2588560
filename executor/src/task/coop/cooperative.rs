//! Makes futures of other crates count against the budget.

use std::future::Future;
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
