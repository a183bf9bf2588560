//! The beginning of a reader's input.

use crate::io::{AsyncBufRead, AsyncRead, ReadBuf};
use pin_project_lite::pin_project;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

pin_project! {
    /// Reads until a limit: see [`take`](super::AsyncReadExt::take).
    #[derive(Debug)]
    #[must_use = "nothing is read unless it is asked for"]
    pub struct Take<R> {
        #[pin]
        inner: R,
        // Bytes left.
        limit: u64,
    }
}

impl<R: AsyncRead> Take<R> {
    pub(super) fn new(inner: R, limit: u64) -> Self {
        Self { inner, limit }
    }

    /// Returns how many bytes may be read before the end.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Sets how many bytes may be read before the end, whatever was read so far.
    pub fn set_limit(&mut self, limit: u64) {
        self.limit = limit;
    }

    /// Returns the reader.
    pub fn get_ref(&self) -> &R {
        &self.inner
    }

    /// Returns the reader, to change. The limit knows nothing of what is read from it.
    pub fn get_mut(&mut self) -> &mut R {
        &mut self.inner
    }

    /// Returns the reader, pinned. The limit knows nothing of what is read from it.
    pub fn get_pin_mut(self: Pin<&mut Self>) -> Pin<&mut R> {
        self.project().inner
    }

    /// Returns the reader.
    pub fn into_inner(self) -> R {
        self.inner
    }
}

/// Returns as much of `len` as the limit allows.
fn within(len: usize, limit: u64) -> usize {
    usize::try_from(limit).map_or(len, |limit| limit.min(len))
}

impl<R: AsyncRead> AsyncRead for Take<R> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.limit == 0 {
            return Poll::Ready(Ok(()));
        }
        let me = self.project();
        let mut part = buf.take(within(buf.remaining(), *me.limit));
        let start = part.filled().as_ptr();
        ready!(me.inner.poll_read(cx, &mut part))?;
        assert_eq!(start, part.filled().as_ptr(), "the reader has put another buffer in place of the one it was given");
        let (n, initialized) = (part.filled().len(), part.initialized().len());
        // SAFETY: `part` was the beginning of what is not filled, and says that these have values.
        unsafe { buf.assume_init(initialized) };
        buf.advance(n);
        *me.limit -= n as u64;
        Poll::Ready(Ok(()))
    }
}

impl<R: AsyncBufRead> AsyncBufRead for Take<R> {
    fn poll_fill_buf(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        let me = self.project();
        if *me.limit == 0 {
            return Poll::Ready(Ok(&[]));
        }
        let found = ready!(me.inner.poll_fill_buf(cx))?;
        Poll::Ready(Ok(&found[..within(found.len(), *me.limit)]))
    }

    fn consume(self: Pin<&mut Self>, amt: usize) {
        let me = self.project();
        let amt = within(amt, *me.limit);
        *me.limit -= amt as u64;
        me.inner.consume(amt);
    }
}
