//! Tasks that end when the owner of their handle wants them to: with the handle, or at once.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::{AbortHandle, Id, JoinError, JoinHandle};

impl<T> JoinHandle<T> {
    /// Turns the handle into one that aborts the task when it is dropped, instead of detaching it.
    ///
    /// So a task ends with its owner, when that is itself cancelled, returns early or panics. The
    /// drop does not wait: the task is cancelled when it next waits. See
    /// [`cancel`](Self::cancel), which waits, and [`TaskGroup`](crate::task::TaskGroup).
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let (sender, receiver) = wsrt::sync::oneshot::channel::<()>();
    /// let task = wsrt::spawn(async move {
    ///     std::future::pending::<()>().await;
    ///     drop(sender);
    /// })
    /// .abort_on_drop();
    /// drop(task);
    /// assert!(receiver.await.is_err(), "the task is gone, and the sender with it");
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn abort_on_drop(self) -> AbortOnDropHandle<T> {
        AbortOnDropHandle { handle: Some(self) }
    }

    /// Aborts the task, and waits until it has ended. Returns its output if it had completed, and
    /// `None` if it was cancelled.
    ///
    /// The task is aborted by the call, whether the future is awaited or not. It has ended when its
    /// future is dropped; a poll that is running ends first, and so does a job of
    /// [`spawn_blocking`](crate::task::spawn_blocking) that has begun: either may still complete.
    ///
    /// # Errors
    ///
    /// [`JoinError`] if the task panicked, in a poll or when its future was dropped.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before it is ready, the task ends all the same, and an output is
    /// lost.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let waits = wsrt::spawn(std::future::pending::<()>());
    /// assert_eq!(waits.cancel().await?, None);
    ///
    /// let done = wsrt::spawn(async { 7 });
    /// while !done.is_finished() {
    ///     wsrt::task::yield_now().await;
    /// }
    /// assert_eq!(done.cancel().await?, Some(7));
    /// # Ok::<(), wsrt::task::JoinError>(()) })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cancel(self) -> impl Future<Output = Result<Option<T>, JoinError>> {
        self.abort();
        async move {
            match self.await {
                Ok(output) => Ok(Some(output)),
                Err(error) if error.is_cancelled() => Ok(None),
                Err(error) => Err(error),
            }
        }
    }
}

/// Awaits the result of a task, and aborts the task when dropped. Made by
/// [`JoinHandle::abort_on_drop`].
///
/// Dropping it once the task has ended does nothing but drop its output.
///
/// # Panics
///
/// Panics if it is polled again after it has returned its result.
///
/// # Cancel safety
///
/// Awaiting `&mut handle` is cancel safe: the result is still there for the next time. Dropping the
/// handle itself aborts the task.
///
/// # Examples
///
/// ```
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let task = wsrt::spawn(async { 6 * 7 }).abort_on_drop();
/// assert_eq!(task.await?, 42);
/// # Ok::<(), wsrt::task::JoinError>(()) })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "the task is aborted as soon as the handle is dropped"]
pub struct AbortOnDropHandle<T> {
    /// `None` once it is detached.
    handle: Option<JoinHandle<T>>,
}

impl<T> AbortOnDropHandle<T> {
    fn handle(&self) -> &JoinHandle<T> {
        self.handle.as_ref().expect("only `detach` takes it, and consumes this")
    }

    /// Turns it back into a handle that detaches the task when it is dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let (sender, receiver) = wsrt::sync::oneshot::channel();
    /// let task = wsrt::spawn(async move { sender.send(7) }).abort_on_drop();
    /// drop(task.detach());
    /// assert_eq!(receiver.await, Ok(7));
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn detach(mut self) -> JoinHandle<T> {
        self.handle.take().expect("it is taken here alone")
    }

    /// Returns a handle that can abort the task, and that can be cloned.
    #[must_use]
    pub fn abort_handle(&self) -> AbortHandle {
        self.handle().abort_handle()
    }

    /// Returns whether the task has ended: with an output, by a panic, or because it was cancelled.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.handle().is_finished()
    }

    /// Returns the id of the task.
    #[must_use]
    pub fn id(&self) -> Id {
        self.handle().id()
    }
}

impl<T> Future for AbortOnDropHandle<T> {
    type Output = Result<T, JoinError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let handle = self.handle.as_mut().expect("only `detach` takes it, and consumes this");
        Pin::new(handle).poll(context)
    }
}

impl<T> Drop for AbortOnDropHandle<T> {
    fn drop(&mut self) {
        if let Some(handle) = &self.handle {
            handle.abort();
        }
    }
}

impl<T> fmt::Debug for AbortOnDropHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AbortOnDropHandle").field("id", &self.id()).finish_non_exhaustive()
    }
}
