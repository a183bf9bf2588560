//! Runtimes, and handles to them.

pub use wsrt::runtime::{Builder, EnterGuard, Handle, Runtime, RuntimeFlavor, RuntimeId as Id, TryCurrentError};
