//! `sleep`: a future that completes at a deadline.

use std::fmt;
use std::future::Future;
use std::marker::PhantomPinned;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use pin_project_lite::pin_project;

use super::Instant;
use super::deadline::{Deadline, TimerSpan};

/// Waits until `duration` has passed since this call.
///
/// The wait never ends early. A duration that is too long for the clock to represent, such as
/// [`Duration::MAX`], counts as about thirty years. A duration of zero completes on the first poll,
/// without yielding to other tasks.
///
/// # Panics
///
/// This function does not panic. The first poll of the future panics if neither the poll nor this
/// call is inside a wsrt runtime, and any poll panics if the runtime has already shut down.
///
/// # Cancel safety
///
/// Dropping the future cancels the wait and loses nothing else. To keep waiting for the same
/// deadline, keep the future and poll it through `&mut`, or create a new future with
/// [`sleep_until`].
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use wsrt::time::{Instant, sleep};
///
/// # let runtime = wsrt::runtime::Runtime::new().unwrap();
/// # runtime.block_on(async {
/// let began = Instant::now();
/// sleep(Duration::from_millis(5)).await;
/// assert!(began.elapsed() >= Duration::from_millis(5));
/// # });
/// ```
#[track_caller]
pub fn sleep(duration: Duration) -> Sleep {
    sleep_until(Instant::now().after(duration))
}

/// Waits until the instant `deadline`.
///
/// The wait never ends early. A deadline in the past completes on the first poll.
///
/// # Panics
///
/// This function does not panic. The first poll of the future panics if neither the poll nor this
/// call is inside a wsrt runtime, and any poll panics if the runtime has already shut down.
///
/// # Cancel safety
///
/// Dropping the future cancels the wait. A new future with the same deadline resumes the wait
/// without losing time.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use wsrt::time::{Instant, sleep_until};
///
/// # let runtime = wsrt::runtime::Runtime::new().unwrap();
/// # runtime.block_on(async {
/// let deadline = Instant::now() + Duration::from_millis(5);
/// sleep_until(deadline).await;
/// assert!(Instant::now() >= deadline);
/// # });
/// ```
#[track_caller]
pub fn sleep_until(deadline: Instant) -> Sleep {
    let span = TimerSpan::new("Sleep", "Sleep::new_timeout", "poll_elapsed");
    Sleep { deadline: Deadline::new(deadline, span), _pinned: PhantomPinned }
}

pin_project! {
    /// The future returned by [`sleep`] and [`sleep_until`].
    ///
    /// A `Sleep` is `Send` and `Sync`, and can be created, moved and dropped outside a runtime. The
    /// runtime of the first poll watches the deadline; a poll outside any runtime uses the runtime
    /// in which the `Sleep` was created. Polling a completed `Sleep` returns ready again.
    ///
    /// If the runtime that watches the deadline shuts down first, the waiting task is woken, and
    /// its next poll panics to report the shutdown, unless the task is dropped along with the
    /// runtime. After a [`reset`](Sleep::reset), the runtime of the next poll watches the deadline.
    ///
    /// A `Sleep` is not `Unpin`, like tokio's, so that a later version can store the timer inside
    /// the future. Pin the future with [`pin!`](std::pin::pin) or [`Box::pin`] to poll it by
    /// reference, as [`reset`](Sleep::reset) and `select!` require.
    ///
    /// # Examples
    ///
    /// A connection that closes when idle for too long, with one timer for its whole lifetime:
    ///
    /// ```
    /// use std::pin::pin;
    /// use std::time::Duration;
    /// use wsrt::time::{Instant, sleep};
    ///
    /// # let runtime = wsrt::runtime::Runtime::new().unwrap();
    /// # runtime.block_on(async {
    /// let limit = Duration::from_millis(5);
    /// let mut idle = pin!(sleep(limit));
    /// for _request in 0..3 {
    ///     idle.as_mut().reset(Instant::now() + limit);
    /// }
    /// idle.as_mut().await;
    /// assert!(idle.is_elapsed());
    /// # });
    /// ```
    #[must_use = "a sleep does nothing unless it is awaited"]
    pub struct Sleep {
        deadline: Deadline,
        #[pin]
        _pinned: PhantomPinned,
    }
}

impl Sleep {
    /// Returns the instant at which the wait ends.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wsrt::time::{Instant, sleep_until};
    ///
    /// let deadline = Instant::now() + Duration::from_secs(1);
    /// assert_eq!(sleep_until(deadline).deadline(), deadline);
    /// ```
    #[must_use]
    pub fn deadline(&self) -> Instant {
        self.deadline.instant()
    }

    /// Returns whether the wait is over, which means that the next poll completes.
    ///
    /// The answer comes from the timer and not from the clock, and therefore always agrees with
    /// polling. A `Sleep` that was never polled has no timer, and is not elapsed even if its
    /// deadline has passed.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// use std::time::Duration;
    /// use wsrt::time;
    ///
    /// let mut sleep = std::pin::pin!(time::sleep(Duration::from_millis(1)));
    /// assert!(!sleep.is_elapsed());
    /// sleep.as_mut().await;
    /// assert!(sleep.is_elapsed());
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    #[must_use]
    pub fn is_elapsed(&self) -> bool {
        self.deadline.has_passed()
    }

    /// Changes the deadline to `deadline`, whether or not the current wait is over. If `deadline`
    /// has already passed, the next poll completes.
    ///
    /// The timer is reused and nothing is allocated. A task that is already waiting is woken at the
    /// new deadline and need not poll again. The one exception is a call from outside the runtime
    /// that watches the deadline: the task is then woken immediately, and its next poll arms the
    /// timer in the task's own runtime.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::pin::pin;
    /// use std::time::Duration;
    /// use wsrt::time::{Instant, sleep};
    ///
    /// # let runtime = wsrt::runtime::Runtime::new().unwrap();
    /// # runtime.block_on(async {
    /// let mut wait = pin!(sleep(Duration::MAX));
    /// wait.as_mut().reset(Instant::now() + Duration::from_millis(1));
    /// wait.await;
    /// # });
    /// ```
    pub fn reset(self: Pin<&mut Self>, deadline: Instant) {
        self.project().deadline.set(deadline);
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.project().deadline.poll(cx, "a `Sleep`")
    }
}

impl fmt::Debug for Sleep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sleep").field("deadline", &self.deadline()).field("is_elapsed", &self.is_elapsed()).finish()
    }
}
