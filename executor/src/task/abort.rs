//! The handle that can abort a task and nothing else.

use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};

use super::Id;
use super::reference::CountedRef;

/// Aborts a task, without owning its [`JoinHandle`](super::JoinHandle).
///
/// It can be cloned and sent to any thread, and it does not keep the task running or its future
/// alive: only the task's allocation stays until the last handle and the last waker are gone.
/// Dropping one does nothing to the task.
///
/// On a computer of 32 bits a task has 2^24 wakers and handles at most: a program that makes more
/// is aborted, with a message.
///
/// # Examples
///
/// ```
/// let runtime = wsrt::runtime::Runtime::new().unwrap();
/// runtime.block_on(async {
///     let handle = wsrt::spawn(std::future::pending::<()>());
///     let abort = handle.abort_handle();
///     abort.abort();
///     assert!(handle.await.unwrap_err().is_cancelled());
///     assert!(abort.is_finished());
/// });
/// ```
#[derive(Clone)]
pub struct AbortHandle(CountedRef);

impl AbortHandle {
    pub(super) fn new(task: CountedRef) -> Self {
        Self(task)
    }

    /// Cancels the task; see [`JoinHandle::abort`](super::JoinHandle::abort), which does the same.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let endless = wsrt::spawn(std::future::pending::<()>());
    /// let handle = endless.abort_handle();
    /// handle.abort();
    /// assert!(endless.await.unwrap_err().is_cancelled());
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub fn abort(&self) {
        self.0.abort();
    }

    /// Returns whether the task has ended: with an output, by a panic, or because it was cancelled.
    /// An aborted task may take a while to end.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let task = wsrt::spawn(async {});
    /// let handle = task.abort_handle();
    /// task.await?;
    /// assert!(handle.is_finished());
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.0.header().state.is_complete()
    }

    /// Returns the id of the task.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let task = wsrt::spawn(async {});
    /// assert_eq!(task.abort_handle().id(), task.id());
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    #[must_use]
    pub fn id(&self) -> Id {
        self.0.header().id
    }
}

// A handle shows nothing of the future, whatever a panic may have left of it.
impl UnwindSafe for AbortHandle {}
impl RefUnwindSafe for AbortHandle {}

impl fmt::Debug for AbortHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AbortHandle").field("id", &self.id()).finish_non_exhaustive()
    }
}
