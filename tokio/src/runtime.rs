//! Runtimes, and handles to them.

pub use wsrt::runtime::{Builder, EnterGuard, Handle, Runtime, TryCurrentError};
