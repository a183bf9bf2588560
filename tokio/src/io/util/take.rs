//! A reader with a limit.

use crate::io::{AsyncBufRead, AsyncRead, ReadBuf};
use pin_project_lite::pin_project;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

pin_project! {
    /// A reader that ends after a given number of bytes. Created by
    /// [`take`](super::AsyncReadExt::take).
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

    /// Returns the number of bytes that can still be read before the limit is reached.
    ///
    /// The underlying reader may end earlier.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Sets the number of bytes that can still be read, regardless of how many have been read so
    /// far.
    pub fn set_limit(&mut self, limit: u64) {
        self.limit = limit;
    }

    /// Returns a reference to the underlying reader.
    pub fn get_ref(&self) -> &R {
        &self.inner
    }

    /// Returns a mutable reference to the underlying reader.
    ///
    /// Bytes that are read from the reader directly do not count against the limit.
    pub fn get_mut(&mut self) -> &mut R {
        &mut self.inner
    }

    /// Returns a pinned mutable reference to the underlying reader.
    ///
    /// Bytes that are read from the reader directly do not count against the limit.
    pub fn get_pin_mut(self: Pin<&mut Self>) -> Pin<&mut R> {
        self.project().inner
    }

    /// Consumes the `Take` and returns the underlying reader.
    pub fn into_inner(self) -> R {
        self.inner
    }
}

/// Returns `len`, or `limit` if that is smaller.
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
