//! The receiving end.

use super::descriptor::{self, PipeEnd};
use crate::context;
use crate::evented::Evented;
use crate::handle::Handle;
use crate::interest::Interest;
use crate::net::stream::bulk;
use crate::net::stream::{Receive, reads};
use crate::net::system::as_descriptor;
use crate::ready::Ready;
use crate::walk::Label;
use bytes::BufMut;
use std::fs::File;
use std::io::{self, IoSliceMut, Read};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::task::{Context, Poll};

/// Reads from a pipe; made by [`pipe`](super::pipe) and [`OpenOptions`](super::OpenOptions).
///
/// It implements the I/O traits of tokio (feature `tokio-io`, on by default), hyper and futures-io
/// (features of those names).
#[derive(Debug)]
pub struct Receiver {
    io: Evented<mio::unix::pipe::Receiver>,
}

impl Receiver {
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
    pub fn from_file(file: File) -> io::Result<Receiver> {
        let context = context::required("Receiver::from_file");
        descriptor::check(&file, PipeEnd::Receiving)?;
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
    pub fn from_owned_fd(owned_fd: OwnedFd) -> io::Result<Receiver> {
        let context = context::required("Receiver::from_owned_fd");
        let file = File::from(owned_fd);
        descriptor::check(&file, PipeEnd::Receiving)?;
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
    pub fn from_file_unchecked(file: File) -> io::Result<Receiver> {
        let context = context::required("Receiver::from_file_unchecked");
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
    pub fn from_owned_fd_unchecked(owned_fd: OwnedFd) -> io::Result<Receiver> {
        let context = context::required("Receiver::from_owned_fd_unchecked");
        Self::take_over(owned_fd, context.handle())
    }

    /// Returns its descriptor, whose operations block, as other processes expect.
    ///
    /// # Errors
    ///
    /// Returns the OS error; the pipe's end is closed then.
    #[doc = example!("pipe_reader", "pipe_reader_fd")]
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

    /// Reads the available bytes into `buf` and returns their number; waits if there are none.
    ///
    /// Zero means that every sender has closed the pipe, or that `buf` is empty.
    ///
    /// # Errors
    ///
    /// Returns the OS error, or an error if the runtime was shut down.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, no bytes are lost.
    #[doc = example!("pipe_reader", "read")]
    pub async fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.evented().receive(buf).await
    }

    /// Polls [`read`](Self::read), for adapters that implement traits: reads into memory that need
    /// not be initialised, and returns how many of its first bytes were written. It leaves the
    /// others alone.
    ///
    /// Of several tasks that poll, the last one is woken.
    ///
    /// # Errors
    ///
    /// Returns the OS error, or an error if the runtime was shut down.
    pub fn poll_read(&mut self, cx: &mut Context<'_>, buf: &mut [MaybeUninit<u8>]) -> Poll<io::Result<usize>> {
        self.evented().poll_receive(cx, buf)
    }

    /// Reads into several buffers, filling each before the next; otherwise like
    /// [`read`](Self::read).
    ///
    /// # Errors
    ///
    /// Returns the OS error, or an error if the runtime was shut down.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, no bytes are lost.
    #[doc = example!("pipe_reader", "read_vectored")]
    pub async fn read_vectored(&mut self, bufs: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        self.evented().receive_vectored(bufs).await
    }

    /// Fills `buf` and returns its length.
    ///
    /// # Errors
    ///
    /// Returns `UnexpectedEof` if every sender has closed the pipe first, the OS error, or an error
    /// if the runtime was shut down. `buf` then holds the bytes read so far; their number is
    /// unspecified.
    ///
    /// # Cancel safety
    ///
    /// None: if it is dropped before it is ready, it may have read some bytes.
    #[doc = example!("pipe_reader", "read_exact")]
    pub async fn read_exact(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        bulk::read_exact(self.evented(), buf).await
    }

    /// Reads until every sender has closed the pipe, appends everything to `buf`, and returns the
    /// number of bytes added.
    ///
    /// # Errors
    ///
    /// Returns the OS error, or an error if the runtime was shut down. `buf` holds the bytes read
    /// before it.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, `buf` holds the bytes read so far; another call
    /// continues from there.
    #[doc = example!("pipe_reader", "read_to_end")]
    pub async fn read_to_end(&mut self, buf: &mut Vec<u8>) -> io::Result<usize> {
        bulk::read_to_end(self.evented(), buf).await
    }

    /// Reads until every sender has closed the pipe, appends the text to `buf`, and returns the
    /// number of bytes added.
    ///
    /// # Errors
    ///
    /// Returns `InvalidData` if the bytes are not UTF-8, the OS error, or an error if the runtime
    /// was shut down. `buf` is unchanged then, and the bytes read are lost.
    ///
    /// # Cancel safety
    ///
    /// None: if it is dropped before it is ready, the bytes read are lost.
    #[doc = example!("pipe_reader", "read_to_string")]
    pub async fn read_to_string(&mut self, buf: &mut String) -> io::Result<usize> {
        bulk::read_to_string(self.evented(), buf).await
    }

    /// Reads the available bytes into `buf` without waiting.
    ///
    /// # Errors
    ///
    /// Returns `WouldBlock` if there are none, or the OS error.
    #[doc = example!("pipe_reader", "try_read")]
    pub fn try_read(&self, buf: &mut [u8]) -> io::Result<usize> {
        self.evented().try_receive(buf)
    }

    /// Reads into the free room that `buf` has in one piece, without waiting. For a `Vec` or a
    /// `BytesMut` that is its spare capacity.
    ///
    /// # Errors
    ///
    /// Returns `WouldBlock` if there are no bytes, or the OS error.
    #[doc = example!("pipe_reader", "try_read_buf")]
    pub fn try_read_buf<B: BufMut>(&self, buf: &mut B) -> io::Result<usize> {
        bulk::try_read_buf(self.evented(), buf)
    }

    /// Reads the available bytes into several buffers without waiting.
    ///
    /// # Errors
    ///
    /// Returns `WouldBlock` if there are none, or the OS error.
    #[doc = example!("pipe_reader", "try_read_vectored")]
    pub fn try_read_vectored(&self, bufs: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        self.evented().try_receive_vectored(bufs)
    }

    /// Waits until a read is worth trying. The read may still return `WouldBlock`.
    ///
    /// # Errors
    ///
    /// Returns an error if the runtime was shut down.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, nothing is lost.
    #[doc = example!("pipe_reader", "readable")]
    pub async fn readable(&self) -> io::Result<()> {
        self.evented().ready(Interest::READABLE).await.map(drop)
    }

    /// Polls [`readable`](Self::readable). Any number of tasks may poll.
    ///
    /// # Errors
    ///
    /// Returns an error if the runtime was shut down.
    pub fn poll_read_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.evented().poll_ready(Interest::READABLE, cx).map_ok(drop)
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
    #[doc = example!("pipe_reader", "ready_to_read")]
    pub async fn ready(&self, interest: Interest) -> io::Result<Ready> {
        self.evented().ready(interest).await
    }

    /// Runs the caller's operation on the pipe once, if it is worth trying; otherwise
    /// returns `WouldBlock` without running it.
    ///
    /// If `operation` returns `WouldBlock`, the pipe counts as drained until the next event. So it
    /// must return that only if the OS did.
    ///
    /// # Errors
    ///
    /// Returns the error of `operation`, `WouldBlock`, or an error if the runtime was shut down.
    pub fn try_io<R>(&self, operation: impl FnOnce() -> io::Result<R>) -> io::Result<R> {
        self.evented().try_io(Interest::READABLE, |socket| socket.try_io(operation))
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
        self.evented().io(Interest::READABLE, |socket| socket.try_io(&mut operation)).await
    }

    fn take_over(owned_fd: OwnedFd, handle: &Handle) -> io::Result<Receiver> {
        descriptor::set_blocking(owned_fd.as_fd(), false)?;
        Self::registered(mio::unix::pipe::Receiver::from(owned_fd), handle)
    }

    /// The pipe does not count as ready before an event reports it: a receiver that is there before
    /// any sender would otherwise read the end of the stream.
    pub(super) fn registered(pipe: mio::unix::pipe::Receiver, handle: &Handle) -> io::Result<Receiver> {
        let label = Label::of_foreign("pipe::Receiver", pipe.as_raw_fd());
        Ok(Receiver { io: Evented::fresh(pipe, handle, Interest::NONE, label)? })
    }

    pub(crate) fn evented(&self) -> &Evented<mio::unix::pipe::Receiver> {
        &self.io
    }

    pub(in crate::net) fn socket(&self) -> &mio::unix::pipe::Receiver {
        self.io.get_ref()
    }
}

as_descriptor!(Receiver);
reads!(Receiver);

impl Receive for mio::unix::pipe::Receiver {
    /// A pipe in packet mode (`O_DIRECT`) ends each read where a write ended.
    const SHORT_READ_DRAINS: bool = false;

    fn receive_uninit(&self, buf: &mut [MaybeUninit<u8>]) -> io::Result<usize> {
        // SAFETY: the descriptor is open, its owner being borrowed, and `buf` is memory of that
        // length that may be written.
        let count = unsafe { libc::read(self.as_raw_fd(), buf.as_mut_ptr().cast(), buf.len()) };
        // Negative is the one answer that is no count.
        usize::try_from(count).map_err(|_| io::Error::last_os_error())
    }

    fn receive(&self, buf: &mut [u8]) -> io::Result<usize> {
        (&mut &*self).read(buf)
    }

    fn receive_vectored(&self, bufs: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        (&mut &*self).read_vectored(bufs)
    }
}
