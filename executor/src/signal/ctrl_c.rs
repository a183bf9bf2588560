//! `ctrl_c`: the user asks the program to end.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::listener::{Listener, needs_runtime};
use super::unix::SignalKind;

/// Waits for the next ctrl-c: for a SIGINT to the process, whoever sends it.
///
/// Listening begins with this call and not with the first poll: a ctrl-c that comes between the two
/// is not lost. From this call on ctrl-c does not end the process by itself, even after the future
/// is gone; to have a second one end it, wait again and call [`std::process::exit`]. Any number of
/// futures may wait: each learns of every ctrl-c that comes after it was made.
///
/// The call itself needs no runtime.
///
/// # Errors
///
/// When the system is out of what it takes to listen, such as file descriptors: its error, as it
/// is. When the runtime is shut down meanwhile.
///
/// # Panics
///
/// The first poll does, outside a wsrt runtime.
///
/// # Cancel safety
///
/// Cancel safe in itself: dropped while it waits, nothing has happened. A ctrl-c that comes after
/// the drop and before the next call is ignored; poll one future by `&mut` where that matters.
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

/// The future of [`ctrl_c`].
///
/// Polled again after it was ready, it waits for another ctrl-c. After an error it may panic.
#[derive(Debug)]
#[must_use = "ctrl-c has no effect any more, unless this is awaited"]
pub struct CtrlC {
    /// Or why there is none, until that has been returned.
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
