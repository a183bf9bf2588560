//! `timeout`: limits the time that a future may take.

use std::future::{Future, IntoFuture};
use std::marker::PhantomPinned;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use pin_project_lite::pin_project;
use wsrt_reactor::budget;

use super::Instant;
use super::deadline::{Deadline, TimerSpan};
use super::error::Elapsed;

/// Waits for `future`, for `duration` at most, counted from this call.
///
/// The future is polled before the deadline is checked: if it is ready, its output counts, however
/// late it is. A future that never yields is not interrupted; the deadline is checked when its
/// polls return, even if they have used up the task's [budget](crate::task::coop). A duration that
/// the clock cannot count, such as [`Duration::MAX`], counts as some thirty years.
///
/// # Errors
///
/// Returns [`Elapsed`] if the deadline came first. That does not drop the future: it is dropped
/// with the [`Timeout`], which for `timeout(..).await` is at once.
///
/// # Panics
///
/// This function does not panic. The first poll that has to wait panics outside a wsrt runtime if
/// this call was outside one, too, and any poll that has to wait panics if the runtime has ended by
/// then.
///
/// # Cancel safety
///
/// It is as cancel safe as `future` is. The deadline has the effect of a cancellation: it drops
/// `future` wherever it waits.
///
/// # Examples
///
/// ```
/// use std::future::{pending, ready};
/// use std::time::Duration;
/// use wsrt::time::timeout;
///
/// # let runtime = wsrt::runtime::Runtime::new().unwrap();
/// # runtime.block_on(async {
/// assert_eq!(timeout(Duration::from_secs(1), ready(7)).await, Ok(7));
/// assert!(timeout(Duration::from_millis(1), pending::<()>()).await.is_err());
/// # });
/// ```
#[track_caller]
pub fn timeout<F: IntoFuture>(duration: Duration, future: F) -> Timeout<F::IntoFuture> {
    timeout_at(Instant::now().after(duration), future)
}

/// Waits for `future`, until `deadline` at the latest.
///
/// Like [`timeout`], whose notes apply, for several operations that share one deadline.
///
/// # Errors
///
/// Returns [`Elapsed`] if the deadline came first.
///
/// # Panics
///
/// This function does not panic. The first poll that has to wait panics outside a wsrt runtime if
/// this call was outside one, too, and any poll that has to wait panics if the runtime has ended by
/// then.
///
/// # Cancel safety
///
/// It is as cancel safe as `future` is.
///
/// # Examples
///
/// ```
/// use std::future::{pending, ready};
/// use std::time::Duration;
/// use wsrt::time::{Instant, timeout_at};
///
/// # let runtime = wsrt::runtime::Runtime::new().unwrap();
/// # runtime.block_on(async {
/// let deadline = Instant::now() + Duration::from_millis(5);
/// assert_eq!(timeout_at(deadline, ready("first")).await, Ok("first"));
/// assert!(timeout_at(deadline, pending::<()>()).await.is_err());
/// # });
/// ```
#[track_caller]
pub fn timeout_at<F: IntoFuture>(deadline: Instant, future: F) -> Timeout<F::IntoFuture> {
    let span = TimerSpan::new("Timeout", "Timeout::poll", "poll_elapsed");
    Timeout { future: future.into_future(), deadline: Deadline::new(deadline, span), _pinned: PhantomPinned }
}

pin_project! {
    /// The future of [`timeout`] and [`timeout_at`].
    ///
    /// No timer is armed before a poll has found the inner future pending. Once the deadline has
    /// passed, further polls still poll the inner future first.
    ///
    /// It is not `Unpin`, for the reason for which [`Sleep`](super::Sleep) is not: to poll it by
    /// reference, pin it with [`pin!`](std::pin::pin) or [`Box::pin`].
    #[derive(Debug)]
    #[must_use = "a timeout does nothing unless it is awaited"]
    pub struct Timeout<F> {
        #[pin]
        future: F,
        deadline: Deadline,
        #[pin]
        _pinned: PhantomPinned,
    }
}

impl<F> Timeout<F> {
    /// Returns the inner future.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// use std::time::Duration;
    ///
    /// let timeout = wsrt::time::timeout(Duration::from_secs(1), std::future::ready(7));
    /// assert_eq!(timeout.get_ref().clone().await, 7);
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    #[must_use]
    pub fn get_ref(&self) -> &F {
        &self.future
    }

    /// Returns the inner future, mutably.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// use std::time::Duration;
    ///
    /// let mut timeout = wsrt::time::timeout(Duration::from_secs(1), std::future::ready(7));
    /// *timeout.get_mut() = std::future::ready(8);
    /// assert_eq!(timeout.await.ok(), Some(8));
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    #[must_use]
    pub fn get_mut(&mut self) -> &mut F {
        &mut self.future
    }

    /// Takes the inner future out, without the deadline.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::future::ready;
    /// use std::time::Duration;
    /// use wsrt::time::timeout;
    ///
    /// # let runtime = wsrt::runtime::Runtime::new().unwrap();
    /// # runtime.block_on(async {
    /// let limited = timeout(Duration::ZERO, ready(7));
    /// assert_eq!(limited.into_inner().await, 7);
    /// # });
    /// ```
    #[must_use]
    pub fn into_inner(self) -> F {
        self.future
    }
}

impl<F: Future> Future for Timeout<F> {
    type Output = Result<F::Output, Elapsed>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let had_budget = budget::has_remaining();
        if let Poll::Ready(output) = this.future.poll(cx) {
            return Poll::Ready(Ok(output));
        }
        // A future that uses up the budget in each of its polls must not put off its deadline.
        let elapsed = if had_budget && !budget::has_remaining() {
            this.deadline.poll_unbudgeted(cx, "a `Timeout`")
        } else {
            this.deadline.poll(cx, "a `Timeout`")
        };
        elapsed.map(|()| Err(Elapsed::new()))
    }
}
