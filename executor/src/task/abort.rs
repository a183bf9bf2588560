//! `AbortHandle`: a handle that can only abort a task.

use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};

use super::Id;
use super::reference::CountedRef;

/// A handle that can abort a task without owning the task's [`JoinHandle`](super::JoinHandle).
///
/// The handle can be cloned and sent to other threads. Dropping it has no effect on the task. An
/// abort handle does not keep the task's future alive: only the memory of the task stays allocated
/// until the last handle and the last waker are dropped.
///
/// On 32-bit targets, a task can have at most 2^24 wakers and handles. A program that exceeds this
/// limit is aborted with a message.
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

    /// Aborts the task. The effect is the same as that of
    /// [`JoinHandle::abort`](super::JoinHandle::abort): the task is cancelled at the `await` where
    /// it waits, or after its current poll.
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

    /// Returns `true` if the task has ended: it returned an output, panicked or was cancelled. A
    /// task may still run for a while after it was aborted.
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

    /// Returns the task's id.
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

// A handle gives no access to the future, which a panic may have left in any state.
impl UnwindSafe for AbortHandle {}
impl RefUnwindSafe for AbortHandle {}

impl fmt::Debug for AbortHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AbortHandle").field("id", &self.id()).finish_non_exhaustive()
    }
}
