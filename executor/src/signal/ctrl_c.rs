//! `ctrl_c`: waits until the user interrupts the program.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::listener::{SignalListener, needs_runtime};
use super::unix::SignalKind;

/// Waits for the next ctrl-c, which is a SIGINT sent to this process by any sender.
///
/// Listening begins with this call and not with the first poll, so a ctrl-c that arrives between
/// the two is not lost. From this call on, ctrl-c no longer ends the process by itself, even after
/// the future is dropped. To let a second ctrl-c end the process, wait again and call
/// [`std::process::exit`]. Any number of futures may wait at the same time, and each of them
/// receives every ctrl-c that arrives after the future was created. The call needs no runtime.
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
/// This call is cancel safe: a dropped future has received no ctrl-c. A ctrl-c that arrives between
/// the drop and the next call is ignored; to avoid this gap, keep one future and poll it by `&mut`.
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
    CtrlC { next: NextSignal::listen(SignalKind::interrupt(), "`signal::ctrl_c`") }
}

/// A future that waits for ctrl-c, returned by [`ctrl_c`].
///
/// Polling the future again after it has completed waits for another ctrl-c. Polling the future
/// after an error may panic.
#[derive(Debug)]
#[must_use = "ctrl-c has no effect any more, unless this is awaited"]
pub struct CtrlC {
    next: NextSignal,
}

impl Future for CtrlC {
    type Output = io::Result<()>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.next.poll(cx)
    }
}

/// The wait for one signal, which begins to listen at once and reports a failure to the first poll.
#[derive(Debug)]
pub(super) struct NextSignal {
    /// The listener, or the error that prevented its creation, until a poll has returned the error.
    listener: Result<SignalListener, Option<io::Error>>,
    /// The name of the user's function, for messages.
    function: &'static str,
}

impl NextSignal {
    pub(super) fn listen(kind: SignalKind, function: &'static str) -> Self {
        Self { listener: SignalListener::new(kind).map_err(Some), function }
    }

    #[track_caller]
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.listener {
            Ok(listener) => {
                if !listener.attach()? {
                    needs_runtime(&format!("{} was polled", self.function));
                }
                listener.poll_recv(cx)
            }
            Err(error) => match error.take() {
                Some(error) => Poll::Ready(Err(error)),
                None => panic!("wsrt: {} was polled after it had returned an error", self.function),
            },
        }
    }
}
