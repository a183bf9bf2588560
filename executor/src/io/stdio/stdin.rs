//! `Stdin`: standard input as an asynchronous stream.

use std::io;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::task::{Context, Poll};

use wsrt_sync::budget::poll_spending;

use super::keyboard::{KEYBOARD, Keyboard};
use crate::io::read_methods::{PollRead, read_methods};
use crate::io::target::Target;

/// A handle to the process's standard input. Returned by [`stdin`].
///
/// The handle implements `AsyncRead` with feature `tokio-io`.
#[derive(Debug)]
pub struct Stdin(&'static Keyboard);

// No foreign code runs while a lock of the keyboard is held.
impl UnwindSafe for Stdin {}
impl RefUnwindSafe for Stdin {}

/// Returns a handle to the process's standard input.
///
/// The netpoller cannot wait for a terminal or a file as it can for a socket, so one dedicated
/// thread per process reads standard input. The thread starts with the first read and only reads
/// while a task waits. The thread belongs to no runtime, so a runtime that shuts down does not wait
/// for a pending read, and the user does not have to press a key to end the program.
///
/// Bytes that the thread has read are kept for the process: if the task that waited for them is
/// dropped, the next read returns them, through any handle and in any runtime. [`std::io::stdin`]
/// does not see these bytes and should not be read at the same time.
///
/// This stream is meant for programs that read from a pipe. In an interactive program, a plain
/// thread that reads lines from [`std::io::stdin`] and sends them through a channel works just as
/// well. One read returns at most 8 KiB.
///
/// # Cancel safety
///
/// `read` is cancel safe: bytes that arrive after the future was dropped are returned by the next
/// read.
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
