//! Runtimes.

mod builder;

pub use self::builder::Builder;
pub use wsrt::runtime::{
    EnterGuard, Handle, LocalOptions, LocalRuntime, Runtime, RuntimeFlavor, RuntimeId as Id, RuntimeMetrics,
    TryCurrentError, is_rt_shutdown_err, worker_index,
};
