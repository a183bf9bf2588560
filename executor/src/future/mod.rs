//! Methods of every future, and futures that end even if nobody waits for them.

mod shield;

use std::future::Future;
use std::time::Duration;

use wsrt_sync::CancellationToken;

pub use self::shield::{Shield, shield};
use crate::time::{Instant, Timeout, timeout, timeout_at};

/// Limits of a future, written behind it instead of around it. Implemented for every future.
///
/// # Names of other crates
///
/// The traits `FutureExt` of futures-util and futures-lite have no method of these names. To use
/// two traits together, import one as `_`:
///
/// ```
/// # mod futures { pub trait FutureExt: std::future::Future {} }
/// use futures::FutureExt;
/// use wsrt::future::FutureExt as _;
/// ```
///
/// tokio-util's `FutureExt` has a `timeout` and a `timeout_at` of its own. In a module that imports
/// both traits, the compiler refuses the methods: call [`timeout`](fn@crate::time::timeout) as a
/// function there. The drop-in for tokio has neither trait, as tokio has none.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use wsrt::future::FutureExt;
/// use wsrt::sync::CancellationToken;
///
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let token = CancellationToken::new();
/// let answer = async { 7 }.timeout(Duration::from_secs(1)).until_cancelled(&token).await;
/// assert_eq!(answer, Some(Ok(7)));
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
pub trait FutureExt: Future {
    /// Waits for the future to complete, for at most `duration` from this call on, like the
    /// function [`timeout`](fn@crate::time::timeout).
    ///
    /// # Errors
    ///
    /// Returns [`Elapsed`](crate::time::error::Elapsed) if the time passes first.
    ///
    /// # Cancel safety
    ///
    /// The returned future is as cancel safe as this one.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::future::pending;
    /// use std::time::Duration;
    /// use wsrt::future::FutureExt;
    ///
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// assert!(pending::<()>().timeout(Duration::from_millis(1)).await.is_err());
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[track_caller]
    fn timeout(self, duration: Duration) -> Timeout<Self>
    where
        Self: Sized,
    {
        timeout(duration, self)
    }

    /// Waits for the future to complete, until the instant `deadline` at the latest, like the
    /// function [`timeout_at`](fn@crate::time::timeout_at).
    ///
    /// # Errors
    ///
    /// Returns [`Elapsed`](crate::time::error::Elapsed) if the deadline passes first.
    ///
    /// # Cancel safety
    ///
    /// The returned future is as cancel safe as this one.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::future::{pending, ready};
    /// use std::time::Duration;
    /// use wsrt::future::FutureExt;
    /// use wsrt::time::Instant;
    ///
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let deadline = Instant::now() + Duration::from_millis(1);
    /// assert_eq!(ready("first").timeout_at(deadline).await, Ok("first"));
    /// assert!(pending::<()>().timeout_at(deadline).await.is_err());
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[track_caller]
    fn timeout_at(self, deadline: Instant) -> Timeout<Self>
    where
        Self: Sized,
    {
        timeout_at(deadline, self)
    }

    /// Waits for the future to complete, or returns `None` if `token` is cancelled first, like
    /// [`run_until_cancelled`](CancellationToken::run_until_cancelled).
    ///
    /// # Cancel safety
    ///
    /// The returned future is as cancel safe as this one.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::future::pending;
    /// use wsrt::future::FutureExt;
    /// use wsrt::sync::CancellationToken;
    ///
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let token = CancellationToken::new();
    /// token.cancel();
    /// assert_eq!(pending::<()>().until_cancelled(&token).await, None);
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    fn until_cancelled(self, token: &CancellationToken) -> impl Future<Output = Option<Self::Output>>
    where
        Self: Sized,
    {
        token.run_until_cancelled(self)
    }
}

impl<F: Future> FutureExt for F {}
