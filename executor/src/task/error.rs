//! `JoinError`: why a task has no output.

use std::any::Any;
use std::error::Error;
use std::panic::Location;
use std::{fmt, io};

use super::Id;
use crate::util::unwind::Payload;

/// The error returned when a task has no output, because the task panicked or was cancelled.
///
/// Awaiting a [`JoinHandle`](super::JoinHandle) returns this error. The `Display` output contains
/// the task's id and the location that spawned the task: `task 7 (spawned at src/main.rs:10:5)
/// panicked with message "boom"`.
///
/// # Examples
///
/// ```
/// let runtime = wsrt::runtime::Runtime::new().unwrap();
/// runtime.block_on(async {
///     let error = wsrt::spawn(async { panic!("boom") }).await.unwrap_err();
///     assert!(error.is_panic());
///     assert!(error.to_string().ends_with("panicked with message \"boom\""));
/// });
/// ```
pub struct JoinError {
    id: Id,
    spawned_at: &'static Location<'static>,
    cause: Cause,
}

enum Cause {
    Cancelled,
    Panic(Shareable),
}

/// The payload of a panic, which is Send but need not be Sync.
struct Shareable(Payload);

// SAFETY: a `&Shareable` reaches the payload only as a `&str` or a `String`, both of which are
// Sync. Other types are reached only by value.
unsafe impl Sync for Shareable {}

impl Shareable {
    fn message(&self) -> Option<&str> {
        panic_message(&*self.0)
    }
}

/// Returns the message of a panic, if its payload is text.
pub(crate) fn panic_message(payload: &(dyn Any + Send)) -> Option<&str> {
    payload.downcast_ref::<&'static str>().copied().or_else(|| payload.downcast_ref::<String>().map(String::as_str))
}

impl JoinError {
    pub(crate) fn cancelled(id: Id, spawned_at: &'static Location<'static>) -> Self {
        Self { id, spawned_at, cause: Cause::Cancelled }
    }

    pub(crate) fn panicked(id: Id, spawned_at: &'static Location<'static>, payload: Payload) -> Self {
        Self { id, spawned_at, cause: Cause::Panic(Shareable(payload)) }
    }

    /// Returns `true` if the task was cancelled, by [`abort`](super::JoinHandle::abort) or a
    /// shutdown.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let task = wsrt::spawn(std::future::pending::<()>());
    /// task.abort();
    /// match task.await {
    ///     Err(error) if error.is_cancelled() => println!("{error}"),
    ///     _ => unreachable!("it is pending forever"),
    /// }
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        matches!(self.cause, Cause::Cancelled)
    }

    /// Returns `true` if the task panicked, in a poll or while its future was dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// # std::panic::set_hook(Box::new(|_| {}));
    /// let task = wsrt::spawn(async { panic!("no such user") });
    /// let error = task.await.unwrap_err();
    /// assert!(error.is_panic() && !error.is_cancelled());
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    #[must_use]
    pub fn is_panic(&self) -> bool {
        matches!(self.cause, Cause::Panic(_))
    }

    /// Returns the id of the task that panicked or was cancelled.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let task = wsrt::spawn(std::future::pending::<()>());
    /// let id = task.id();
    /// task.abort();
    /// assert_eq!(task.await.unwrap_err().id(), id);
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    #[must_use]
    pub fn id(&self) -> Id {
        self.id
    }

    /// Returns the payload of the task's panic, for [`std::panic::resume_unwind`].
    ///
    /// # Panics
    ///
    /// Panics if the task did not panic. Call [`is_panic`](Self::is_panic) first, or use
    /// [`try_into_panic`](Self::try_into_panic), which returns an error instead.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new().unwrap();
    /// runtime.block_on(async {
    ///     let error = wsrt::spawn(async { panic!("boom") }).await.unwrap_err();
    ///     assert_eq!(error.into_panic().downcast_ref(), Some(&"boom"));
    /// });
    /// ```
    #[must_use]
    #[track_caller]
    pub fn into_panic(self) -> Box<dyn Any + Send + 'static> {
        match self.try_into_panic() {
            Ok(payload) => payload,
            Err(error) => panic!("`JoinError::into_panic` on an error that is no panic: {error}"),
        }
    }

    /// Returns the payload of the task's panic, for [`std::panic::resume_unwind`].
    ///
    /// # Errors
    ///
    /// Returns this error unchanged if the task was cancelled.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new().unwrap();
    /// runtime.block_on(async {
    ///     let error = wsrt::spawn(async { panic!("boom") }).await.unwrap_err();
    ///     assert!(error.try_into_panic().is_ok());
    /// });
    /// ```
    pub fn try_into_panic(self) -> Result<Box<dyn Any + Send + 'static>, Self> {
        match self.cause {
            Cause::Panic(Shareable(payload)) => Ok(payload),
            Cause::Cancelled => Err(self),
        }
    }
}

impl fmt::Display for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "task {} (spawned at {}) ", self.id, self.spawned_at)?;
        match &self.cause {
            Cause::Cancelled => f.write_str("was cancelled"),
            Cause::Panic(payload) => match payload.message() {
                Some(message) => write!(f, "panicked with message {message:?}"),
                None => f.write_str("panicked"),
            },
        }
    }
}

impl fmt::Debug for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (id, place) = (self.id, self.spawned_at);
        match &self.cause {
            Cause::Cancelled => write!(f, "JoinError::Cancelled({id:?}, spawned_at({place}))"),
            Cause::Panic(payload) => match payload.message() {
                Some(message) => write!(f, "JoinError::Panic({id:?}, spawned_at({place}), {message:?}, ...)"),
                None => write!(f, "JoinError::Panic({id:?}, spawned_at({place}), ...)"),
            },
        }
    }
}

impl Error for JoinError {}

impl From<JoinError> for io::Error {
    /// Wraps the error, as one of kind [`Other`](io::ErrorKind::Other): the [`JoinError`] inside
    /// shows whether it was a cancellation or a panic.
    fn from(error: JoinError) -> Self {
        Self::other(error)
    }
}
