//! Recognizing errors that occur because a runtime has shut down.

use std::io;

/// Returns `true` if `error` occurred because a runtime has shut down: the runtime of the socket
/// that was used, or the runtime that should have performed the operation.
///
/// # Examples
///
/// ```
/// use wsrt::net::TcpListener;
/// use wsrt::runtime::{Runtime, is_rt_shutdown_err};
///
/// let (ended, runtime) = (Runtime::new()?, Runtime::new()?);
/// let listener = ended.block_on(TcpListener::bind("127.0.0.1:0"))?;
/// drop(ended);
/// let error = runtime.block_on(listener.accept()).expect_err("no thread watches it");
/// assert!(is_rt_shutdown_err(&error));
/// # Ok::<(), std::io::Error>(())
/// ```
#[must_use]
pub fn is_rt_shutdown_err(error: &io::Error) -> bool {
    wsrt_reactor::is_rt_shutdown_err(error)
}
