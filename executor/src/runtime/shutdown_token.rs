//! The shutdown token: how the tasks of a runtime learn that they should end.

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use crate::runtime::Handle;
use crate::scheduler::Scheduler;
use crate::scheduler::ending::EndingSignal;

impl Handle {
    /// Returns the token that tells tasks, and any other code, to end: [`drain`](Self::drain) fires
    /// it, and so does the end of the runtime.
    ///
    /// # Examples
    ///
    /// A loop that takes no more work once the runtime is drained:
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

/// Tells the tasks of a runtime that they should end. Made by [`Handle::shutdown_token`].
///
/// It fires once, and stays so: when the runtime is [drained](Handle::drain), when it shuts down,
/// or when a token's [`fire`](Self::fire) is called. It may be cloned and sent anywhere, and
/// outlives its runtime.
///
/// # Not guaranteed
///
/// Tasks may not see the token fire at the end of the runtime: a shutdown without a drain drops
/// them where they wait. Code outside the runtime always does.
#[derive(Clone)]
pub struct ShutdownToken(Arc<EndingSignal>);

impl ShutdownToken {
    pub(crate) fn of(scheduler: &Scheduler) -> Self {
        Self(Arc::clone(&scheduler.ending))
    }

    /// Waits until the token fires. Completes at once if it has fired.
    ///
    /// It needs no runtime: other runtimes and executors may wait for it as well.
    ///
    /// # Cancel safety
    ///
    /// This call is cancel safe: a token that has fired stays so.
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

    /// Awaits `future`, and returns its output, or `None` if the token fires first: the future is
    /// dropped then, where it waits.
    ///
    /// A token that has fired is seen before the future is polled.
    ///
    /// # Cancel safety
    ///
    /// As cancel safe as `future`, which is dropped with this one.
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

    /// Returns whether the token has fired.
    #[must_use]
    pub fn has_fired(&self) -> bool {
        self.0.is_given()
    }

    /// Fires the token, and does nothing else: the runtime continues, and accepts new work. A
    /// program can ask its tasks to end some time before it drains the runtime.
    pub fn fire(&self) {
        self.0.give();
    }
}

impl fmt::Debug for ShutdownToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShutdownToken").field("has_fired", &self.has_fired()).finish_non_exhaustive()
    }
}
