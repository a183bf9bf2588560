//! A buffered writer.

use super::BUFFER_SIZE;
use crate::io::forward::{forward_buf_read, forward_read};
use crate::io::util::interrupted::uninterrupted;
use crate::io::{AsyncBufRead, AsyncRead, AsyncSeek, AsyncWrite};
use pin_project_lite::pin_project;
use std::fmt;
use std::io::{self, IoSlice, SeekFrom};
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

pin_project! {
    /// Wraps a writer and adds a buffer, so that many small writes become few large ones.
    ///
    /// Bytes in the buffer are lost if the `BufWriter` is dropped without a flush. Call
    /// [`flush`](super::AsyncWriteExt::flush) or [`shutdown`](super::AsyncWriteExt::shutdown)
    /// first.
    pub struct BufWriter<W> {
        #[pin]
        pub(super) inner: W,
        pub(super) buf: Vec<u8>,
        // How much of the buffer the writer has taken.
        pub(super) written: usize,
        pub(super) seek: Seek,
    }
}

/// The state of a seek.
#[derive(Clone, Copy, Debug)]
pub(super) enum Seek {
    None,
    Asked(SeekFrom),
    UnderWay,
}

impl<W: AsyncWrite> BufWriter<W> {
    /// Wraps `inner` with a buffer of 8 KiB.
    pub fn new(inner: W) -> Self {
        Self::with_capacity(BUFFER_SIZE, inner)
    }

    /// Wraps `inner` with a buffer of `cap` bytes.
    pub fn with_capacity(cap: usize, inner: W) -> Self {
        Self { inner, buf: Vec::with_capacity(cap), written: 0, seek: Seek::None }
    }

    /// Returns a reference to the underlying writer.
    pub fn get_ref(&self) -> &W {
        &self.inner
    }

    /// Returns a mutable reference to the underlying writer.
    ///
    /// Bytes that are still in the buffer have not reached the writer.
    pub fn get_mut(&mut self) -> &mut W {
        &mut self.inner
    }

    /// Returns a pinned mutable reference to the underlying writer.
    ///
    /// Bytes that are still in the buffer have not reached the writer.
    pub fn get_pin_mut(self: Pin<&mut Self>) -> Pin<&mut W> {
        self.project().inner
    }

    /// Consumes the `BufWriter` and returns the underlying writer.
    ///
    /// Bytes in the buffer that have not been flushed are lost.
    pub fn into_inner(self) -> W {
        self.inner
    }

    /// Returns the bytes in the buffer, which have not been flushed.
    pub fn buffer(&self) -> &[u8] {
        &self.buf
    }

    /// Writes out the buffered bytes without flushing the writer.
    fn poll_empty(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut me = self.project();
        let mut answer = Ok(());
        while *me.written < me.buf.len() && answer.is_ok() {
            let rest = &me.buf[*me.written..];
            match ready!(uninterrupted(|| me.inner.as_mut().poll_write(cx, rest))) {
                Ok(0) => answer = Err(io::ErrorKind::WriteZero.into()),
                Ok(n) => *me.written += n,
                Err(error) => answer = Err(error),
            }
        }
        me.buf.drain(..mem::take(me.written));
        Poll::Ready(answer)
    }

    /// Writes out the buffered bytes if `more` bytes do not fit into the buffer. Returns `true` if
    /// the new bytes should bypass the buffer.
    fn poll_make_room(self: &mut Pin<&mut Self>, cx: &mut Context<'_>, more: usize) -> Poll<io::Result<bool>> {
        if more > self.buf.capacity() - self.buf.len() {
            ready!(self.as_mut().poll_empty(cx))?;
        }
        Poll::Ready(Ok(more >= self.buf.capacity()))
    }
}

impl<W: AsyncWrite> AsyncWrite for BufWriter<W> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let passes_by = ready!(self.poll_make_room(cx, buf.len()))?;
        let me = self.project();
        if passes_by {
            return me.inner.poll_write(cx, buf);
        }
        me.buf.extend_from_slice(buf);
        Poll::Ready(Ok(buf.len()))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if self.inner.is_write_vectored() {
            let sum = bufs.iter().fold(0_usize, |sum, buf| sum.saturating_add(buf.len()));
            if ready!(self.poll_make_room(cx, sum))? {
                return self.project().inner.poll_write_vectored(cx, bufs);
            }
        } else if let Some(first) = bufs.iter().find(|buf| !buf.is_empty()) {
            if ready!(self.poll_make_room(cx, first.len()))? {
                return self.project().inner.poll_write(cx, first);
            }
        }
        let gathered = self.project().buf;
        let before = gathered.len();
        for buf in bufs {
            if buf.len() > gathered.capacity() - gathered.len() {
                break;
            }
            gathered.extend_from_slice(buf);
        }
        Poll::Ready(Ok(gathered.len() - before))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.as_mut().poll_empty(cx))?;
        self.get_pin_mut().poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.as_mut().poll_empty(cx))?;
        self.get_pin_mut().poll_shutdown(cx)
    }
}

/// Seeking first writes out the bytes in the buffer.
impl<W: AsyncWrite + AsyncSeek> AsyncSeek for BufWriter<W> {
    fn start_seek(self: Pin<&mut Self>, position: SeekFrom) -> io::Result<()> {
        *self.project().seek = Seek::Asked(position);
        Ok(())
    }

    fn poll_complete(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<u64>> {
        if let Seek::Asked(position) = self.seek {
            ready!(self.as_mut().poll_empty(cx))?;
            let me = self.as_mut().project();
            *me.seek = Seek::None;
            me.inner.start_seek(position)?;
            *me.seek = Seek::UnderWay;
        }
        let me = self.project();
        let answer = ready!(me.inner.poll_complete(cx));
        *me.seek = Seek::None;
        Poll::Ready(answer)
    }
}

impl<W: AsyncWrite + AsyncRead> AsyncRead for BufWriter<W> {
    forward_read!(inner);
}

impl<W: AsyncWrite + AsyncBufRead> AsyncBufRead for BufWriter<W> {
    forward_buf_read!(inner);
}

impl<W: fmt::Debug> fmt::Debug for BufWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BufWriter")
            .field("writer", &self.inner)
            .field("buffer", &format_args!("{}/{}", self.buf.len(), self.buf.capacity()))
            .field("written", &self.written)
            .finish()
    }
}
