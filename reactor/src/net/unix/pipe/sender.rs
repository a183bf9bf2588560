//! The sending end.

use super::descriptor::{self, PipeEnd};
use crate::context;
use crate::evented::Evented;
use crate::handle::Handle;
use crate::interest::Interest;
use crate::net::at_once;
use crate::net::stream::bulk;
use crate::net::stream::{Transmit, writes};
use crate::net::system::as_descriptor;
use crate::ready::Ready;
use crate::walk::Label;
use std::fs::File;
use std::io::{self, IoSlice, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::task::{Context, Poll};

/// Writes to a pipe; made by [`pipe`](super::pipe) and [`OpenOptions`](super::OpenOptions).
///
/// It implements the I/O traits of tokio (feature `tokio-io`, on by default), hyper and futures-io
/// (features of those names). Shutting it down through them does nothing: a pipe ends when its last
/// sender is dropped.
#[derive(Debug)]
pub struct Sender {
    io: Evented<mio::unix::pipe::Sender>,
}

impl Sender {
    /// Takes over a file that is this end of a pipe, and makes it non-blocking.
    ///
    /// # Panics
    ///
    /// Panics outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns `InvalidInput` if it is no pipe or is not open in this direction, or the OS error.
    #[track_caller]
    pub fn from_file(file: File) -> io::Result<Sender> {
        let context = context::required("Sender::from_file");
        descriptor::check(&file, PipeEnd::Sending)?;
        Self::take_over(file.into(), context.handle())
    }

    /// Takes over a descriptor that is this end of a pipe, and makes it non-blocking.
    ///
    /// # Panics
    ///
    /// Panics outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns `InvalidInput` if it is no pipe or is not open in this direction, or the OS error.
    #[track_caller]
    pub fn from_owned_fd(owned_fd: OwnedFd) -> io::Result<Sender> {
        let context = context::required("Sender::from_owned_fd");
        let file = File::from(owned_fd);
        descriptor::check(&file, PipeEnd::Sending)?;
        Self::take_over(file.into(), context.handle())
    }

    /// Takes over a file like [`from_file`](Self::from_file), without checking that it is a pipe. A
    /// file that the OS cannot poll is refused all the same.
    ///
    /// # Panics
    ///
    /// Panics outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[track_caller]
    pub fn from_file_unchecked(file: File) -> io::Result<Sender> {
        let context = context::required("Sender::from_file_unchecked");
        Self::take_over(file.into(), context.handle())
    }

    /// Takes over a descriptor like [`from_owned_fd`](Self::from_owned_fd), without checking that
    /// it is a pipe. A file that the OS cannot poll is refused all the same.
    ///
    /// # Panics
    ///
    /// Panics outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[track_caller]
    pub fn from_owned_fd_unchecked(owned_fd: OwnedFd) -> io::Result<Sender> {
        let context = context::required("Sender::from_owned_fd_unchecked");
        Self::take_over(owned_fd, context.handle())
    }

    /// Returns its descriptor, whose operations block, as other processes expect.
    ///
    /// # Errors
    ///
    /// Returns the OS error; the pipe's end is closed then.
    #[doc = example!("pipe_writer", "pipe_fd")]
    pub fn into_blocking_fd(self) -> io::Result<OwnedFd> {
        let owned_fd = self.into_nonblocking_fd()?;
        descriptor::set_blocking(owned_fd.as_fd(), true)?;
        Ok(owned_fd)
    }

    /// Returns its descriptor, whose operations do not block.
    ///
    /// # Errors
    ///
    /// Returns the OS error if it cannot be taken out of the poll; it is closed then.
    pub fn into_nonblocking_fd(self) -> io::Result<OwnedFd> {
        self.io.into_inner().map(OwnedFd::from)
    }

    /// Writes as much of `buf` as the OS takes and returns the number of bytes; waits if it takes
    /// none.
    ///
    /// Written means handed to the OS, not read by the receiver.
    ///
    /// # Errors
    ///
    /// Returns the OS error, or an error if the runtime was shut down.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, nothing was written.
    #[doc = example!("pipe_writer", "write")]
    pub async fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.evented().send(buf).await
    }

    /// Polls [`write`](Self::write), for adapters that implement traits.
    ///
    /// Of several tasks that poll, the last one is woken.
    ///
    /// # Errors
    ///
    /// Returns the OS error, or an error if the runtime was shut down.
    pub fn poll_write(&mut self, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.evented().poll_send(cx, buf)
    }

    /// Polls [`write_vectored`](Self::write_vectored), as [`poll_write`](Self::poll_write) does.
    ///
    /// # Errors
    ///
    /// Returns the OS error, or an error if the runtime was shut down.
    pub fn poll_write_vectored(&mut self, cx: &mut Context<'_>, bufs: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        self.evented().poll_send_vectored(cx, bufs)
    }

    /// Writes as much of several buffers, in their order, as the OS takes in one call; otherwise
    /// like [`write`](Self::write).
    ///
    /// # Errors
    ///
    /// Returns the OS error, or an error if the runtime was shut down.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, nothing was written.
    #[doc = example!("pipe_writer", "write_vectored")]
    pub async fn write_vectored(&mut self, bufs: &[IoSlice<'_>]) -> io::Result<usize> {
        self.evented().send_vectored(bufs).await
    }

    /// Writes all of `buf`.
    ///
    /// # Errors
    ///
    /// Returns the OS error, or an error if the runtime was shut down. Some of `buf` may have been
    /// written.
    ///
    /// # Cancel safety
    ///
    /// None: if it is dropped before it is ready, it may have written some of `buf`.
    #[doc = example!("pipe_writer", "write_all")]
    pub async fn write_all(&mut self, buf: &[u8]) -> io::Result<()> {
        bulk::write_all(self.evented(), buf).await
    }

    /// Does nothing, because written bytes are with the OS already. It exists so that code for
    /// buffered streams works here too.
    ///
    /// # Errors
    ///
    /// Returns no error.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, nothing is lost.
    #[doc = example!("pipe_writer", "flush")]
    pub async fn flush(&mut self) -> io::Result<()> {
        at_once::flush().await
    }

    /// Writes as much of `buf` as the OS takes without waiting.
    ///
    /// # Errors
    ///
    /// Returns `WouldBlock` if the OS takes no bytes, or the OS error.
    #[doc = example!("pipe_writer", "try_write")]
    pub fn try_write(&self, buf: &[u8]) -> io::Result<usize> {
        self.evented().try_send(buf)
    }

    /// Writes as much of several buffers as the OS takes in one call, without waiting.
    ///
    /// # Errors
    ///
    /// Returns `WouldBlock` if the OS takes no bytes, or the OS error.
    #[doc = example!("pipe_writer", "try_write_vectored")]
    pub fn try_write_vectored(&self, bufs: &[IoSlice<'_>]) -> io::Result<usize> {
        self.evented().try_send_vectored(bufs)
    }

    /// Waits until a write is worth trying. The write may still return `WouldBlock`.
    ///
    /// # Errors
    ///
    /// Returns an error if the runtime was shut down.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, nothing is lost.
    #[doc = example!("pipe_writer", "writable")]
    pub async fn writable(&self) -> io::Result<()> {
        self.evented().ready(Interest::WRITABLE).await.map(drop)
    }

    /// Polls [`writable`](Self::writable). Any number of tasks may poll.
    ///
    /// # Errors
    ///
    /// Returns an error if the runtime was shut down.
    pub fn poll_write_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.evented().poll_ready(Interest::WRITABLE, cx).map_ok(drop)
    }

    /// Waits until one of the directions in `interest` is worth trying, and returns the conditions
    /// that hold.
    ///
    /// # Errors
    ///
    /// Returns an error if the runtime was shut down.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, nothing is lost.
    #[doc = example!("pipe_writer", "ready_to_write")]
    pub async fn ready(&self, interest: Interest) -> io::Result<Ready> {
        self.evented().ready(interest).await
    }

    /// Runs the caller's operation on the pipe once, if it is worth trying; otherwise
    /// returns `WouldBlock` without running it.
    ///
    /// If `operation` returns `WouldBlock`, the pipe counts as full until the next event. So it
    /// must return that only if the OS did.
    ///
    /// # Errors
    ///
    /// Returns the error of `operation`, `WouldBlock`, or an error if the runtime was shut down.
    pub fn try_io<R>(&self, operation: impl FnOnce() -> io::Result<R>) -> io::Result<R> {
        self.evented().try_io(Interest::WRITABLE, |socket| socket.try_io(operation))
    }

    /// Runs the caller's operation on the pipe until it returns anything but
    /// `WouldBlock`, waiting in between.
    ///
    /// `operation` must keep to the rule of [`try_io`](Self::try_io).
    ///
    /// # Errors
    ///
    /// Returns the error of `operation`, or an error if the runtime was shut down.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, `operation` has not succeeded: nothing is lost.
    pub async fn async_io<R>(&self, mut operation: impl FnMut() -> io::Result<R>) -> io::Result<R> {
        self.evented().io(Interest::WRITABLE, |socket| socket.try_io(&mut operation)).await
    }

    fn take_over(owned_fd: OwnedFd, handle: &Handle) -> io::Result<Sender> {
        descriptor::set_blocking(owned_fd.as_fd(), false)?;
        Self::registered(mio::unix::pipe::Sender::from(owned_fd), handle)
    }

    /// The pipe does not count as ready before an event reports it: a receiver that is there before
    /// any sender would otherwise read the end of the stream.
    pub(super) fn registered(pipe: mio::unix::pipe::Sender, handle: &Handle) -> io::Result<Sender> {
        let label = Label::of_foreign("pipe::Sender", pipe.as_raw_fd());
        Ok(Sender { io: Evented::fresh(pipe, handle, Interest::NONE, label)? })
    }

    pub(crate) fn evented(&self) -> &Evented<mio::unix::pipe::Sender> {
        &self.io
    }

    pub(in crate::net) fn socket(&self) -> &mio::unix::pipe::Sender {
        self.io.get_ref()
    }
}

as_descriptor!(Sender);
writes!(Sender);

impl Sender {
    /// There is nothing but dropping it.
    pub(crate) fn end_writing(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Transmit for mio::unix::pipe::Sender {
    /// Pipes count in pages, each system in its own way: the rest may fit nevertheless.
    const SHORT_WRITE_DRAINS: bool = false;

    fn transmit(&self, buf: &[u8]) -> io::Result<usize> {
        (&mut &*self).write(buf)
    }

    fn transmit_vectored(&self, bufs: &[IoSlice<'_>]) -> io::Result<usize> {
        (&mut &*self).write_vectored(bufs)
    }
}
