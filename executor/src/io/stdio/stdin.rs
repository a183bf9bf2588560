//! Standard input as a stream.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, ReadBuf};

use super::keyboard::{KEYBOARD, Keyboard};

/// Reads from standard input, by [`AsyncRead`]. Made by [`stdin`].
#[derive(Debug)]
pub struct Stdin(&'static Keyboard);

/// Returns a handle to standard input.
///
/// A terminal or a file cannot be waited for as a socket can, so a thread reads, one for the
/// process. It starts with the first read, and reads only when somebody waits. It belongs to no
/// runtime: unlike a thread of the blocking pool it is not waited for when a runtime shuts down, so
/// that nobody has to press a key to end the program.
///
/// What it has read belongs to the process: if the task that wanted it has gone, the next read
/// returns it, through whichever handle and in whichever runtime. It is lost to [`std::io::stdin`],
/// which should not be read from at the same time.
///
/// It is meant for programs that a pipe feeds. For a program that talks with a user, a plain thread
/// that reads [`std::io::stdin`] and sends lines through a channel is as good. Reads return up to 8
/// KiB.
///
/// # Cancel safety
///
/// `read` is cancel safe: bytes that arrive later are returned by the next read.
///
/// # Examples
///
/// ```no_run
/// use wsrt::io::{AsyncBufReadExt, BufReader};
///
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let mut lines = BufReader::new(wsrt::io::stdin()).lines();
/// while let Some(line) = lines.next_line().await? {
///     println!("{}", line.to_uppercase());
/// }
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
#[must_use]
pub fn stdin() -> Stdin {
    Stdin(&KEYBOARD)
}

impl AsyncRead for Stdin {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, target: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if target.remaining() == 0 {
            return Poll::Ready(Ok(()));
        }
        self.0.poll_read(cx, target)
    }
}

#[cfg(unix)]
impl std::os::fd::AsFd for Stdin {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        // SAFETY: the standard descriptors belong to nobody; as the standard library does, we take
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
