//! `ctrl_c`: waiting for the user to interrupt the program.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::listener::{Listener, needs_runtime};
use super::unix::SignalKind;

/// Waits for the next ctrl-c: for a SIGINT to the process, from any sender.
///
/// Listening begins with this call, not with the first poll: a ctrl-c that arrives between the two
/// is not lost. From this call on ctrl-c does not end the process by itself, even after the future
/// is dropped; to let a second one end it, wait again and call [`std::process::exit`]. Any number
/// of futures may wait: each receives every ctrl-c that arrives after it was made.
///
/// The call itself needs no runtime.
///
/// # Errors
///
/// Returns the OS error when listening is impossible, for example because no file descriptor is
/// left, and an error when the runtime is shut down.
///
/// # Panics
///
/// The first poll panics outside a wsrt runtime.
///
/// # Cancel safety
///
/// This call is cancel safe: if the future is dropped while it waits, it received no ctrl-c. A
/// ctrl-c between the drop and the next call is ignored; poll one future by `&mut` where that
/// matters.
///
/// # Examples
///
/// ```no_run
/// # fn main() -> std::io::Result<()> {
/// # let runtime = wsrt::runtime::Runtime::new()?;
/// # runtime.block_on(async {
/// println!("press ctrl-c to end");
/// wsrt::signal::ctrl_c().await?;
/// println!("ending");
/// # Ok(())
/// # })
/// # }
/// ```
pub fn ctrl_c() -> CtrlC {
    CtrlC { listener: Listener::new(SignalKind::interrupt()).map_err(Some) }
}

/// Waits for ctrl-c; the future that [`ctrl_c`] returns.
///
/// When it is polled again after it was ready, it waits for another ctrl-c. A poll after an error
/// may panic.
#[derive(Debug)]
#[must_use = "ctrl-c has no effect any more, unless this is awaited"]
pub struct CtrlC {
    /// The error is the reason why there is no listener, until a poll has returned it.
    listener: Result<Listener, Option<io::Error>>,
}

impl Future for CtrlC {
    type Output = io::Result<()>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.listener {
            Ok(listener) => {
                if !listener.attach()? {
                    needs_runtime("`signal::ctrl_c` was polled");
                }
                listener.poll_recv(cx)
            }
            Err(error) => Poll::Ready(Err(error
                .take()
                .expect("wsrt: `signal::ctrl_c` was polled after it had returned an error"))),
        }
    }
}
