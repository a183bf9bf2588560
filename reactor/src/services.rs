//! The services that sockets require from the runtime around them.

use std::future::Future;
use std::pin::Pin;
use std::sync::OnceLock;
use std::time::Duration;

/// A future that completes after a period of time. Returned by [`Services::delay`]. Dropping the
/// future cancels the wait.
pub type Delay = Pin<Box<dyn Future<Output = ()> + Send + Sync>>;

/// The services that sockets require from their runtime. Implemented by the runtime.
pub trait Services: Send + Sync {
    /// Runs `job`, which may block, soon on a thread that is not needed for running tasks. The call
    /// itself must not block.
    ///
    /// Host names are resolved through this method. If the job panics or is dropped without being
    /// run, the lookup fails. A job must not be kept forever without being run.
    fn offload(&self, job: Box<dyn FnOnce() + Send>);

    /// Returns a future that completes after `duration`.
    ///
    /// Attempts to connect to several addresses are spaced by this delay. If the future never
    /// completes, the next address is tried only after an earlier one has failed.
    fn delay(&self, duration: Duration) -> Delay;

    /// Returns the simulated network that provides the sockets, or `None` if the sockets are the
    /// OS's.
    #[doc(hidden)]
    fn network(&self) -> Option<std::sync::Arc<dyn crate::simulated_net::SimulatedNetwork>> {
        None
    }

    /// Returns whether the future that is currently polled on this thread is about to be dropped
    /// because its runtime shuts down. Such a future need not learn why no event arrives. Called
    /// after the netpoller has been shut down.
    #[doc(hidden)]
    fn drops_what_waits(&self) -> bool {
        false
    }

    /// Returns whether sockets may be created in this runtime. Called in programs that use wsrt in
    /// place of tokio, whose runtimes can be built without I/O.
    #[doc(hidden)]
    fn has_io(&self) -> bool {
        true
    }
}

/// Answers [`drops_what_waits`]. Sources and the registry ask. They cannot import the context,
/// which is built on them, so the first context registers the answer here.
static DROPS_WHAT_WAITS: OnceLock<fn() -> bool> = OnceLock::new();

/// Returns whether the future that is polled on this thread is about to be dropped, by the services
/// of the thread's context.
#[cold]
pub(crate) fn drops_what_waits() -> bool {
    DROPS_WHAT_WAITS.get().is_some_and(|ask| ask())
}

/// Makes `ask` the function that answers `drops_what_waits`.
pub(crate) fn answer_by(ask: fn() -> bool) {
    DROPS_WHAT_WAITS.get_or_init(|| ask);
}
