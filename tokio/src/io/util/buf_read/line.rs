//! Reads a single line.

use super::until::poll_read_until;
use crate::io::AsyncBufRead;
use crate::io::util::text::put_back;
use pin_project_lite::pin_project;
use std::future::Future;
use std::io;
use std::marker::PhantomPinned;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

pin_project! {
    /// The future returned by [`read_line`](super::AsyncBufReadExt::read_line).
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct ReadLine<'a, R: ?Sized> {
        reader: &'a mut R,
        text: &'a mut String,
        // The text's bytes, while it is read.
        bytes: Vec<u8>,
        read: usize,
        #[pin]
        pinned: PhantomPinned,
    }
}

impl<'a, R: ?Sized> ReadLine<'a, R> {
    pub(super) fn new(reader: &'a mut R, text: &'a mut String) -> Self {
        Self { reader, bytes: mem::take(text).into_bytes(), text, read: 0, pinned: PhantomPinned }
    }
}

impl<R: AsyncBufRead + Unpin + ?Sized> Future for ReadLine<'_, R> {
    type Output = io::Result<usize>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let me = self.project();
        let answer = ready!(poll_read_until(Pin::new(me.reader), cx, b'\n', me.bytes, me.read));
        let read = mem::take(me.read);
        Poll::Ready(put_back(me.text, me.bytes, read, answer.map(|()| read)))
    }
}
