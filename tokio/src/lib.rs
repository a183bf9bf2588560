//! tokio's public API, implemented on wsrt's scheduler.
//!
//! This crate is a drop-in replacement for tokio. A program that puts the crate in tokio's place
//! with `[patch.crates-io]` runs on wsrt's worker threads, together with all of the program's
//! dependencies.

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
/// An empty module, as in tokio: stream types are in the crate `tokio-stream`.
pub mod stream {}
#[cfg(feature = "sync")]
pub mod sync;
#[cfg(feature = "rt")]
pub mod task;
#[cfg(feature = "time")]
pub mod time;

#[cfg(feature = "rt")]
pub use crate::task::spawn;
/// wsrt's own API, for programs that have only tokio in their manifest. With the real tokio,
/// `use tokio::wsrt as _;` does not compile.
#[cfg(feature = "rt")]
pub use ::wsrt;
#[cfg(feature = "rt")]
pub use wsrt::task_local;
/// Pages that show the running program. The variable `WSRT_DEBUG` starts their server with the
/// first runtime of a [`Builder`](runtime::Builder) or of [`Runtime::new`](runtime::Runtime::new).
#[cfg(feature = "debug")]
pub use wsrt_debug;
#[cfg(feature = "macros")]
pub use wsrt_sync::{join, pin, select, try_join};

#[cfg(all(feature = "macros", feature = "rt-multi-thread"))]
pub use tokio_macros::{main, test};
#[cfg(all(feature = "macros", not(feature = "rt")))]
pub use tokio_macros::{main_fail as main, test_fail as test};
#[cfg(all(feature = "macros", feature = "rt", not(feature = "rt-multi-thread")))]
pub use tokio_macros::{main_rt as main, test_rt as test};
