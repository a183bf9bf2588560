//! `shutdown`: waits until the program is asked to end.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

#[cfg(unix)]
use super::ctrl_c::NextSignal;
#[cfg(unix)]
use super::unix::SignalKind;

/// Waits until the program is asked to end: by ctrl-c, or on Unix by SIGTERM, which service
/// managers and container runtimes send.
///
/// Listening begins with this call and not with the first poll, so a request that arrives between
/// the two is not lost. From this call on, neither signal ends the process by itself, even after
/// the future is dropped. To let a second request end the process, wait again and call
/// [`std::process::exit`]. Any number of futures may wait at the same time. The call needs no
/// runtime.
///
/// # Errors
///
/// Returns the OS error when listening is impossible, for example because no file descriptor is
/// left, or an error when the runtime is shut down.
///
/// # Panics
///
/// The first poll panics if made outside a wsrt runtime.
///
/// # Cancel safety
///
/// This call is cancel safe: a dropped future has received no signal. A signal that arrives between
/// the drop and the next call is ignored; to avoid this gap, keep one future and poll it by `&mut`.
///
/// # Examples
///
/// ```no_run
/// # async fn serve() {}
/// # fn main() -> std::io::Result<()> {
/// # let runtime = wsrt::runtime::Runtime::new()?;
/// # runtime.block_on(async {
/// let server = wsrt::spawn(serve());
/// wsrt::signal::shutdown().await?;
/// println!("ending");
/// server.abort();
/// # Ok(())
/// # })
/// # }
/// ```
pub fn shutdown() -> ShutdownSignal {
    #[cfg(unix)]
    let requests =
        [SignalKind::interrupt(), SignalKind::terminate()].map(|kind| NextSignal::listen(kind, "`signal::shutdown`"));
    #[cfg(windows)]
    let requests = super::ctrl_c();
    ShutdownSignal { requests }
}

/// A future that waits until the program is asked to end, returned by [`shutdown`].
///
/// Polling the future again after it has completed waits for another request. Polling the future
/// after an error may panic.
#[derive(Debug)]
#[must_use = "ctrl-c has no effect any more, unless this is awaited"]
pub struct ShutdownSignal {
    #[cfg(unix)]
    requests: [NextSignal; 2],
    #[cfg(windows)]
    requests: super::CtrlC,
}

impl Future for ShutdownSignal {
    type Output = io::Result<()>;

    #[cfg(unix)]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let ready = self.requests.iter_mut().map(|request| request.poll(cx)).find(Poll::is_ready);
        ready.unwrap_or(Poll::Pending)
    }

    #[cfg(windows)]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.requests).poll(cx)
    }
}
