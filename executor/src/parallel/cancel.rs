//! Cancelling loops: their token is checked at each claim, and a cancelled loop returns an error.

use std::error::Error;
use std::fmt;

use wsrt_sync::CancellationToken;

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
    /// use wsrt::parallel::until;
    /// use wsrt::sync::CancellationToken;
    ///
    /// let token = CancellationToken::new();
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
    /// use wsrt::parallel::until;
    /// use wsrt::sync::CancellationToken;
    ///
    /// let token = CancellationToken::new();
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
pub struct Until<'a> {
    pub(super) token: Option<&'a CancellationToken>,
    pub(super) in_background: bool,
}

/// Returns an object with this module's loops, which stop early when `token` is cancelled.
///
/// Each thread of a loop stops at its next claim: after about a microsecond, or when it has
/// completed the items that it has already claimed. If the token is cancelled after the last item
/// was completed, the loop counts as complete.
///
/// # Examples
///
/// ```
/// use wsrt::parallel;
/// use wsrt::sync::CancellationToken;
///
/// # let runtime = wsrt::runtime::Runtime::new().unwrap();
/// # runtime.block_on(async {
/// let found = CancellationToken::new();
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
pub fn until(token: &CancellationToken) -> Until<'_> {
    Until { token: Some(token), in_background: false }
}

impl Until<'_> {
    /// Without a token: loops that run to their ends.
    pub(super) const END: Self = Self { token: None, in_background: false };

    #[inline]
    pub(super) fn is_cancelled(self) -> bool {
        self.token.is_some_and(CancellationToken::is_cancelled)
    }
}
