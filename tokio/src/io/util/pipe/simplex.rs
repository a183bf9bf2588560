//! A one-way pipe in memory.

use crate::io::{AsyncRead, AsyncWrite, ReadBuf, ReadHalf, WriteHalf, split};
use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use wsrt_sync::budget;

/// A one-way pipe in memory, which keeps written bytes until they are read. Created by [`simplex`].
#[derive(Debug)]
pub struct SimplexStream {
    bytes: VecDeque<u8>,
    max_len: usize,
    is_closed: bool,
    reader: Option<Waker>,
    writer: Option<Waker>,
}

/// Creates a one-way pipe in memory, and returns its read half and its write half.
///
/// Writers wait while the pipe holds `max_buf_size` bytes.
///
/// # Panics
///
/// Panics if `max_buf_size` is 0.
#[track_caller]
pub fn simplex(max_buf_size: usize) -> (ReadHalf<SimplexStream>, WriteHalf<SimplexStream>) {
    split(SimplexStream::new_unsplit(max_buf_size))
}

/// Wakers that an operation has taken out of the pipe. They may run code that uses the pipe, so
/// they are called and dropped after the lock is released.
#[derive(Default)]
pub(super) struct Wakers {
    woken: Option<Waker>,
    replaced: Option<Waker>,
}

impl Wakers {
    pub(super) fn wake(self) {
        if let Some(waker) = self.woken {
            waker.wake();
        }
        drop(self.replaced);
    }
}

impl SimplexStream {
    /// Creates a pipe that holds at most `max_buf_size` bytes, without splitting the pipe in
    /// halves.
    ///
    /// # Panics
    ///
    /// Panics if `max_buf_size` is 0.
    #[track_caller]
    pub fn new_unsplit(max_buf_size: usize) -> Self {
        assert!(max_buf_size > 0, "`max_buf_size` must be greater than 0: a pipe without room is never written to");
        Self { bytes: VecDeque::new(), max_len: max_buf_size, is_closed: false, reader: None, writer: None }
    }

    /// Closes the writing side: the reader reads the remaining bytes and then reaches the end.
    pub(super) fn close_write(&mut self) -> Wakers {
        self.is_closed = true;
        Wakers { woken: self.reader.take(), replaced: None }
    }

    /// Closes the reading side: writes fail from now on.
    pub(super) fn close_read(&mut self) -> Wakers {
        self.is_closed = true;
        Wakers { woken: self.writer.take(), replaced: None }
    }

    pub(super) fn read(&mut self, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> (Poll<io::Result<()>>, Wakers) {
        let mut wakers = Wakers::default();
        let answer = budget::poll_spending(cx, |cx| {
            if self.bytes.is_empty() && !self.is_closed && buf.remaining() > 0 {
                wakers.replaced = self.reader.replace(cx.waker().clone());
                return Poll::Pending;
            }
            let before = buf.remaining();
            for part in <[&[u8]; 2]>::from(self.bytes.as_slices()) {
                buf.put_slice(&part[..part.len().min(buf.remaining())]);
            }
            let n = before - buf.remaining();
            self.bytes.drain(..n);
            if n > 0 {
                wakers.woken = self.writer.take();
            }
            Poll::Ready(Ok(()))
        });
        (answer, wakers)
    }

    pub(super) fn write<'b>(
        &mut self,
        cx: &mut Context<'_>,
        bufs: impl Iterator<Item = &'b [u8]> + Clone,
    ) -> (Poll<io::Result<usize>>, Wakers) {
        let mut wakers = Wakers::default();
        let answer = budget::poll_spending(cx, |cx| {
            if self.is_closed {
                return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
            }
            if bufs.clone().all(<[u8]>::is_empty) {
                return Poll::Ready(Ok(0));
            }
            let room = self.max_len - self.bytes.len();
            if room == 0 {
                wakers.replaced = self.writer.replace(cx.waker().clone());
                return Poll::Pending;
            }
            let mut left = room;
            for buf in bufs {
                let n = buf.len().min(left);
                self.bytes.extend(&buf[..n]);
                left -= n;
            }
            wakers.woken = self.reader.take();
            Poll::Ready(Ok(room - left))
        });
        (answer, wakers)
    }
}

/// Returns the contents of each slice.
pub(super) fn contents<'b>(bufs: &'b [IoSlice<'_>]) -> impl Iterator<Item = &'b [u8]> + Clone {
    bufs.iter().map(|buf| &**buf)
}

impl AsyncRead for SimplexStream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let (answer, wakers) = self.read(cx, buf);
        wakers.wake();
        answer
    }
}

impl AsyncWrite for SimplexStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let (answer, wakers) = self.write(cx, std::iter::once(buf));
        wakers.wake();
        answer
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let (answer, wakers) = self.write(cx, contents(bufs));
        wakers.wake();
        answer
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.close_write().wake();
        Poll::Ready(Ok(()))
    }
}
