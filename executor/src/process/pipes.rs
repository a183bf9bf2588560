//! The parent's ends of a child's pipes.

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

/// Writes to a child's standard input. Found in [`Child::stdin`](super::Child::stdin).
///
/// Implements `AsyncWrite` with feature `tokio-io`.
///
/// Dropping it closes the pipe, as does `shutdown`: the child reads the end of its input. (tokio's
/// `shutdown` does nothing.) A write to a child that has closed its end fails with an error of kind
/// [`BrokenPipe`](io::ErrorKind::BrokenPipe).
///
/// # Cancel safety
///
/// `write` is cancel safe: if its future is dropped before it is ready, nothing was written.
#[derive(Debug)]
pub struct ChildStdin(Option<Sender>);

impl ChildStdin {
    /// Converts a pipe's end. This needs a current runtime. The child's end is not changed: each
    /// end of a pipe blocks or not independently of the other.
    pub(super) fn new(pipe: impl Into<OwnedFd>) -> io::Result<Self> {
        Sender::from_owned_fd_unchecked(pipe.into()).map(|pipe| Self(Some(pipe)))
    }

    /// Converts an end of a pipe of the standard library.
    ///
    /// # Panics
    ///
    /// Panics outside a wsrt runtime.
    ///
    /// # Errors
    ///
    /// Returns the OS error when the pipe cannot be made non-blocking, or cannot be polled.
    #[track_caller]
    pub fn from_std(pipe: std::process::ChildStdin) -> io::Result<Self> {
        require_runtime("ChildStdin::from_std");
        Self::new(pipe)
    }

    /// Converts it into a descriptor that blocks.
    ///
    /// # Errors
    ///
    /// Returns an error of kind [`BrokenPipe`](io::ErrorKind::BrokenPipe) after `shutdown`, and the
    /// OS error when the descriptor cannot be made blocking.
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

    /// Writes as much of `buf` as the OS takes and returns the number of bytes; waits if it takes
    /// none.
    ///
    /// # Errors
    ///
    /// Returns an error of kind [`BrokenPipe`](io::ErrorKind::BrokenPipe) after `shutdown`, or when
    /// the child has closed its end, and the OS error.
    ///
    /// # Cancel safety
    ///
    /// This call is cancel safe: if the future is dropped before it is ready, nothing was written.
    pub async fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.pipe()?.write(buf).await
    }

    /// Polls [`write`](Self::write), for adapters that implement traits.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`write`](Self::write).
    pub fn poll_write(&mut self, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.pipe()?.poll_write(cx, buf)
    }

    /// Polls a write of several buffers, which are written in their order as if they were one.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`write`](Self::write).
    pub fn poll_write_vectored(&mut self, cx: &mut Context<'_>, bufs: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        self.pipe()?.poll_write_vectored(cx, bufs)
    }

    /// Writes all of `buf`.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`write`](Self::write).
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: it is unknown how much of `buf` was written.
    pub async fn write_all(&mut self, buf: &[u8]) -> io::Result<()> {
        self.pipe()?.write_all(buf).await
    }

    /// Does nothing: a write goes straight to the OS.
    ///
    /// # Errors
    ///
    /// Returns none.
    ///
    /// # Cancel safety
    ///
    /// This call is cancel safe: it is ready at once.
    pub async fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Closes the pipe: the child reads the end of its input.
    ///
    /// # Errors
    ///
    /// Returns none.
    ///
    /// # Cancel safety
    ///
    /// This call is cancel safe: it is ready at once.
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
    /// Panics after `shutdown`.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_ref().expect("the pipe to the child was shut down on this side").as_fd()
    }
}

impl AsRawFd for ChildStdin {
    /// # Panics
    ///
    /// Panics after `shutdown`.
    fn as_raw_fd(&self) -> RawFd {
        self.as_fd().as_raw_fd()
    }
}

impl TryFrom<ChildStdin> for Stdio {
    type Error = io::Error;

    /// Makes it a standard stream of another child, which writes to it.
    fn try_from(pipe: ChildStdin) -> io::Result<Stdio> {
        pipe.into_owned_fd().map(Stdio::from)
    }
}

macro_rules! readable_end {
    ($type:ident, $field:literal, $what:literal, $from_std:literal) => {
        #[doc = concat!("Reads a child's standard ", $what, ". Found in")]
        #[doc = concat!("[`Child::", $field, "`](super::Child::", $field, ").")]
        ///
        /// Implements `AsyncRead` with feature `tokio-io`.
        ///
        /// The stream ends when every writing end is closed: the child's, and the ends of processes
        /// that have inherited it from the child.
        ///
        /// # Cancel safety
        ///
        /// `read` is cancel safe: if its future is dropped before it is ready, nothing was read.
        #[derive(Debug)]
        pub struct $type(pub(super) Receiver);

        impl $type {
            /// Converts a pipe's end. This needs a current runtime.
            pub(super) fn new(pipe: impl Into<OwnedFd>) -> io::Result<Self> {
                Receiver::from_owned_fd_unchecked(pipe.into()).map(Self)
            }

            /// Converts an end of a pipe of the standard library.
            ///
            /// # Panics
            ///
            /// Panics outside a wsrt runtime.
            ///
            /// # Errors
            ///
            /// Returns the OS error when the pipe cannot be made non-blocking, or cannot be polled.
            #[track_caller]
            pub fn from_std(pipe: std::process::$type) -> io::Result<Self> {
                require_runtime($from_std);
                Self::new(pipe)
            }

            /// Converts it into a descriptor that blocks.
            ///
            /// # Errors
            ///
            /// Returns the OS error when the descriptor cannot be made blocking.
            pub fn into_owned_fd(self) -> io::Result<OwnedFd> {
                self.0.into_blocking_fd()
            }
        }

        impl $type {
            /// Reads the available bytes into `buf` and returns their number; waits if there are
            /// none. Zero means that the stream has ended, or that `buf` is empty.
            ///
            /// # Errors
            ///
            /// Returns the OS error.
            ///
            /// # Cancel safety
            ///
            /// This call is cancel safe: if the future is dropped before it is ready, nothing was
            /// read.
            pub async fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
                self.0.read(buf).await
            }

            /// Polls [`read`](Self::read), for adapters that implement traits: reads into memory
            /// that need not be initialised, and returns how many of its first bytes were written.
            /// It leaves the others alone.
            ///
            /// Of several tasks that poll, the last one is woken.
            ///
            /// # Errors
            ///
            /// Returns the OS error.
            pub fn poll_read(&mut self, cx: &mut Context<'_>, buf: &mut [MaybeUninit<u8>]) -> Poll<io::Result<usize>> {
                self.0.poll_read(cx, buf)
            }

            /// Fills `buf` and returns its length.
            ///
            /// # Errors
            ///
            /// Returns an error of kind [`UnexpectedEof`](io::ErrorKind::UnexpectedEof) at the end,
            /// and the OS error.
            ///
            /// # Cancel safety
            ///
            /// Not cancel safe: bytes that are in `buf` by then are not read again.
            pub async fn read_exact(&mut self, buf: &mut [u8]) -> io::Result<usize> {
                self.0.read_exact(buf).await
            }

            /// Appends all bytes up to the end to `buf` and returns their number.
            ///
            /// # Errors
            ///
            /// Returns the OS error. The bytes read before it are in `buf`.
            ///
            /// # Cancel safety
            ///
            /// This call is cancel safe: the bytes read so far are in `buf`.
            pub async fn read_to_end(&mut self, buf: &mut Vec<u8>) -> io::Result<usize> {
                self.0.read_to_end(buf).await
            }

            /// Appends all text up to the end to `buf` and returns its length in bytes.
            ///
            /// # Errors
            ///
            /// Returns the OS error, and an error of kind
            /// [`InvalidData`](io::ErrorKind::InvalidData) if it is not UTF-8.
            ///
            /// # Cancel safety
            ///
            /// Not cancel safe: the bytes read so far are lost.
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

            /// Makes it a standard stream of another child, which reads from it.
            fn try_from(pipe: $type) -> io::Result<Stdio> {
                pipe.into_owned_fd().map(Stdio::from)
            }
        }
    };
}

readable_end!(ChildStdout, "stdout", "output", "ChildStdout::from_std");
readable_end!(ChildStderr, "stderr", "error", "ChildStderr::from_std");
