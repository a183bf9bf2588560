//! `shield`: a future that ends even if nobody waits for it.

use std::fmt;
use std::future::Future;
use std::panic::{Location, resume_unwind};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use crate::task::large::boxed_if_large;
use crate::task::spawn::spawn_from;
use crate::task::{JoinError, JoinHandle};

/// Returns a future that runs `future` to its end as soon as it has been polled once, even if the
/// returned future is dropped after that.
///
/// Use `shield` for steps that must not stop halfway, inside code that a `timeout`, a `select!` or
/// the end of a task may cancel. The first poll spawns `future` as a task, and each poll waits for
/// the task. The task inherits values and the deadline, as each spawned task does, and the deadline
/// does not end it. If the returned future is dropped before it is polled, nothing runs.
///
/// # Not guaranteed
///
/// A runtime that shuts down drops the task where it waits. To let the task end first, wait for it,
/// for example with [`Handle::drain`](crate::runtime::Handle::drain).
///
/// # Panics
///
/// If `future` panics, the returned future panics with the same payload. The returned future also
/// panics if it is first polled outside a runtime, if the runtime of the task shuts down, and if it
/// is polled again after it has completed.
///
/// # Cancel safety
///
/// If the returned future is dropped after its first poll, the task continues, and its output is
/// dropped. Otherwise, `future` is dropped.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use wsrt::future::{FutureExt, shield};
/// use wsrt::sync::mpsc;
/// use wsrt::task::yield_now;
///
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let (sender, mut saved) = mpsc::channel(2);
/// let transfer = shield(async move {
///     sender.send("debit").await?;
///     yield_now().await;
///     sender.send("credit").await
/// });
/// // The limit ends the wait, and not the work.
/// let _ = transfer.timeout(Duration::ZERO).await;
/// assert_eq!((saved.recv().await, saved.recv().await), (Some("debit"), Some("credit")));
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
#[track_caller]
pub fn shield<F>(future: F) -> Shield<F>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    Shield { future: Some(future), task: None, spawned_at: Location::caller() }
}

/// The future returned by [`shield()`].
///
/// # Cancel safety
///
/// If the future is dropped after its first poll, the task continues, and its output is dropped.
#[must_use = "futures do nothing unless they are awaited"]
pub struct Shield<F: Future> {
    /// `None` from the first poll on. Until then, nothing has begun.
    future: Option<F>,
    /// The task that has the future.
    task: Option<JoinHandle<F::Output>>,
    spawned_at: &'static Location<'static>,
}

// The future is polled in its task alone, and moves until then.
impl<F: Future> Unpin for Shield<F> {}

const CANCELLED: &str = "wsrt: the task of a `future::shield` was cancelled by its runtime, which is shutting down: let it \
                         end first, for example by `Handle::drain`";

impl<F> Future for Shield<F>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        if let Some(future) = self.future.take() {
            let spawned_at = self.spawned_at;
            self.task = Some(boxed_if_large!(F, future => spawn_from("future::shield", future, spawned_at)));
        }
        let task = self.task.as_mut().expect("wsrt: a `future::shield` was polled again after it could not be spawned");
        match ready!(Pin::new(task).poll(cx)).map_err(JoinError::try_into_panic) {
            Ok(output) => Poll::Ready(output),
            Err(Ok(payload)) => resume_unwind(payload),
            Err(Err(cancelled)) => panic!("{CANCELLED}: {cancelled}"),
        }
    }
}

impl<F: Future> fmt::Debug for Shield<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shield").field("task", &self.task).finish_non_exhaustive()
    }
}
