//! Guards that cancel a token when they are dropped.

use super::CancellationToken;

/// Cancels a token when it is dropped. Returned by [`CancellationToken::drop_guard`].
#[derive(Debug)]
#[must_use = "a guard that is dropped at once cancels the token"]
pub struct DropGuard {
    /// `None` once the guard is disarmed.
    token: Option<CancellationToken>,
}

/// Cancels a borrowed token when it is dropped. Returned by [`CancellationToken::drop_guard_ref`].
#[derive(Debug)]
#[must_use = "a guard that is dropped at once cancels the token"]
pub struct DropGuardRef<'a> {
    /// `None` once the guard is disarmed.
    token: Option<&'a CancellationToken>,
}

impl DropGuard {
    pub(super) fn new(token: CancellationToken) -> Self {
        Self { token: Some(token) }
    }

    /// Returns the token, which is not cancelled.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let guard = wsrt::sync::CancellationToken::new().drop_guard();
    /// let token = guard.disarm();
    /// assert!(!token.is_cancelled());
    /// ```
    #[must_use]
    pub fn disarm(mut self) -> CancellationToken {
        self.token.take().expect("only this method, which consumes the guard, takes the token")
    }
}

impl<'a> DropGuardRef<'a> {
    pub(super) fn new(token: &'a CancellationToken) -> Self {
        Self { token: Some(token) }
    }

    /// Returns the token, which is not cancelled.
    #[must_use]
    pub fn disarm(mut self) -> &'a CancellationToken {
        self.token.take().expect("only this method, which consumes the guard, takes the token")
    }
}

impl Drop for DropGuard {
    fn drop(&mut self) {
        self.token.iter().for_each(CancellationToken::cancel);
    }
}

impl Drop for DropGuardRef<'_> {
    fn drop(&mut self) {
        self.token.into_iter().for_each(CancellationToken::cancel);
    }
}
