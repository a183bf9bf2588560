//! Cancelling loops: a token that is checked at each claim, and the error of a cancelled loop.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use crate::util::sync::atomic::AtomicBool;
use crate::util::sync::atomic::Ordering::{Acquire, Release};

/// A token that stops parallel loops. All clones of a token share one state.
///
/// # Examples
///
/// ```
/// use wsrt::parallel::{self, CancelToken};
///
/// # let runtime = wsrt::runtime::Runtime::new().unwrap();
/// # runtime.block_on(async {
/// let found = CancelToken::new();
/// let searched = parallel::until(&found).for_each(0..1_000_000_u64, |n| {
///     if n * n == 1_522_756 {
///         found.cancel();
///     }
/// });
/// assert!(found.is_cancelled());
/// if let Err(stopped) = searched {
///     assert!(stopped.completed() < stopped.total());
/// }
/// # });
/// ```
#[derive(Debug, Clone, Default)]
pub struct CancelToken(Arc<AtomicBool>);

impl CancelToken {
    /// Creates a token that is not cancelled.
    ///
    /// # Examples
    ///
    /// ```
    /// let token = wsrt::parallel::CancelToken::new();
    /// assert!(!token.is_cancelled());
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels the token, which stops all loops that use it. A cancelled token cannot be reset.
    ///
    /// Each thread of a loop stops at its next claim: after about a microsecond, or when it has
    /// completed the items that it has already claimed.
    ///
    /// # Examples
    ///
    /// ```
    /// let token = wsrt::parallel::CancelToken::new();
    /// token.cancel();
    /// assert!(token.is_cancelled());
    /// ```
    pub fn cancel(&self) {
        // Release pairs with the Acquire in `is_cancelled`.
        self.0.store(true, Release);
    }

    /// Returns `true` if [`cancel`](CancelToken::cancel) was called on this token or a clone.
    ///
    /// # Examples
    ///
    /// ```
    /// let token = wsrt::parallel::CancelToken::new();
    /// let result = wsrt::parallel::until(&token).for_each(0..1000_u64, |n| {
    ///     if n == 10 {
    ///         token.cancel();
    ///     }
    /// });
    /// assert!(result.is_err() && token.is_cancelled());
    /// ```
    pub fn is_cancelled(&self) -> bool {
        // Acquire: a thread that sees the cancellation sees all writes before it.
        self.0.load(Acquire)
    }
}

/// The error returned when a loop was cancelled before all of its items were completed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cancelled {
    completed: usize,
    total: usize,
}

impl Cancelled {
    pub(super) fn new(completed: usize, total: usize) -> Self {
        Self { completed, total }
    }

    /// Returns the number of items that were completed. These items need not be the first ones.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::parallel::{CancelToken, until};
    ///
    /// let token = CancelToken::new();
    /// token.cancel();
    /// let cancelled = until(&token).for_each(0..1000_u64, |_| ()).unwrap_err();
    /// assert!(cancelled.completed() < cancelled.total());
    /// ```
    pub fn completed(&self) -> usize {
        self.completed
    }

    /// Returns the total number of items in the loop.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::parallel::{CancelToken, until};
    ///
    /// let token = CancelToken::new();
    /// token.cancel();
    /// let cancelled = until(&token).for_each(0..1000_u64, |_| ()).unwrap_err();
    /// assert_eq!(cancelled.total(), 1000);
    /// ```
    pub fn total(&self) -> usize {
        self.total
    }
}

impl fmt::Display for Cancelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cancelled after {} of {} items", self.completed, self.total)
    }
}

impl Error for Cancelled {}

/// Runs parallel loops that stop early when a token is cancelled. Returned by [`until`].
#[derive(Debug, Clone, Copy)]
pub struct Until<'a>(Option<&'a CancelToken>);

/// Returns an object with this module's loops, which stop early when `token` is cancelled.
///
/// If the token is cancelled after the last item was completed, the loop counts as complete.
///
/// # Examples
///
/// ```
/// use wsrt::parallel::{self, CancelToken};
///
/// let token = CancelToken::new();
/// assert!(parallel::until(&token).for_each(0..10_u64, drop).is_ok());
/// ```
pub fn until(token: &CancelToken) -> Until<'_> {
    Until(Some(token))
}

impl Until<'_> {
    /// Without a token: loops that run to their ends.
    pub(super) const END: Self = Self(None);

    #[inline]
    pub(super) fn is_cancelled(self) -> bool {
        self.0.is_some_and(CancelToken::is_cancelled)
    }
}
