//! The services that sockets need of the runtime around them.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

/// Completes after a while; returned by [`Services::delay`]. Dropping it cancels the wait.
pub type Delay = Pin<Box<dyn Future<Output = ()> + Send + Sync>>;

/// Provides the services that sockets need from their runtime.
pub trait Services: Send + Sync {
    /// Takes a job that may block and runs it soon on a thread that no task needs. Must not block
    /// itself.
    ///
    /// Host names are resolved through it. A job that is dropped unrun, or that panics, makes the
    /// lookup fail; it must not be kept forever.
    fn offload(&self, job: Box<dyn FnOnce() + Send>);

    /// Starts a wait of `duration`.
    ///
    /// It paces the connecting to several addresses. A wait that never ends makes the next address
    /// wait until an earlier one has failed.
    fn delay(&self, duration: Duration) -> Delay;

    /// Returns the network that lends the sockets, in a simulated runtime.
    #[doc(hidden)]
    fn network(&self) -> Option<std::sync::Arc<dyn crate::lent::Network>> {
        None
    }

    /// Returns whether the future that is polled on this thread is about to be dropped, since its
    /// runtime ends: it need not learn why no event comes. Asked after the end of a netpoller.
    #[doc(hidden)]
    fn drops_what_waits(&self) -> bool {
        false
    }

    /// Returns whether sockets may be made here. Asked where the program has wsrt instead of
    /// tokio, whose runtimes may be built without.
    #[doc(hidden)]
    fn has_io(&self) -> bool {
        true
    }
}
