//! A cell that is written at most once, and whose value tasks can wait for.

use crate::budget;
use crate::notify::Notify;
use crate::once_value::OnceValue;
use crate::sync::const_fn;
use crate::wait::WaitKind;
use std::error::Error;
use std::fmt;
use std::pin::pin;

/// A cell that is set at most once, and lets any number of tasks wait for its value.
///
/// Unlike [`OnceCell`](crate::OnceCell), the waiting tasks do not compute the value: another task
/// calls [`set`](SetOnce::set).
///
/// # Examples
///
/// ```
/// # mod wsrt { pub use wsrt_sync as sync; }
/// # wsrt_sync::blocking::block_on(async {
/// use wsrt::sync::SetOnce;
///
/// static PORT: SetOnce<u16> = SetOnce::const_new();
///
/// std::thread::spawn(|| PORT.set(8080));
/// assert_eq!(*PORT.wait().await, 8080);
/// # });
/// ```
pub struct SetOnce<T> {
    value: OnceValue<T>,
    set: Notify,
}

/// The error returned by [`SetOnce::set`] if the cell already contains a value. It contains the
/// value that was not set.
#[derive(Debug, PartialEq, Eq)]
pub struct SetOnceError<T>(pub T);

impl<T> SetOnce<T> {
    const_fn! {
        /// Creates an empty cell.
        ///
        /// # Examples
        ///
        /// ```
        /// # mod wsrt { pub use wsrt_sync as sync; }
        /// # wsrt_sync::blocking::block_on(async {
        /// let ready = wsrt::sync::SetOnce::new();
        /// ready.set(7).expect("it was empty");
        /// assert_eq!(*ready.wait().await, 7);
        /// # });
        /// ```
        #[must_use]
        #[track_caller]
        pub fn new() -> Self {
            Self { value: OnceValue::new(), set: Notify::new() }
        }
    }

    const_fn! {
        /// Creates an empty cell in a constant or static. [`new`](SetOnce::new) is `const` as well.
        #[must_use]
        #[track_caller]
        pub fn const_new() -> Self {
            Self::new()
        }
    }

    const_fn! {
        /// Creates a cell that contains `value`, for use in constants and statics.
        ///
        /// # Examples
        ///
        /// ```
        /// # mod wsrt { pub use wsrt_sync as sync; }
        /// use wsrt::sync::SetOnce;
        ///
        /// static ANSWER: SetOnce<u32> = SetOnce::const_new_with(42);
        ///
        /// assert_eq!(ANSWER.get(), Some(&42));
        /// ```
        #[must_use]
        #[track_caller]
        pub fn const_new_with(value: T) -> Self {
            Self { value: OnceValue::Preset(value), set: Notify::new() }
        }
    }

    /// Creates a cell that contains the given value, or an empty cell if `value` is `None`.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let ready = wsrt::sync::SetOnce::new_with(Some(7));
    /// assert_eq!(ready.get(), Some(&7));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn new_with(value: Option<T>) -> Self {
        Self { value: value.map_or_else(OnceValue::new, OnceValue::Preset), set: Notify::new() }
    }

    /// Returns `true` if the cell contains a value.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let ready = wsrt::sync::SetOnce::<u32>::new();
    /// assert!(!ready.initialized());
    /// ```
    #[must_use]
    pub fn initialized(&self) -> bool {
        self.value.get().is_some()
    }

    /// Returns the value, or `None` if the cell is empty.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::SetOnce;
    ///
    /// let value = SetOnce::new();
    /// assert_eq!((value.get(), value.initialized()), (None, false));
    /// value.set(7).unwrap();
    /// assert_eq!((value.get(), value.initialized()), (Some(&7), true));
    /// ```
    #[must_use]
    pub fn get(&self) -> Option<&T> {
        self.value.get()
    }

    /// Sets the value, and wakes all tasks that wait for it.
    ///
    /// # Errors
    ///
    /// Returns `value` in a [`SetOnceError`] if the cell already contains a value.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::SetOnce;
    ///
    /// let cell = SetOnce::new();
    /// assert!(cell.set(1).is_ok());
    /// assert_eq!(cell.set(2).unwrap_err().0, 2);
    /// ```
    pub fn set(&self, value: T) -> Result<(), SetOnceError<T>> {
        self.value.set(value).map_err(SetOnceError)?;
        self.set.notify_waiters();
        Ok(())
    }

    /// Consumes the cell and returns the value, or `None` if the cell is empty.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let ready = wsrt::sync::SetOnce::new_with(Some(7));
    /// assert_eq!(ready.into_inner(), Some(7));
    /// ```
    #[must_use]
    pub fn into_inner(self) -> Option<T> {
        self.value.into_inner()
    }

    /// Waits until the value has been set, and returns a reference to it.
    ///
    /// If the cell already contains a value, the method does not wait.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe: dropping the future before it completes has no effect on the
    /// cell.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// use wsrt::sync::SetOnce;
    ///
    /// let cell = SetOnce::new_with(Some(1));
    /// assert_eq!(*cell.wait().await, 1);
    /// # });
    /// ```
    pub async fn wait(&self) -> &T {
        // Made before the look, so that a value that is set after the look wakes it.
        let set = pin!(self.set.notified_as(WaitKind::SetOnce));
        if let Some(value) = self.get() {
            budget::consume().await;
            return value;
        }
        set.await;
        self.get().expect("it is set before its waiters are notified")
    }
}

impl<T> Default for SetOnce<T> {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for SetOnce<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SetOnce").field("value", &self.get()).finish()
    }
}

impl<T: Clone> Clone for SetOnce<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        Self::new_with(self.get().cloned())
    }
}

impl<T: PartialEq> PartialEq for SetOnce<T> {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl<T: Eq> Eq for SetOnce<T> {}

impl<T> From<T> for SetOnce<T> {
    #[track_caller]
    fn from(value: T) -> Self {
        Self::new_with(Some(value))
    }
}

impl<T> fmt::Display for SetOnceError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SetOnceError")
    }
}

impl<T: fmt::Debug> Error for SetOnceError<T> {}
