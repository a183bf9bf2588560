//! The interface of tokio, on wsrt's scheduler.
//!
//! A program that has this crate instead of tokio, by `[patch.crates-io]`, runs with all of
//! its dependencies on wsrt's processors.

#[cfg(feature = "fs")]
pub mod fs;
pub mod io;
#[cfg(feature = "macros")]
#[doc(hidden)]
pub mod macros;
#[cfg(feature = "net")]
pub mod net;
#[cfg(feature = "process")]
pub mod process;
#[cfg(feature = "rt")]
pub mod runtime;
#[cfg(feature = "signal")]
pub mod signal;
/// Nothing: the streams of tokio are in the crate `tokio-stream`.
pub mod stream {}
#[cfg(feature = "sync")]
pub mod sync;
#[cfg(feature = "rt")]
pub mod task;
#[cfg(feature = "time")]
pub mod time;

#[cfg(feature = "rt")]
pub use crate::task::spawn;
#[cfg(feature = "rt")]
pub use wsrt::task_local;
#[cfg(feature = "macros")]
pub use wsrt_sync::{join, pin, select, try_join};

#[cfg(all(feature = "macros", feature = "rt-multi-thread"))]
pub use tokio_macros::{main, test};
#[cfg(all(feature = "macros", not(feature = "rt")))]
pub use tokio_macros::{main_fail as main, test_fail as test};
#[cfg(all(feature = "macros", feature = "rt", not(feature = "rt-multi-thread")))]
pub use tokio_macros::{main_rt as main, test_rt as test};
