//! The segments of a reader's input.

use super::until::poll_read_until;
use crate::io::AsyncBufRead;
use pin_project_lite::pin_project;
use std::future::poll_fn;
use std::io;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

pin_project! {
    /// Splits a reader's input into segments at a delimiter byte. Created by
    /// [`split`](super::AsyncBufReadExt::split).
    #[derive(Debug)]
    #[must_use = "segments are not read unless they are asked for"]
    pub struct Split<R> {
        #[pin]
        reader: R,
        // The segment so far.
        segment: Vec<u8>,
        byte: u8,
    }
}

impl<R> Split<R> {
    pub(super) fn new(reader: R, byte: u8) -> Self {
        Self { reader, segment: Vec::new(), byte }
    }
}

impl<R: AsyncBufRead> Split<R> {
    /// Polls for the next segment, and returns it without the delimiter byte that ends it.
    ///
    /// Returns `Ready(Ok(None))` when the reader has reached its end.
    ///
    /// # Errors
    ///
    /// Returns the reader's error.
    pub fn poll_next_segment(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<Option<Vec<u8>>>> {
        let me = self.project();
        ready!(poll_read_until(me.reader, cx, *me.byte, me.segment, &mut 0))?;
        let mut segment = mem::take(me.segment);
        if segment.is_empty() {
            return Poll::Ready(Ok(None));
        }
        if segment.last() == Some(me.byte) {
            segment.pop();
        }
        Poll::Ready(Ok(Some(segment)))
    }
}

impl<R: AsyncBufRead + Unpin> Split<R> {
    /// Returns the next segment without the delimiter byte that ends it.
    ///
    /// Returns `None` when the reader has reached its end.
    ///
    /// # Errors
    ///
    /// Returns the reader's error.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe: if the future is dropped before it completes, the next call
    /// continues with the bytes that have been read so far.
    pub async fn next_segment(&mut self) -> io::Result<Option<Vec<u8>>> {
        poll_fn(|cx| Pin::new(&mut *self).poll_next_segment(cx)).await
    }
}
