//! Reads until a slice is full.

use crate::io::util::interrupted::uninterrupted;
use crate::io::{AsyncRead, ReadBuf};
use pin_project_lite::pin_project;
use std::future::Future;
use std::io;
use std::marker::PhantomPinned;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

pin_project! {
    /// The future returned by [`read_exact`](super::AsyncReadExt::read_exact).
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct ReadExact<'a, R: ?Sized> {
        reader: &'a mut R,
        buf: &'a mut [u8],
        filled: usize,
        #[pin]
        pinned: PhantomPinned,
    }
}

impl<'a, R: ?Sized> ReadExact<'a, R> {
    pub(super) fn new(reader: &'a mut R, buf: &'a mut [u8]) -> Self {
        Self { reader, buf, filled: 0, pinned: PhantomPinned }
    }
}

impl<R: AsyncRead + Unpin + ?Sized> Future for ReadExact<'_, R> {
    type Output = io::Result<usize>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let me = self.project();
        ready!(poll_fill(Pin::new(me.reader), cx, me.buf, me.filled))?;
        Poll::Ready(Ok(me.buf.len()))
    }
}

/// Reads until all of `bytes` is filled. The first `filled` bytes are filled already.
pub(super) fn poll_fill<R: AsyncRead + ?Sized>(
    mut reader: Pin<&mut R>,
    cx: &mut Context<'_>,
    bytes: &mut [u8],
    filled: &mut usize,
) -> Poll<io::Result<()>> {
    while *filled < bytes.len() {
        let mut buf = ReadBuf::new(&mut bytes[*filled..]);
        ready!(uninterrupted(|| reader.as_mut().poll_read(cx, &mut buf)))?;
        let n = buf.filled().len();
        if n == 0 {
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::UnexpectedEof, "early end of the input")));
        }
        *filled += n;
    }
    Poll::Ready(Ok(()))
}
