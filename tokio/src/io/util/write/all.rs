//! Futures that write until nothing is left.

use super::some::poll_write_buf;
use crate::io::AsyncWrite;
use crate::io::util::interrupted::uninterrupted;
use bytes::Buf;
use pin_project_lite::pin_project;
use std::future::Future;
use std::io;
use std::marker::PhantomPinned;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

pin_project! {
    /// The future returned by [`write_all`](super::AsyncWriteExt::write_all).
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct WriteAll<'a, W: ?Sized> {
        writer: &'a mut W,
        buf: &'a [u8],
        #[pin]
        pinned: PhantomPinned,
    }
}

impl<'a, W: ?Sized> WriteAll<'a, W> {
    pub(super) fn new(writer: &'a mut W, buf: &'a [u8]) -> Self {
        Self { writer, buf, pinned: PhantomPinned }
    }
}

impl<W: AsyncWrite + Unpin + ?Sized> Future for WriteAll<'_, W> {
    type Output = io::Result<()>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let me = self.project();
        while !me.buf.is_empty() {
            let n = ready!(uninterrupted(|| Pin::new(&mut **me.writer).poll_write(cx, me.buf)))?;
            if n == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            *me.buf = &mem::take(me.buf)[n..];
        }
        Poll::Ready(Ok(()))
    }
}

pin_project! {
    /// The future returned by [`write_all_buf`](super::AsyncWriteExt::write_all_buf).
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct WriteAllBuf<'a, W, B> {
        writer: &'a mut W,
        buf: &'a mut B,
        #[pin]
        pinned: PhantomPinned,
    }
}

impl<'a, W, B> WriteAllBuf<'a, W, B> {
    pub(super) fn new(writer: &'a mut W, buf: &'a mut B) -> Self {
        Self { writer, buf, pinned: PhantomPinned }
    }
}

impl<W: AsyncWrite + Unpin, B: Buf> Future for WriteAllBuf<'_, W, B> {
    type Output = io::Result<()>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let me = self.project();
        while me.buf.has_remaining() {
            let write = || poll_write_buf(Pin::new(&mut **me.writer), cx, &mut **me.buf);
            if ready!(uninterrupted(write))? == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
        }
        Poll::Ready(Ok(()))
    }
}

pin_project! {
    /// The future returned by the methods that write a number, such as
    /// [`write_u8`](super::AsyncWriteExt::write_u8).
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct WriteNumber<'a, W: ?Sized, B> {
        writer: &'a mut W,
        bytes: B,
        written: usize,
        #[pin]
        pinned: PhantomPinned,
    }
}

impl<'a, W: ?Sized, B> WriteNumber<'a, W, B> {
    pub(super) fn new(writer: &'a mut W, bytes: B) -> Self {
        Self { writer, bytes, written: 0, pinned: PhantomPinned }
    }
}

impl<W: AsyncWrite + Unpin + ?Sized, B: AsRef<[u8]>> Future for WriteNumber<'_, W, B> {
    type Output = io::Result<()>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let me = self.project();
        let bytes = (*me.bytes).as_ref();
        while *me.written < bytes.len() {
            let rest = &bytes[*me.written..];
            let n = ready!(uninterrupted(|| Pin::new(&mut **me.writer).poll_write(cx, rest)))?;
            if n == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            *me.written += n;
        }
        Poll::Ready(Ok(()))
    }
}
