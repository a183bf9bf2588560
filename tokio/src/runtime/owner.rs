//! The owner of a runtime. It is wsrt's, but for `new`, with which the debug pages may start.

use std::io;
use std::ops::Deref;
use std::time::Duration;

use wsrt::runtime::{EnterGuard, Handle, RuntimeMetrics};

use crate::task::JoinHandle;

/// Owns a runtime: its threads, tasks, timers and sockets. Dropping the value shuts the runtime
/// down.
#[derive(Debug)]
pub struct Runtime(pub(super) wsrt::runtime::Runtime);

/// Gives access to the methods that only wsrt has: `runtime.run(…)`.
impl Deref for Runtime {
    type Target = wsrt::runtime::Runtime;

    fn deref(&self) -> &wsrt::runtime::Runtime {
        &self.0
    }
}

// By name, for programs that say `Runtime::handle`.
impl Runtime {
    /// Creates a runtime with several worker threads, I/O and timers.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Builder::build`](super::Builder::build).
    pub fn new() -> io::Result<Self> {
        super::serve_pages();
        wsrt::runtime::Runtime::new().map(Self)
    }

    /// Returns a handle to the runtime.
    pub fn handle(&self) -> &Handle {
        self.0.handle()
    }

    /// Spawns a task on the runtime.
    #[track_caller]
    pub fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.0.spawn(future)
    }

    /// Runs a function on a thread for blocking work.
    #[track_caller]
    pub fn spawn_blocking<F, R>(&self, function: F) -> JoinHandle<R>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        self.0.spawn_blocking(function)
    }

    /// Runs a future to its end on the current thread.
    #[track_caller]
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.0.block_on(future)
    }

    /// Makes this runtime the current one of this thread until the guard is dropped.
    pub fn enter(&self) -> EnterGuard<'_> {
        self.0.enter()
    }

    /// Returns the runtime's metrics.
    pub fn metrics(&self) -> RuntimeMetrics {
        self.0.metrics()
    }

    /// Shuts the runtime down, and waits for running polls and functions for at most `timeout`.
    pub fn shutdown_timeout(self, timeout: Duration) {
        self.0.shutdown_timeout(timeout);
    }

    /// Shuts the runtime down without waiting for running polls and functions.
    pub fn shutdown_background(self) {
        self.0.shutdown_background();
    }
}
