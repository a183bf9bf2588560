//! Reads up to a delimiter byte.

use super::fill::poll_consume;
use crate::io::AsyncBufRead;
use pin_project_lite::pin_project;
use std::future::Future;
use std::io;
use std::marker::PhantomPinned;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

pin_project! {
    /// The future returned by [`read_until`](super::AsyncBufReadExt::read_until).
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct ReadUntil<'a, R: ?Sized> {
        reader: &'a mut R,
        byte: u8,
        buf: &'a mut Vec<u8>,
        read: usize,
        #[pin]
        pinned: PhantomPinned,
    }
}

impl<'a, R: ?Sized> ReadUntil<'a, R> {
    pub(super) fn new(reader: &'a mut R, byte: u8, buf: &'a mut Vec<u8>) -> Self {
        Self { reader, byte, buf, read: 0, pinned: PhantomPinned }
    }
}

impl<R: AsyncBufRead + Unpin + ?Sized> Future for ReadUntil<'_, R> {
    type Output = io::Result<usize>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let me = self.project();
        ready!(poll_read_until(Pin::new(me.reader), cx, *me.byte, me.buf, me.read))?;
        Poll::Ready(Ok(*me.read))
    }
}

/// Reads up to and including `byte`, appends to `buf`, and adds the number of bytes to `read`.
pub(super) fn poll_read_until<R: AsyncBufRead + ?Sized>(
    reader: Pin<&mut R>,
    cx: &mut Context<'_>,
    byte: u8,
    buf: &mut Vec<u8>,
    read: &mut usize,
) -> Poll<io::Result<()>> {
    poll_consume(reader, cx, |found| {
        let last = found.iter().position(|&one| one == byte);
        let n = last.map_or(found.len(), |last| last + 1);
        buf.extend_from_slice(&found[..n]);
        *read += n;
        (n, last.is_some())
    })
}
