//! `timeout`: limits how long a future may take. And `deadline`: when the limit of the code that
//! asks will be over.

use std::error::Error;
use std::future::{Future, IntoFuture};
use std::marker::PhantomPinned;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use std::{fmt, io};

use pin_project_lite::pin_project;
use wsrt_reactor::budget;
use wsrt_sync::drop_in::ELAPSED;

use crate::observe::futurelocks::ended_by_timeout;
use crate::scheduler;
use crate::sysmon::reporter;
use crate::task::{deadline_here, within_deadline};
use crate::time::Instant;
use crate::time::deadline::{Deadline, TimerSpan};
use crate::util::report::{ReportKind, report};

/// Waits for `future` to complete, for at most `duration` from this call on.
///
/// The future is polled before the deadline is checked: if the future is ready, its output is
/// returned, no matter how late. A future that never yields is not interrupted. The deadline is
/// checked after each poll, even if the poll used up the task's [budget](crate::task::coop). A
/// duration that is too long for the clock to represent, such as [`Duration::MAX`], counts as about
/// thirty years.
///
/// Code inside `future` sees the deadline with [`deadline()`](super::deadline()), and so do the
/// tasks that it spawns.
///
/// # Errors
///
/// Returns [`Elapsed`] if the deadline passes first. The error does not drop the future: the inner
/// future is dropped together with the [`Timeout`], which happens immediately for
/// `timeout(..).await`.
///
/// # Panics
///
/// This function does not panic. The first poll that has to wait panics if neither the poll nor
/// this call is inside a wsrt runtime, and any poll that has to wait panics if the runtime has
/// already shut down.
///
/// # Cancel safety
///
/// A timeout is as cancel safe as `future`. When the deadline passes, `future` is cancelled at
/// whatever point it is waiting.
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

/// Waits for `future` to complete, until the instant `deadline` at the latest.
///
/// Use `timeout_at` when several operations share one deadline. Otherwise, it behaves like
/// [`timeout`].
///
/// # Errors
///
/// Returns [`Elapsed`] if the deadline passes first.
///
/// # Panics
///
/// This function does not panic. The first poll that has to wait panics if neither the poll nor
/// this call is inside a wsrt runtime, and any poll that has to wait panics if the runtime has
/// already shut down.
///
/// # Cancel safety
///
/// A timeout is as cancel safe as `future`.
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
    /// The future returned by [`timeout`] and [`timeout_at`].
    ///
    /// No timer is armed until a poll finds the inner future pending. After the deadline has
    /// passed, further polls still poll the inner future first.
    ///
    /// A `Timeout` is not `Unpin`, for the same reason as [`Sleep`](super::Sleep). Pin it with
    /// [`pin!`](std::pin::pin) or [`Box::pin`] to poll it by reference.
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
    /// Returns a shared reference to the inner future.
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

    /// Returns a mutable reference to the inner future.
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

    /// Consumes the timeout and returns the inner future, which then has no deadline.
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
        let deadline = this.deadline.instant().into_std();
        if let Poll::Ready(output) = within_deadline(deadline, || this.future.poll(cx)) {
            return Poll::Ready(Ok(output));
        }
        // A future that uses up the budget in each of its polls must not put off its deadline.
        let elapsed = if had_budget && !budget::has_remaining() {
            this.deadline.poll_unbudgeted(cx, "a `Timeout`")
        } else {
            this.deadline.poll(cx, "a `Timeout`")
        };
        elapsed.map(|()| {
            report_futurelock();
            Err(Elapsed::new())
        })
    }
}

/// Returns the instant by which the calling code must be done: the earliest deadline of the
/// [`timeout`](super::timeout())s and [`timeout_at`]s that the code is in. Returns `None` if there
/// is no deadline.
///
/// Tasks and blocking jobs that are spawned inside a timeout inherit its deadline, as described for
/// [`task_local!`](crate::task_local). The deadline is information for the code: only the timeout's
/// own future is dropped when it passes, and a spawned task keeps running. Use the deadline to pass
/// the time that is left to another server or to a blocking call, and to give up early when too
/// little time is left.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use wsrt::time::{Instant, deadline, timeout};
///
/// /// What a request to another server says about the time that the server may take.
/// fn time_left() -> Option<Duration> {
///     deadline().map(|deadline| deadline.saturating_duration_since(Instant::now()))
/// }
///
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// assert_eq!(time_left(), None);
/// let left = timeout(Duration::from_secs(5), async {
///     // An inner limit narrows the outer one, and never widens it.
///     let inner = timeout(Duration::from_secs(60), async { time_left() }).await?;
///     let in_task = wsrt::spawn(async { time_left() }).await?;
///     Ok::<_, Box<dyn std::error::Error>>([inner, in_task])
/// });
/// for left in left.await?? {
///     assert!(left.is_some_and(|left| left <= Duration::from_secs(5)));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn deadline() -> Option<Instant> {
    deadline_here().map(Instant::from_std)
}

/// Reports the futurelock that the timeout has ended, if any.
#[cold]
fn report_futurelock() {
    let Some(text) = ended_by_timeout() else { return };
    match scheduler::Context::current_scheduler() {
        Some(scheduler) => reporter::report(&scheduler, ReportKind::Futurelock, text),
        None => report(format_args!("{text}")),
    }
}

/// The error returned when a [`timeout`](super::timeout()) elapses before its future completes.
///
/// The error converts into an [`io::Error`] of kind [`TimedOut`](io::ErrorKind::TimedOut), so `?`
/// works in functions that return I/O errors.
///
/// # Examples
///
/// ```
/// use std::io;
/// use std::time::Duration;
/// use wsrt::time::timeout;
///
/// async fn answer() -> io::Result<u32> {
///     let forever = std::future::pending::<u32>();
///     Ok(timeout(Duration::from_millis(1), forever).await?)
/// }
///
/// # let runtime = wsrt::runtime::Runtime::new().unwrap();
/// let error = runtime.block_on(answer()).unwrap_err();
/// assert_eq!(error.kind(), io::ErrorKind::TimedOut);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elapsed(());

impl Elapsed {
    pub(super) const fn new() -> Self {
        Self(())
    }
}

impl fmt::Display for Elapsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(ELAPSED)
    }
}

impl Error for Elapsed {}

impl From<Elapsed> for io::Error {
    fn from(elapsed: Elapsed) -> Self {
        Self::new(io::ErrorKind::TimedOut, elapsed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_elapsed_timeout_is_an_io_error_that_carries_it() {
        let error = io::Error::from(Elapsed::new());
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert_eq!(error.to_string(), ELAPSED);
        assert!(error.get_ref().is_some_and(|inner| inner.is::<Elapsed>()));
    }
}
