//! A cell that is written at most once, by the first task that needs its value.

use crate::budget;
use crate::once_value::OnceValue;
use crate::semaphore::{Semaphore, SemaphorePermit, TryAcquireError};
use crate::sync::const_fn;
use crate::wait::WaitKind;
use std::convert::Infallible;
use std::error::Error;
use std::fmt;
use std::future::Future;
use std::panic::{RefUnwindSafe, UnwindSafe};

/// A cell whose value is computed by a future when it is first needed, and never changes
/// afterwards.
///
/// Tasks that need the value at the same time wait for a single computation. If the computation
/// fails, panics or is dropped, the next waiting task runs its own.
///
/// # Examples
///
/// ```
/// # mod wsrt { pub use wsrt_sync as sync; }
/// # wsrt_sync::blocking::block_on(async {
/// use wsrt::sync::OnceCell;
///
/// static GREETING: OnceCell<String> = OnceCell::const_new();
///
/// let greeting = GREETING.get_or_init(|| async { "hello".to_owned() }).await;
/// assert_eq!(greeting, "hello");
/// # });
/// ```
pub struct OnceCell<T> {
    value: OnceValue<T>,
    /// The semaphore's single permit is the right to compute the value. Closed once the value is
    /// set.
    right: Semaphore,
}

/// The error returned by [`OnceCell::set`]. It contains the value that was not set.
#[derive(Debug, PartialEq, Eq)]
pub enum SetError<T> {
    /// The cell already contains a value.
    AlreadyInitializedError(T),
    /// Another task is currently computing the value.
    InitializingError(T),
}

impl<T> OnceCell<T> {
    const_fn! {
        /// Creates an empty cell.
        ///
        /// # Examples
        ///
        /// ```
        /// # mod wsrt { pub use wsrt_sync as sync; }
        /// # wsrt_sync::blocking::block_on(async {
        /// let config = wsrt::sync::OnceCell::new();
        /// assert_eq!(*config.get_or_init(|| async { 7 }).await, 7);
        /// # });
        /// ```
        #[must_use]
        #[track_caller]
        pub fn new() -> Self {
            Self { value: OnceValue::new(), right: Semaphore::new(1) }
        }
    }

    const_fn! {
        /// Creates an empty cell in a constant or static. [`new`](OnceCell::new) is `const` as
        /// well.
        ///
        /// # Examples
        ///
        /// ```
        /// # mod wsrt { pub use wsrt_sync as sync; }
        /// # wsrt_sync::blocking::block_on(async {
        /// static CONFIG: wsrt::sync::OnceCell<u32> = wsrt::sync::OnceCell::const_new();
        ///
        /// assert_eq!(*CONFIG.get_or_init(|| async { 7 }).await, 7);
        /// # });
        /// ```
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
        /// use wsrt::sync::OnceCell;
        ///
        /// static ANSWER: OnceCell<u32> = OnceCell::const_new_with(42);
        ///
        /// assert_eq!(ANSWER.get(), Some(&42));
        /// ```
        #[must_use]
        #[track_caller]
        pub fn const_new_with(value: T) -> Self {
            Self { value: OnceValue::Preset(value), right: Semaphore::new(1) }
        }
    }

    /// Creates a cell that contains the given value, or an empty cell if `value` is `None`.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let config = wsrt::sync::OnceCell::new_with(Some(7));
    /// assert_eq!(config.get(), Some(&7));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn new_with(value: Option<T>) -> Self {
        let cell = Self::new();
        if let Some(value) = value {
            cell.fill(value);
        }
        cell
    }

    /// Returns `true` if the cell contains a value.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let config = wsrt::sync::OnceCell::<u32>::new();
    /// assert!(!config.initialized());
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
    /// use wsrt::sync::OnceCell;
    ///
    /// let cell = OnceCell::new();
    /// assert_eq!((cell.get(), cell.initialized()), (None, false));
    /// cell.set(7).unwrap();
    /// assert_eq!((cell.get(), cell.initialized()), (Some(&7), true));
    /// ```
    #[must_use]
    pub fn get(&self) -> Option<&T> {
        self.value.get()
    }

    /// Returns a mutable reference to the value, or `None` if the cell is empty.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let mut config = wsrt::sync::OnceCell::new_with(Some(7));
    /// *config.get_mut().expect("it has a value") += 1;
    /// assert_eq!(config.get(), Some(&8));
    /// ```
    #[must_use]
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.value.get_mut()
    }

    /// Sets the value of an empty cell.
    ///
    /// # Errors
    ///
    /// Returns `value` in a [`SetError`] if the cell already contains a value, or if a task is
    /// currently computing one.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::OnceCell;
    ///
    /// let cell = OnceCell::new();
    /// assert_eq!(cell.set(1), Ok(()));
    /// assert!(cell.set(2).unwrap_err().is_already_init_err());
    /// assert_eq!(cell.get(), Some(&1));
    /// ```
    pub fn set(&self, value: T) -> Result<(), SetError<T>> {
        if self.initialized() {
            return Err(SetError::AlreadyInitializedError(value));
        }
        match self.right.try_acquire() {
            Ok(right) => {
                self.fill_by(right, value);
                Ok(())
            }
            Err(TryAcquireError::NoPermits) => Err(SetError::InitializingError(value)),
            Err(TryAcquireError::Closed) => Err(SetError::AlreadyInitializedError(value)),
        }
    }

    /// Returns the value, or computes it first with the future returned by `init` if the cell is
    /// empty.
    ///
    /// A single task runs its `init`; tasks that call the method in the meantime wait for the
    /// value.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped while it runs `init`, the cell stays empty and the next waiting
    /// task runs its own `init`.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// use wsrt::sync::OnceCell;
    ///
    /// let cell = OnceCell::new();
    /// assert_eq!(*cell.get_or_init(async || 1).await, 1);
    /// assert_eq!(*cell.get_or_init(async || 2).await, 1);
    /// # });
    /// ```
    pub async fn get_or_init<F, Fut>(&self, init: F) -> &T
    where
        F: FnOnce() -> Fut,
        Fut: Future<Output = T>,
    {
        match self.get_or_try_init(|| async { Ok::<T, Infallible>(init().await) }).await {
            Ok(value) => value,
            Err(never) => match never {},
        }
    }

    /// Returns the value, or computes it first with the fallible future returned by `init` if the
    /// cell is empty.
    ///
    /// A single task runs its `init`; tasks that call the method in the meantime wait for the
    /// value.
    ///
    /// # Errors
    ///
    /// Returns the error of the computation. The cell then stays empty, and the next waiting task
    /// runs its own `init`.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped while it runs `init`, the cell stays empty and the next waiting
    /// task runs its own `init`.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// use wsrt::sync::OnceCell;
    ///
    /// let cell = OnceCell::new();
    /// assert_eq!(cell.get_or_try_init(|| async { Err("not yet") }).await, Err("not yet"));
    /// assert_eq!(cell.get_or_try_init(|| async { Ok::<_, &str>(1) }).await, Ok(&1));
    /// # });
    /// ```
    pub async fn get_or_try_init<E, F, Fut>(&self, init: F) -> Result<&T, E>
    where
        F: FnOnce() -> Fut,
        Fut: Future<Output = Result<T, E>>,
    {
        if let Some(value) = self.get() {
            budget::consume().await;
            return Ok(value);
        }
        let Ok(right) = self.right.take_as(1, WaitKind::OnceCell).await else {
            return Ok(self.get().expect("the right is closed once the value is there"));
        };
        let value = init().await?;
        Ok(self.fill_by(right, value))
    }

    /// Consumes the cell and returns the value, or `None` if the cell is empty.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let config = wsrt::sync::OnceCell::new_with(Some(7));
    /// assert_eq!(config.into_inner(), Some(7));
    /// ```
    #[must_use]
    pub fn into_inner(self) -> Option<T> {
        self.value.into_inner()
    }

    /// Takes the value out and leaves the cell empty. Returns `None` if the cell was empty.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::OnceCell;
    ///
    /// let mut cell = OnceCell::new_with(Some(7));
    /// assert_eq!(cell.take(), Some(7));
    /// assert!(!cell.initialized());
    /// ```
    pub fn take(&mut self) -> Option<T> {
        std::mem::take(self).into_inner()
    }

    fn fill_by(&self, right: SemaphorePermit<'_>, value: T) -> &T {
        right.forget();
        self.fill(value)
    }

    /// Sets the value. The caller holds the right to compute it.
    fn fill(&self, value: T) -> &T {
        let is_first = self.value.set(value).is_ok();
        debug_assert!(is_first, "one at a time has the right, and none after the first value");
        self.right.close();
        self.value.get().expect("it was just set")
    }
}

impl<T> Default for OnceCell<T> {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for OnceCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnceCell").field("value", &self.get()).finish()
    }
}

impl<T: Clone> Clone for OnceCell<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        Self::new_with(self.get().cloned())
    }
}

impl<T: PartialEq> PartialEq for OnceCell<T> {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl<T: Eq> Eq for OnceCell<T> {}

impl<T> From<T> for OnceCell<T> {
    #[track_caller]
    fn from(value: T) -> Self {
        Self::new_with(Some(value))
    }
}

impl<T: UnwindSafe> UnwindSafe for OnceCell<T> {}
impl<T: RefUnwindSafe + UnwindSafe> RefUnwindSafe for OnceCell<T> {}

impl<T> SetError<T> {
    /// Returns `true` if the cell already contained a value.
    #[must_use]
    pub fn is_already_init_err(&self) -> bool {
        matches!(self, Self::AlreadyInitializedError(_))
    }

    /// Returns `true` if another task was computing the value.
    #[must_use]
    pub fn is_initializing_err(&self) -> bool {
        matches!(self, Self::InitializingError(_))
    }
}

impl<T> fmt::Display for SetError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AlreadyInitializedError(_) => "AlreadyInitializedError",
            Self::InitializingError(_) => "InitializingError",
        })
    }
}

impl<T: fmt::Debug> Error for SetError<T> {}
