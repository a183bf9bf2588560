//! A buffered reader.

use super::BUFFER_SIZE;
use crate::io::forward::forward_write;
use crate::io::{AsyncBufRead, AsyncRead, AsyncSeek, AsyncWrite, ReadBuf};
use pin_project_lite::pin_project;
use std::fmt;
use std::io::{self, SeekFrom};
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

pin_project! {
    /// Wraps a reader and adds a buffer, so that many small reads need only a few large ones.
    ///
    /// Bytes in the buffer are lost if the `BufReader` is dropped or taken apart.
    pub struct BufReader<R> {
        #[pin]
        pub(super) inner: R,
        pub(super) buf: Box<[u8]>,
        // The buffer's part from `start` to `end` was read and is to be handed out.
        pub(super) start: usize,
        pub(super) end: usize,
        pub(super) seek: Seek,
    }
}

/// The state of a seek.
#[derive(Clone, Copy, Debug)]
pub(super) enum Seek {
    None,
    Asked(SeekFrom),
    /// The reader seeks back over the buffered bytes first, because the whole distance does not fit
    /// into one number.
    Back(i64),
    UnderWay,
}

impl<R: AsyncRead> BufReader<R> {
    /// Wraps `inner` with a buffer of 8 KiB.
    pub fn new(inner: R) -> Self {
        Self::with_capacity(BUFFER_SIZE, inner)
    }

    /// Wraps `inner` with a buffer of `capacity` bytes.
    ///
    /// # Panics
    ///
    /// Panics if `capacity` is 0.
    #[track_caller]
    pub fn with_capacity(capacity: usize, inner: R) -> Self {
        assert!(
            capacity > 0,
            "capacity must be greater than zero: a buffer without room would look like the end of the input"
        );
        Self { inner, buf: vec![0; capacity].into_boxed_slice(), start: 0, end: 0, seek: Seek::None }
    }

    /// Returns a reference to the underlying reader.
    pub fn get_ref(&self) -> &R {
        &self.inner
    }

    /// Returns a mutable reference to the underlying reader.
    ///
    /// Reading from the reader directly skips the bytes in the buffer.
    pub fn get_mut(&mut self) -> &mut R {
        &mut self.inner
    }

    /// Returns a pinned mutable reference to the underlying reader.
    ///
    /// Reading from the reader directly skips the bytes in the buffer.
    pub fn get_pin_mut(self: Pin<&mut Self>) -> Pin<&mut R> {
        self.project().inner
    }

    /// Consumes the `BufReader` and returns the underlying reader.
    ///
    /// Bytes in the buffer are lost.
    pub fn into_inner(self) -> R {
        self.inner
    }

    /// Returns the bytes in the buffer, which have been read from the reader but not from the
    /// `BufReader`.
    pub fn buffer(&self) -> &[u8] {
        &self.buf[self.start..self.end]
    }

    fn discard(self: Pin<&mut Self>) {
        let me = self.project();
        *me.start = 0;
        *me.end = 0;
    }
}

impl<R: AsyncRead> AsyncRead for BufReader<R> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.buffer().is_empty() && buf.remaining() >= self.buf.len() {
            let answer = ready!(self.as_mut().get_pin_mut().poll_read(cx, buf));
            self.discard();
            return Poll::Ready(answer);
        }
        let found = ready!(self.as_mut().poll_fill_buf(cx))?;
        let n = found.len().min(buf.remaining());
        buf.put_slice(&found[..n]);
        self.consume(n);
        Poll::Ready(Ok(()))
    }
}

impl<R: AsyncRead> AsyncBufRead for BufReader<R> {
    fn poll_fill_buf(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        let me = self.project();
        if me.start >= me.end {
            let mut buf = ReadBuf::new(me.buf);
            ready!(me.inner.poll_read(cx, &mut buf))?;
            *me.end = buf.filled().len();
            *me.start = 0;
        }
        Poll::Ready(Ok(&me.buf[*me.start..*me.end]))
    }

    fn consume(self: Pin<&mut Self>, amt: usize) {
        let me = self.project();
        *me.start = (*me.start + amt).min(*me.end);
    }
}

/// Seeking takes the buffered bytes into account, and discards them.
impl<R: AsyncRead + AsyncSeek> AsyncSeek for BufReader<R> {
    fn start_seek(self: Pin<&mut Self>, position: SeekFrom) -> io::Result<()> {
        *self.project().seek = Seek::Asked(position);
        Ok(())
    }

    fn poll_complete(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<u64>> {
        loop {
            let ahead = self.buffer().len() as i64;
            let me = self.as_mut().project();
            // An error ends the move.
            match mem::replace(me.seek, Seek::None) {
                Seek::None => return me.inner.poll_complete(cx),
                Seek::Asked(SeekFrom::Current(distance)) => {
                    let (first, next) = match distance.checked_sub(ahead) {
                        Some(whole) => (whole, Seek::UnderWay),
                        None => (-ahead, Seek::Back(distance)),
                    };
                    me.inner.start_seek(SeekFrom::Current(first))?;
                    *me.seek = next;
                }
                Seek::Asked(position) => {
                    me.inner.start_seek(position)?;
                    *me.seek = Seek::UnderWay;
                }
                Seek::Back(distance) => {
                    let mut inner = me.inner;
                    if inner.as_mut().poll_complete(cx)?.is_pending() {
                        *me.seek = Seek::Back(distance);
                        return Poll::Pending;
                    }
                    // The buffered bytes are ahead again, also if the next step fails.
                    *me.start = 0;
                    *me.end = 0;
                    inner.start_seek(SeekFrom::Current(distance))?;
                    *me.seek = Seek::UnderWay;
                }
                Seek::UnderWay => {
                    let Poll::Ready(position) = me.inner.poll_complete(cx)? else {
                        *me.seek = Seek::UnderWay;
                        return Poll::Pending;
                    };
                    self.discard();
                    return Poll::Ready(Ok(position));
                }
            }
        }
    }
}

impl<R: AsyncRead + AsyncWrite> AsyncWrite for BufReader<R> {
    forward_write!(inner);
}

impl<R: fmt::Debug> fmt::Debug for BufReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BufReader")
            .field("reader", &self.inner)
            .field("buffer", &format_args!("{}/{}", self.end - self.start, self.buf.len()))
            .finish()
    }
}
