//! Asynchronous handling of OS signals.
//!
//! [`ctrl_c()`] waits for the user to interrupt the program, on Unix and on Windows; on Unix the
//! module `unix` has the other signals.
//!
//! The first listener for a signal removes the signal's default effect for the life of the process:
//! from then on ctrl-c does not end the program by itself, even after the listener is dropped.
//! Handlers that the program had installed before are still called.
//!
//! # Examples
//!
//! A server that shuts down gracefully at the first ctrl-c, and exits at the second:
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
mod bell;
#[cfg(unix)]
mod ctrl_c;
#[cfg(windows)]
mod ctrl_c_windows;
#[cfg(unix)]
mod listener;
#[cfg(all(test, unix))]
mod tests;
#[cfg(unix)]
mod thread;
#[cfg(unix)]
pub mod unix;

#[cfg(unix)]
pub use self::ctrl_c::{CtrlC, ctrl_c};
#[cfg(windows)]
pub use self::ctrl_c_windows::{CtrlC, ctrl_c};
#[cfg(all(unix, feature = "process"))]
pub(crate) use self::listener::Listener;
#[cfg(unix)]
pub(crate) use self::thread::SignalThread;
