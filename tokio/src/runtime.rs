//! Runtimes, which run async programs, and the builder that configures them.

mod builder;
#[cfg(tokio_unstable)]
pub mod dump;
#[cfg(tokio_unstable)]
mod hooks;

pub use self::builder::Builder;
#[cfg(tokio_unstable)]
pub use self::hooks::{TaskMeta, UnhandledPanic};
pub use wsrt::runtime::{
    EnterGuard, Handle, LocalOptions, LocalRuntime, Runtime, RuntimeFlavor, RuntimeId as Id, RuntimeMetrics,
    TryCurrentError, is_rt_shutdown_err, worker_index,
};
