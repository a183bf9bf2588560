//! Runtimes, which run async programs, and the builder that configures them.

mod builder;
#[cfg(tokio_unstable)]
pub mod dump;
#[cfg(tokio_unstable)]
mod hooks;
mod owner;
#[cfg(tokio_unstable)]
mod unstable;

pub use self::builder::Builder;
#[cfg(tokio_unstable)]
pub use self::dump::Dump;
#[cfg(tokio_unstable)]
pub use self::hooks::TaskMeta;
pub use self::owner::Runtime;
#[cfg(tokio_unstable)]
pub use self::unstable::RngSeed;
#[cfg(tokio_unstable)]
pub use wsrt::runtime::__trace::{
    HistogramConfiguration, HistogramScale, InvalidHistogramConfiguration, LogHistogram, LogHistogramBuilder,
};
#[cfg(tokio_unstable)]
pub use wsrt::runtime::UnhandledPanic;
pub use wsrt::runtime::{
    EnterGuard, Handle, LocalOptions, LocalRuntime, RuntimeFlavor, RuntimeId as Id, RuntimeMetrics, TryCurrentError,
    is_rt_shutdown_err, worker_index,
};

/// Starts the server of the debug pages, if the variable `WSRT_DEBUG` asks for it.
fn serve_pages() {
    #[cfg(feature = "debug")]
    wsrt_debug::__init();
}
