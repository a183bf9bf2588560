//! `Stdin`: standard input as a stream.

use std::io;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::task::{Context, Poll};

use wsrt_sync::budget::poll_spending;

use super::keyboard::{KEYBOARD, Keyboard};
use crate::io::read_methods::{PollRead, read_methods};
use crate::io::target::Target;

/// Reads from standard input. Returned by [`stdin`].
///
/// Implements `AsyncRead` with feature `tokio-io`.
#[derive(Debug)]
pub struct Stdin(&'static Keyboard);

// No foreign code runs while a lock of the keyboard is held.
impl UnwindSafe for Stdin {}
impl RefUnwindSafe for Stdin {}

/// Returns a handle to standard input.
///
/// The netpoller cannot wait for a terminal or a file as it does for a socket, so a thread reads,
/// one for the process. It starts with the first read, and reads only when a task waits. It belongs
/// to no runtime: unlike a thread of the blocking pool, a runtime that shuts down does not wait for
/// it, so that the user need not press a key to end the program.
///
/// The bytes that it has read belong to the process: if the task that waited for them was dropped,
/// the next read returns them, through any handle and in any runtime. [`std::io::stdin`] does not
/// return them, and should not be read from at the same time.
///
/// It is meant for programs that read from a pipe. For an interactive program, a plain thread that
/// reads [`std::io::stdin`] and sends lines through a channel is as good. Reads return up to 8 KiB.
///
/// # Cancel safety
///
/// `read` is cancel safe: the next read returns bytes that arrive later.
///
/// # Examples
///
/// ```no_run
/// # #[cfg(feature = "tokio-io")] {
/// use wsrt::io::{AsyncBufReadExt, BufReader};
///
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let mut lines = BufReader::new(wsrt::io::stdin()).lines();
/// while let Some(line) = lines.next_line().await? {
///     println!("{}", line.to_uppercase());
/// }
/// # std::io::Result::Ok(()) })?;
/// # }
/// # std::io::Result::Ok(())
/// ```
#[must_use]
pub fn stdin() -> Stdin {
    Stdin(&KEYBOARD)
}

read_methods!(Stdin);

impl PollRead for Stdin {
    fn poll_read_into(&mut self, cx: &mut Context<'_>, target: &mut impl Target) -> Poll<io::Result<()>> {
        poll_spending(cx, |cx| {
            if target.room() == 0 {
                return Poll::Ready(Ok(()));
            }
            self.0.poll_read(cx, target)
        })
    }
}

#[cfg(feature = "tokio-io")]
impl tokio::io::AsyncRead for Stdin {
    fn poll_read(
        self: std::pin::Pin<&mut Self>,
        cx: &mut Context<'_>,
        target: &mut tokio::io::ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.get_mut().poll_read_into(cx, target)
    }
}

#[cfg(unix)]
impl std::os::fd::AsFd for Stdin {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        // SAFETY: the standard descriptors have no owner; like the standard library, this takes
        // them to be open for the life of the process.
        unsafe { std::os::fd::BorrowedFd::borrow_raw(std::os::fd::AsRawFd::as_raw_fd(self)) }
    }
}

#[cfg(unix)]
impl std::os::fd::AsRawFd for Stdin {
    fn as_raw_fd(&self) -> std::os::fd::RawFd {
        io::stdin().as_raw_fd()
    }
}
