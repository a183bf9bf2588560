//! Futures that read once.

use crate::io::{AsyncRead, ReadBuf};
use bytes::BufMut;
use pin_project_lite::pin_project;
use std::future::Future;
use std::io;
use std::marker::PhantomPinned;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

pin_project! {
    /// The future returned by [`read`](super::AsyncReadExt::read).
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct Read<'a, R: ?Sized> {
        reader: &'a mut R,
        buf: &'a mut [u8],
        #[pin]
        pinned: PhantomPinned,
    }
}

impl<'a, R: ?Sized> Read<'a, R> {
    pub(super) fn new(reader: &'a mut R, buf: &'a mut [u8]) -> Self {
        Self { reader, buf, pinned: PhantomPinned }
    }
}

impl<R: AsyncRead + Unpin + ?Sized> Future for Read<'_, R> {
    type Output = io::Result<usize>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let me = self.project();
        let mut buf = ReadBuf::new(me.buf);
        ready!(Pin::new(me.reader).poll_read(cx, &mut buf))?;
        Poll::Ready(Ok(buf.filled().len()))
    }
}

pin_project! {
    /// The future returned by [`read_buf`](super::AsyncReadExt::read_buf).
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct ReadInto<'a, R: ?Sized, B: ?Sized> {
        reader: &'a mut R,
        buf: &'a mut B,
        #[pin]
        pinned: PhantomPinned,
    }
}

impl<'a, R: ?Sized, B: ?Sized> ReadInto<'a, R, B> {
    pub(super) fn new(reader: &'a mut R, buf: &'a mut B) -> Self {
        Self { reader, buf, pinned: PhantomPinned }
    }
}

impl<R, B> Future for ReadInto<'_, R, B>
where
    R: AsyncRead + Unpin + ?Sized,
    B: BufMut + ?Sized,
{
    type Output = io::Result<usize>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let me = self.project();
        if !me.buf.has_remaining_mut() {
            return Poll::Ready(Ok(0));
        }
        // SAFETY: a `ReadBuf` never takes a value from a byte.
        let chunk = unsafe { me.buf.chunk_mut().as_uninit_slice_mut() };
        let mut buf = ReadBuf::uninit(chunk);
        let start = buf.filled().as_ptr();
        ready!(Pin::new(me.reader).poll_read(cx, &mut buf))?;
        assert_eq!(start, buf.filled().as_ptr(), "the reader has put another buffer in place of the one it was given");
        let n = buf.filled().len();
        // SAFETY: the reader has filled as many bytes of this chunk.
        unsafe { me.buf.advance_mut(n) };
        Poll::Ready(Ok(n))
    }
}
