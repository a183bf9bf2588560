//! Join handles that end their task, either when the handle is dropped or on request.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::{AbortHandle, Id, JoinError, JoinHandle};

impl<T> JoinHandle<T> {
    /// Converts this handle into a handle that aborts the task when dropped, instead of detaching
    /// it.
    ///
    /// The task then ends together with its owner, even if the owner is cancelled, returns early or
    /// panics. Dropping the handle does not wait for the task: the task is cancelled the next time
    /// it waits. [`cancel`](Self::cancel) also waits until the task has ended, and a
    /// [`TaskGroup`](crate::task::TaskGroup) owns several tasks.
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

    /// Aborts the task, and waits until it has ended. Returns the task's output if the task
    /// completed, or `None` if it was cancelled.
    ///
    /// The call itself aborts the task, even if the returned future is never awaited. The task has
    /// ended when its future has been dropped. A running poll, or a blocking job that has begun, is
    /// not interrupted, so the task may still complete.
    ///
    /// # Errors
    ///
    /// Returns a [`JoinError`] if the task panicked, in a poll or while its future was dropped.
    ///
    /// # Cancel safety
    ///
    /// If the returned future is dropped, the task still ends, but its output is lost.
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

/// A [`JoinHandle`] that aborts the task when dropped. Returned by [`JoinHandle::abort_on_drop`].
///
/// Dropping the handle after the task has ended only drops the task's output.
///
/// # Panics
///
/// Panics if polled again after it has returned the task's result.
///
/// # Cancel safety
///
/// Awaiting `&mut handle` is cancel safe: a result that was not returned stays available to a later
/// `await`. Dropping the handle itself aborts the task.
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

    /// Converts this handle back into a [`JoinHandle`], which detaches the task when dropped.
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

    /// Returns an [`AbortHandle`] for the task, which can be cloned.
    #[must_use]
    pub fn abort_handle(&self) -> AbortHandle {
        self.handle().abort_handle()
    }

    /// Returns `true` if the task has ended: it returned an output, panicked or was cancelled.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.handle().is_finished()
    }

    /// Returns the task's id.
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
