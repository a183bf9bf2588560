//! A reader that reads from one reader after the other.

use crate::io::{AsyncBufRead, AsyncRead, ReadBuf};
use pin_project_lite::pin_project;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

pin_project! {
    /// A reader that reads one reader to its end and then continues with another. Created by
    /// [`chain`](super::AsyncReadExt::chain).
    #[derive(Debug)]
    #[must_use = "nothing is read unless it is asked for"]
    pub struct Chain<T, U> {
        #[pin]
        first: T,
        #[pin]
        second: U,
        first_ended: bool,
    }
}

impl<T: AsyncRead, U: AsyncRead> Chain<T, U> {
    pub(super) fn new(first: T, second: U) -> Self {
        Self { first, second, first_ended: false }
    }

    /// Returns references to both readers.
    pub fn get_ref(&self) -> (&T, &U) {
        (&self.first, &self.second)
    }

    /// Returns mutable references to both readers.
    pub fn get_mut(&mut self) -> (&mut T, &mut U) {
        (&mut self.first, &mut self.second)
    }

    /// Returns pinned mutable references to both readers.
    pub fn get_pin_mut(self: Pin<&mut Self>) -> (Pin<&mut T>, Pin<&mut U>) {
        let me = self.project();
        (me.first, me.second)
    }

    /// Consumes the `Chain` and returns both readers.
    pub fn into_inner(self) -> (T, U) {
        (self.first, self.second)
    }
}

impl<T: AsyncRead, U: AsyncRead> AsyncRead for Chain<T, U> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let me = self.project();
        if !*me.first_ended {
            let left = buf.remaining();
            ready!(me.first.poll_read(cx, buf))?;
            if left == 0 || buf.remaining() != left {
                return Poll::Ready(Ok(()));
            }
            *me.first_ended = true;
        }
        me.second.poll_read(cx, buf)
    }
}

impl<T: AsyncBufRead, U: AsyncBufRead> AsyncBufRead for Chain<T, U> {
    fn poll_fill_buf(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        let me = self.project();
        if !*me.first_ended {
            let found = ready!(me.first.poll_fill_buf(cx))?;
            if !found.is_empty() {
                return Poll::Ready(Ok(found));
            }
            *me.first_ended = true;
        }
        me.second.poll_fill_buf(cx)
    }

    fn consume(self: Pin<&mut Self>, amt: usize) {
        let me = self.project();
        if *me.first_ended { me.second.consume(amt) } else { me.first.consume(amt) }
    }
}
