//! The ends of a child's pipes that its parent holds.

use std::io::{self, IoSlice, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::pin::Pin;
use std::process::Stdio;
use std::task::{Context, Poll};

use mio::unix::pipe::{Receiver, Sender};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use wsrt_reactor::{Evented, Handle, Interest};

use crate::face::spawn::with_scheduler;

/// An end of a pipe that mio can poll.
pub(super) trait End: mio::event::Source + From<OwnedFd> + Into<OwnedFd> {
    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()>;
}

impl End for Sender {
    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        Sender::set_nonblocking(self, nonblocking)
    }
}

impl End for Receiver {
    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        Receiver::set_nonblocking(self, nonblocking)
    }
}

/// Makes a pipe's end non-blocking and registers it. The child's end stays as it is.
pub(super) fn attach<E: End>(end: Option<impl Into<OwnedFd>>, netpoller: &Handle) -> io::Result<Option<Evented<E>>> {
    let Some(end) = end else { return Ok(None) };
    let end = E::from(end.into());
    end.set_nonblocking(true)?;
    Evented::with_handle(end, netpoller).map(Some)
}

/// The same for one that a user hands in.
#[track_caller]
fn attach_here<E: End>(caller: &str, end: impl Into<OwnedFd>) -> io::Result<Evented<E>> {
    let netpoller = with_scheduler(caller, |scheduler| scheduler.netpoller.handle().clone());
    attach(Some(end), &netpoller).map(|end| end.expect("one was handed in"))
}

fn detach<E: End>(end: Evented<E>) -> io::Result<OwnedFd> {
    let end = end.into_inner()?;
    end.set_nonblocking(false)?;
    Ok(end.into())
}

/// Writes to a child's standard input, by [`AsyncWrite`]. Found in [`Child::stdin`](super::Child::stdin).
///
/// Dropping it closes the pipe, as does `shutdown`: the child reads the end of its input. (tokio's `shutdown` does nothing.) A
/// write to a child that has closed its end is an error of kind [`BrokenPipe`](io::ErrorKind::BrokenPipe).
///
/// # Cancel safety
///
/// `write` is cancel safe: dropped before it is ready, nothing was written.
#[derive(Debug)]
pub struct ChildStdin(Option<Evented<Sender>>);

impl ChildStdin {
    pub(super) fn new(pipe: Evented<Sender>) -> Self {
        Self(Some(pipe))
    }

    /// Takes over the standard library's.
    ///
    /// # Panics
    ///
    /// Outside a wsrt runtime.
    ///
    /// # Errors
    ///
    /// When the system refuses to make it non-blocking or to poll it.
    #[track_caller]
    pub fn from_std(pipe: std::process::ChildStdin) -> io::Result<Self> {
        attach_here("ChildStdin::from_std", pipe).map(Self::new)
    }

    /// Turns it into a descriptor that blocks.
    ///
    /// # Errors
    ///
    /// After `shutdown`, of kind [`BrokenPipe`](io::ErrorKind::BrokenPipe); the system's.
    pub fn into_owned_fd(self) -> io::Result<OwnedFd> {
        detach(self.0.ok_or_else(closed)?)
    }
}

fn closed() -> io::Error {
    io::Error::new(io::ErrorKind::BrokenPipe, "the pipe to the child was shut down on this side")
}

impl AsyncWrite for ChildStdin {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, source: &[u8]) -> Poll<io::Result<usize>> {
        let pipe = self.0.as_ref().ok_or_else(closed)?;
        pipe.poll_io(Interest::WRITABLE, cx, |mut pipe| pipe.write(source))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        sources: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let pipe = self.0.as_ref().ok_or_else(closed)?;
        pipe.poll_io(Interest::WRITABLE, cx, |mut pipe| pipe.write_vectored(sources))
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
    /// After `shutdown`.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_ref().expect("the pipe to the child was shut down on this side").get_ref().as_fd()
    }
}

impl AsRawFd for ChildStdin {
    /// # Panics
    ///
    /// After `shutdown`.
    fn as_raw_fd(&self) -> RawFd {
        self.as_fd().as_raw_fd()
    }
}

impl TryFrom<ChildStdin> for Stdio {
    type Error = io::Error;

    /// Has another child write to it.
    fn try_from(pipe: ChildStdin) -> io::Result<Stdio> {
        pipe.into_owned_fd().map(Stdio::from)
    }
}

macro_rules! readable_end {
    ($type:ident, $field:literal, $what:literal, $from_std:literal) => {
        #[doc = concat!("Reads a child's standard ", $what, ", by [`AsyncRead`]. Found in")]
        #[doc = concat!("[`Child::", $field, "`](super::Child::", $field, ").")]
        ///
        /// It ends when everybody has closed their end: the child, and the processes that have it from the child.
        ///
        /// # Cancel safety
        ///
        /// `read` is cancel safe: dropped before it is ready, nothing was read.
        #[derive(Debug)]
        pub struct $type(Evented<Receiver>);

        impl $type {
            pub(super) fn new(pipe: Evented<Receiver>) -> Self {
                Self(pipe)
            }

            /// Takes over the standard library's.
            ///
            /// # Panics
            ///
            /// Outside a wsrt runtime.
            ///
            /// # Errors
            ///
            /// When the system refuses to make it non-blocking or to poll it.
            #[track_caller]
            pub fn from_std(pipe: std::process::$type) -> io::Result<Self> {
                attach_here($from_std, pipe).map(Self::new)
            }

            /// Turns it into a descriptor that blocks.
            ///
            /// # Errors
            ///
            /// The system's.
            pub fn into_owned_fd(self) -> io::Result<OwnedFd> {
                detach(self.0)
            }
        }

        impl AsyncRead for $type {
            fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, target: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
                let unfilled = target.initialize_unfilled();
                let count = self.0.poll_io(Interest::READABLE, cx, |mut pipe| pipe.read(unfilled));
                count.map_ok(|count| target.advance(count))
            }
        }

        impl AsFd for $type {
            fn as_fd(&self) -> BorrowedFd<'_> {
                self.0.get_ref().as_fd()
            }
        }

        impl AsRawFd for $type {
            fn as_raw_fd(&self) -> RawFd {
                self.as_fd().as_raw_fd()
            }
        }

        impl TryFrom<$type> for Stdio {
            type Error = io::Error;

            /// Has another child read from it.
            fn try_from(pipe: $type) -> io::Result<Stdio> {
                pipe.into_owned_fd().map(Stdio::from)
            }
        }
    };
}

readable_end!(ChildStdout, "stdout", "output", "ChildStdout::from_std");
readable_end!(ChildStderr, "stderr", "error", "ChildStderr::from_std");
