//! The shutdown token, which tells the tasks of a runtime that they should end.

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use crate::runtime::Handle;
use crate::scheduler::Scheduler;
use crate::scheduler::ending::EndingSignal;

impl Handle {
    /// Returns a token that fires when the runtime's tasks should end.
    ///
    /// Both [`drain`](Self::drain) and the shutdown of the runtime fire the token.
    ///
    /// # Examples
    ///
    /// A server that stops accepting connections once the runtime is drained:
    ///
    /// ```
    /// use std::time::Duration;
    /// use wsrt::net::TcpListener;
    /// use wsrt::runtime::Handle;
    /// use wsrt::time::Instant;
    ///
    /// async fn serve(listener: TcpListener) -> std::io::Result<()> {
    ///     let ending = Handle::current().shutdown_token();
    ///     while let Some(accepted) = ending.run_until(listener.accept()).await {
    ///         let (_stream, _) = accepted?;
    ///         wsrt::spawn(async { /* the connection */ });
    ///     }
    ///     Ok(())
    /// }
    ///
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// let server = runtime.block_on(async {
    ///     let listener = TcpListener::bind("127.0.0.1:0").await?;
    ///     std::io::Result::Ok(wsrt::spawn(serve(listener)))
    /// })?;
    /// let drained = runtime.drain(Instant::now() + Duration::from_secs(10));
    /// assert!(drained.is_complete(), "{drained}");
    /// runtime.block_on(server)??;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn shutdown_token(&self) -> ShutdownToken {
        ShutdownToken::of(self.scheduler())
    }
}

/// Tells the tasks of a runtime that they should end. Returned by [`Handle::shutdown_token`].
///
/// The token fires once, and never resets. It fires when the runtime is [drained](Handle::drain),
/// when the runtime shuts down, or when [`fire`](Self::fire) is called on any clone of the token.
/// Tokens can be cloned and sent to other threads, and may outlive the runtime.
///
/// # Not guaranteed
///
/// A task may never see the token fire if the runtime shuts down without a drain, because the
/// shutdown drops tasks where they wait. Code outside the runtime always sees the token fire.
#[derive(Clone)]
pub struct ShutdownToken(Arc<EndingSignal>);

impl ShutdownToken {
    pub(crate) fn of(scheduler: &Scheduler) -> Self {
        Self(Arc::clone(&scheduler.ending))
    }

    /// Waits until the token fires. Completes immediately if the token has already fired.
    ///
    /// Waiting needs no runtime: tasks of other runtimes and executors can wait for the token, too.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe, because a token that has fired never resets.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// let token = runtime.handle().shutdown_token();
    /// let waiting = token.clone();
    /// let task = runtime.spawn(async move { waiting.wait().await });
    /// token.fire();
    /// runtime.block_on(task)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn wait(&self) {
        self.0.wait().await;
    }

    /// Waits for `future` and returns its output, or returns `None` if the token fires first.
    ///
    /// If the token fires first, `future` is dropped at the `await` where it waits. If the token
    /// has already fired, `future` is not polled at all.
    ///
    /// # Cancel safety
    ///
    /// This method is as cancel safe as `future`, which is dropped with the returned future.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// let token = runtime.handle().shutdown_token();
    /// assert_eq!(runtime.block_on(token.run_until(async { 7 })), Some(7));
    /// token.fire();
    /// assert_eq!(runtime.block_on(token.run_until(std::future::pending::<()>())), None);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub async fn run_until<F: Future>(&self, future: F) -> Option<F::Output> {
        let mut fires = pin!(self.0.wait());
        let mut future = pin!(future);
        poll_fn(|cx| match fires.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(None),
            Poll::Pending => future.as_mut().poll(cx).map(Some),
        })
        .await
    }

    /// Returns `true` if the token has fired.
    #[must_use]
    pub fn has_fired(&self) -> bool {
        self.0.is_given()
    }

    /// Fires the token, and has no other effect: the runtime keeps running and accepts new work.
    ///
    /// A program can fire the token to ask its tasks to end some time before it drains the runtime.
    pub fn fire(&self) {
        self.0.give();
    }
}

impl fmt::Debug for ShutdownToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShutdownToken").field("has_fired", &self.has_fired()).finish_non_exhaustive()
    }
}
