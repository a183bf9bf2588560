//! Asynchronous handling of operating system signals.
//!
//! [`shutdown()`] waits until the program is asked to end, by the user or by the system that has
//! started it. [`ctrl_c()`] waits for the user alone. Both work on Unix and Windows. On Unix, the
//! module `unix` provides all other signals.
//!
//! The first listener for a signal disables the signal's default action for the rest of the
//! process's life: from then on, ctrl-c no longer ends the program by itself, even after the
//! listener is dropped. Handlers that the program installed earlier are still called.
//!
//! # Examples
//!
//! A server that shuts down gracefully at the first ctrl-c, and exits immediately at the second:
//!
//! ```no_run
//! # async fn serve() {}
//! # async fn finish() {}
//! # fn main() -> std::io::Result<()> {
//! # let runtime = wsrt::runtime::Runtime::new()?;
//! # runtime.block_on(async {
//! let interrupted = wsrt::signal::ctrl_c();
//! let server = wsrt::spawn(serve());
//! interrupted.await?;
//!
//! wsrt::spawn(async {
//!     if wsrt::signal::ctrl_c().await.is_ok() {
//!         std::process::exit(130);
//!     }
//! });
//! server.abort();
//! finish().await;
//! # Ok(())
//! # })
//! # }
//! ```

#[cfg(unix)]
mod action;
#[cfg(unix)]
mod ctrl_c;
#[cfg(windows)]
mod ctrl_c_windows;
#[cfg(unix)]
mod listener;
mod shutdown;
#[cfg(all(test, unix))]
mod tests;
#[cfg(unix)]
pub mod unix;

#[cfg(unix)]
pub(crate) use self::action::SignalThread;
#[cfg(unix)]
pub use self::ctrl_c::{CtrlC, ctrl_c};
#[cfg(windows)]
pub use self::ctrl_c_windows::{CtrlC, ctrl_c};
#[cfg(all(unix, feature = "process"))]
pub(crate) use self::listener::SignalListener;
pub use self::shutdown::{ShutdownSignal, shutdown};
