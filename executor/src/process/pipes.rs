//! The parent's ends of the pipes to and from a child process.

use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
#[cfg(feature = "tokio-io")]
use std::pin::Pin;
use std::process::Stdio;
use std::task::{Context, Poll};

use wsrt_reactor::net::unix::pipe::{Receiver, Sender};

use crate::task::spawn::with_scheduler;

/// Panics outside a runtime, with a message that names `caller`.
#[track_caller]
fn require_runtime(caller: &str) {
    with_scheduler(caller, |_| ());
}

/// The write end of a child's standard input, found in [`Child::stdin`](super::Child::stdin).
///
/// The type implements `AsyncWrite` with feature `tokio-io`.
///
/// Dropping the write end or calling `shutdown` closes the pipe, and the child then reads the end
/// of its input. (tokio's `shutdown` does not close the pipe.) A write fails with an error of kind
/// [`BrokenPipe`](io::ErrorKind::BrokenPipe) if the child has closed its end of the pipe.
///
/// # Cancel safety
///
/// `write` is cancel safe: if the future is dropped before it completes, no bytes were written.
#[derive(Debug)]
pub struct ChildStdin(Option<Sender>);

impl ChildStdin {
    /// Converts one end of a pipe, inside a runtime. The child's end is not affected: each end of a
    /// pipe has its own blocking mode.
    pub(super) fn new(pipe: impl Into<OwnedFd>) -> io::Result<Self> {
        Sender::from_owned_fd_unchecked(pipe.into()).map(|pipe| Self(Some(pipe)))
    }

    /// Converts the standard library's write end of a child's standard input.
    ///
    /// # Panics
    ///
    /// Panics if called outside a wsrt runtime.
    ///
    /// # Errors
    ///
    /// Returns the OS error when the pipe cannot be made non-blocking, or cannot be polled.
    #[track_caller]
    pub fn from_std(pipe: std::process::ChildStdin) -> io::Result<Self> {
        require_runtime("ChildStdin::from_std");
        Self::new(pipe)
    }

    /// Converts the write end into a file descriptor in blocking mode.
    ///
    /// # Errors
    ///
    /// Returns an error of kind [`BrokenPipe`](io::ErrorKind::BrokenPipe) after `shutdown`, or the
    /// OS error when the descriptor cannot be put into blocking mode.
    pub fn into_owned_fd(self) -> io::Result<OwnedFd> {
        self.0.ok_or_else(closed)?.into_blocking_fd()
    }
}

fn closed() -> io::Error {
    io::Error::new(io::ErrorKind::BrokenPipe, "the pipe to the child was shut down on this side")
}

impl ChildStdin {
    fn pipe(&mut self) -> io::Result<&mut Sender> {
        self.0.as_mut().ok_or_else(closed)
    }

    /// Writes as many bytes of `buf` as the pipe accepts and returns their number. Waits while the
    /// pipe is full.
    ///
    /// # Errors
    ///
    /// Returns an error of kind [`BrokenPipe`](io::ErrorKind::BrokenPipe) after `shutdown` or when
    /// the child has closed its end of the pipe, and any other OS error unchanged.
    ///
    /// # Cancel safety
    ///
    /// This call is cancel safe: a dropped call has written no bytes.
    pub async fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.pipe()?.write(buf).await
    }

    /// Polls [`write`](Self::write), for adapters that implement I/O traits.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`write`](Self::write).
    pub fn poll_write(&mut self, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.pipe()?.poll_write(cx, buf)
    }

    /// Polls a write from several buffers, which are written in order as if they were concatenated.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`write`](Self::write).
    pub fn poll_write_vectored(&mut self, cx: &mut Context<'_>, bufs: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        self.pipe()?.poll_write_vectored(cx, bufs)
    }

    /// Writes all bytes of `buf` to the pipe.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`write`](Self::write).
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: a dropped call may have written any part of `buf`.
    pub async fn write_all(&mut self, buf: &[u8]) -> io::Result<()> {
        self.pipe()?.write_all(buf).await
    }

    /// Completes immediately and does nothing: every write goes straight to the OS.
    ///
    /// # Errors
    ///
    /// This call never returns an error.
    ///
    /// # Cancel safety
    ///
    /// This call is cancel safe: the future completes on its first poll.
    pub async fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Closes the pipe, so that the child reads the end of its input.
    ///
    /// # Errors
    ///
    /// This call never returns an error.
    ///
    /// # Cancel safety
    ///
    /// This call is cancel safe: the future completes on its first poll.
    pub async fn shutdown(&mut self) -> io::Result<()> {
        drop(self.0.take());
        Ok(())
    }
}

#[cfg(feature = "tokio-io")]
impl tokio::io::AsyncWrite for ChildStdin {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, source: &[u8]) -> Poll<io::Result<usize>> {
        ChildStdin::poll_write(&mut self, cx, source)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        sources: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        ChildStdin::poll_write_vectored(&mut self, cx, sources)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        drop(self.0.take());
        Poll::Ready(Ok(()))
    }
}

impl AsFd for ChildStdin {
    /// # Panics
    ///
    /// Panics if called after `shutdown`.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_ref().expect("the pipe to the child was shut down on this side").as_fd()
    }
}

impl AsRawFd for ChildStdin {
    /// # Panics
    ///
    /// Panics if called after `shutdown`.
    fn as_raw_fd(&self) -> RawFd {
        self.as_fd().as_raw_fd()
    }
}

impl TryFrom<ChildStdin> for Stdio {
    type Error = io::Error;

    /// Converts the pipe into a standard stream to which another child then writes.
    fn try_from(pipe: ChildStdin) -> io::Result<Stdio> {
        pipe.into_owned_fd().map(Stdio::from)
    }
}

macro_rules! readable_end {
    ($type:ident, $field:literal, $what:literal, $from_std:literal) => {
        #[doc = concat!("The read end of a child's standard ", $what, ", found in")]
        #[doc = concat!("[`Child::", $field, "`](super::Child::", $field, ").")]
        ///
        /// The type implements `AsyncRead` with feature `tokio-io`.
        ///
        /// The stream ends when every write end of the pipe is closed: the child's own, and those
        /// of processes that have inherited a write end from the child.
        ///
        /// # Cancel safety
        ///
        /// `read` is cancel safe: if the future is dropped before it completes, no bytes were read.
        #[derive(Debug)]
        pub struct $type(pub(super) Receiver);

        impl $type {
            /// Converts one end of a pipe, inside a runtime.
            pub(super) fn new(pipe: impl Into<OwnedFd>) -> io::Result<Self> {
                Receiver::from_owned_fd_unchecked(pipe.into()).map(Self)
            }

            /// Converts the standard library's read end of a child's output.
            ///
            /// # Panics
            ///
            /// Panics if called outside a wsrt runtime.
            ///
            /// # Errors
            ///
            /// Returns the OS error when the pipe cannot be made non-blocking, or cannot be polled.
            #[track_caller]
            pub fn from_std(pipe: std::process::$type) -> io::Result<Self> {
                require_runtime($from_std);
                Self::new(pipe)
            }

            /// Converts the read end into a file descriptor in blocking mode.
            ///
            /// # Errors
            ///
            /// Returns the OS error when the descriptor cannot be put into blocking mode.
            pub fn into_owned_fd(self) -> io::Result<OwnedFd> {
                self.0.into_blocking_fd()
            }
        }

        impl $type {
            /// Reads the available bytes into `buf` and returns their number. Waits while the pipe
            /// is empty. Returns 0 at the end of the stream, or if `buf` is empty.
            ///
            /// # Errors
            ///
            /// Returns the OS error when the pipe cannot be read.
            ///
            /// # Cancel safety
            ///
            /// This call is cancel safe: a dropped call has read no bytes.
            pub async fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
                self.0.read(buf).await
            }

            /// Polls [`read`](Self::read), for adapters that implement I/O traits. Reads into
            /// `buf`, which may be uninitialised, and returns the number of bytes written to its
            /// start. The rest of `buf` is left untouched.
            ///
            /// If several tasks poll, only the task that polled last is woken.
            ///
            /// # Errors
            ///
            /// Returns the OS error when the pipe cannot be read.
            pub fn poll_read(&mut self, cx: &mut Context<'_>, buf: &mut [MaybeUninit<u8>]) -> Poll<io::Result<usize>> {
                self.0.poll_read(cx, buf)
            }

            /// Reads exactly enough bytes to fill `buf`, and returns the length of `buf`.
            ///
            /// # Errors
            ///
            /// Returns an error of kind [`UnexpectedEof`](io::ErrorKind::UnexpectedEof) if the
            /// stream ends before `buf` is full, and otherwise the OS error.
            ///
            /// # Cancel safety
            ///
            /// Not cancel safe: bytes that a dropped call has read into `buf` are not read again.
            pub async fn read_exact(&mut self, buf: &mut [u8]) -> io::Result<usize> {
                self.0.read_exact(buf).await
            }

            /// Reads all bytes up to the end, appends them to `buf`, and returns their number.
            ///
            /// # Errors
            ///
            /// Returns the OS error. The bytes that were read before the error are in `buf`.
            ///
            /// # Cancel safety
            ///
            /// This call is cancel safe: the bytes that were read so far are in `buf`.
            pub async fn read_to_end(&mut self, buf: &mut Vec<u8>) -> io::Result<usize> {
                self.0.read_to_end(buf).await
            }

            /// Reads all text up to the end, appends it to `buf`, and returns its length in bytes.
            ///
            /// # Errors
            ///
            /// Returns the OS error, or an error of kind
            /// [`InvalidData`](io::ErrorKind::InvalidData) if the stream is not valid UTF-8.
            ///
            /// # Cancel safety
            ///
            /// Not cancel safe: the bytes that were read so far are lost.
            pub async fn read_to_string(&mut self, buf: &mut String) -> io::Result<usize> {
                self.0.read_to_string(buf).await
            }
        }

        #[cfg(feature = "tokio-io")]
        impl tokio::io::AsyncRead for $type {
            fn poll_read(
                self: Pin<&mut Self>,
                cx: &mut Context<'_>,
                target: &mut tokio::io::ReadBuf<'_>,
            ) -> Poll<io::Result<()>> {
                Pin::new(&mut self.get_mut().0).poll_read(cx, target)
            }
        }

        impl AsFd for $type {
            fn as_fd(&self) -> BorrowedFd<'_> {
                self.0.as_fd()
            }
        }

        impl AsRawFd for $type {
            fn as_raw_fd(&self) -> RawFd {
                self.as_fd().as_raw_fd()
            }
        }

        impl TryFrom<$type> for Stdio {
            type Error = io::Error;

            /// Converts the pipe into a standard stream from which another child then reads.
            fn try_from(pipe: $type) -> io::Result<Stdio> {
                pipe.into_owned_fd().map(Stdio::from)
            }
        }
    };
}

readable_end!(ChildStdout, "stdout", "output", "ChildStdout::from_std");
readable_end!(ChildStderr, "stderr", "error", "ChildStderr::from_std");
