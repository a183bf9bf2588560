//! Runtimes, and handles to them.

pub use wsrt::runtime::{
    Builder, EnterGuard, Handle, LocalOptions, LocalRuntime, Runtime, RuntimeFlavor, RuntimeId as Id, RuntimeMetrics,
    TryCurrentError, is_rt_shutdown_err, worker_index,
};
