//! `sleep`: a future that is ready from a deadline on.

use std::fmt;
use std::future::Future;
use std::marker::PhantomPinned;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use pin_project_lite::pin_project;

use super::Instant;
use super::deadline::{Deadline, TimerSpan};

/// Waits for `duration`, counted from this call.
///
/// It is never early. A duration that the clock cannot count, such as [`Duration::MAX`], counts
/// as some thirty years. A duration of zero is ready at the first poll, without a yield to other
/// tasks.
///
/// # Panics
///
/// This function does not panic. The first poll panics outside a wsrt runtime if this call was
/// outside one, too, and any poll panics if the runtime has ended by then.
///
/// # Cancel safety
///
/// Dropping the future cancels the wait; nothing else is lost. To continue to wait for the same
/// moment, keep it and poll `&mut` it, or make another with [`sleep_until`].
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

/// Waits until `deadline`.
///
/// It is never early; a deadline in the past is ready at the first poll.
///
/// # Panics
///
/// This function does not panic. The first poll panics outside a wsrt runtime if this call was
/// outside one, too, and any poll panics if the runtime has ended by then.
///
/// # Cancel safety
///
/// Dropping the future cancels the wait. Another one for the same deadline loses no time.
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
    /// The future of [`sleep`] and [`sleep_until`].
    ///
    /// It is `Send` and `Sync`, and may be made, moved and dropped outside a runtime. The timers of
    /// the runtime in which it is first polled watch the deadline, or those of the runtime in which
    /// it was made if it is polled outside any. Polled again once it is ready, it is ready
    /// again.
    ///
    /// If that runtime ends first, the task that waits is woken, and its next poll panics to report
    /// it, unless the task ends with the runtime anyway. After a [`reset`](Sleep::reset), the
    /// runtime in which it is polled next watches the deadline.
    ///
    /// It is not `Unpin`, as tokio's is not, so that the timer may one day live inside it: to poll
    /// it by reference, as [`reset`](Sleep::reset) and `select!` want, pin it with
    /// [`pin!`](std::pin::pin) or [`Box::pin`].
    ///
    /// # Examples
    ///
    /// A connection that is closed after some idle time, with one timer for its whole life:
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
    /// Returns the deadline.
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

    /// Returns whether the wait is over: the next poll will be ready.
    ///
    /// The answer comes from the timer, not from the clock, so that it agrees with polling. A sleep
    /// that was never polled has no timer, and is not over even if its deadline has passed.
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

    /// Sets the deadline to `deadline`, whether the wait under way is over or not. When `deadline`
    /// has passed, the next poll is ready.
    ///
    /// The timer is used again and nothing is allocated. A task that waits already is woken at the
    /// new deadline and need not poll again for that. The one exception is a call from outside the
    /// runtime whose timers watch the deadline: then the task is woken at once, and its next poll
    /// arms the timer, in the task's own runtime.
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
