//! A foreign future, within the budget.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;
use wsrt_reactor::budget;

/// Makes `future` count against the task's budget: it takes a unit when it is ready, and yields
/// when none is left.
///
/// For sources that have no budget: channels, streams and locks of other crates. Around wsrt's own
/// futures it is not needed, and takes a second unit.
///
/// # Cancel safety
///
/// This is as cancel safe as `future` is: it is not polled without budget.
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
    /// The future of [`cooperative`].
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
