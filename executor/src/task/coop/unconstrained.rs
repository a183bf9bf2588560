//! Futures without a budget.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;
use wsrt_reactor::budget;

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
