//! Runtimes, which run async programs, and the builder that configures them.

mod builder;
#[cfg(tokio_unstable)]
pub mod dump;
#[cfg(tokio_unstable)]
mod hooks;
#[cfg(tokio_unstable)]
mod unstable;

pub use self::builder::Builder;
#[cfg(tokio_unstable)]
pub use self::dump::Dump;
#[cfg(tokio_unstable)]
pub use self::hooks::TaskMeta;
#[cfg(tokio_unstable)]
pub use self::unstable::RngSeed;
#[cfg(tokio_unstable)]
pub use wsrt::runtime::__trace::{
    HistogramConfiguration, HistogramScale, InvalidHistogramConfiguration, LogHistogram, LogHistogramBuilder,
};
#[cfg(tokio_unstable)]
pub use wsrt::runtime::UnhandledPanic;
pub use wsrt::runtime::{
    EnterGuard, Handle, LocalOptions, LocalRuntime, Runtime, RuntimeFlavor, RuntimeId as Id, RuntimeMetrics,
    TryCurrentError, is_rt_shutdown_err, worker_index,
};
