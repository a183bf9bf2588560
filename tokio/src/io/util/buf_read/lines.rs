//! The lines of a reader.

use super::until::poll_read_until;
use crate::io::AsyncBufRead;
use crate::io::util::text::not_text;
use pin_project_lite::pin_project;
use std::future::poll_fn;
use std::io;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

pin_project! {
    /// Returns the lines of a reader: see [`lines`](super::AsyncBufReadExt::lines).
    #[derive(Debug)]
    #[must_use = "lines are not read unless they are asked for"]
    pub struct Lines<R> {
        #[pin]
        reader: R,
        // The line so far.
        line: Vec<u8>,
    }
}

impl<R> Lines<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { reader, line: Vec::new() }
    }

    /// Returns the reader, to change.
    pub fn get_mut(&mut self) -> &mut R {
        &mut self.reader
    }

    /// Returns the reader.
    pub fn get_ref(&mut self) -> &R {
        &self.reader
    }

    /// Returns the reader. It keeps the bytes that it has buffered.
    pub fn into_inner(self) -> R {
        self.reader
    }
}

impl<R: AsyncBufRead> Lines<R> {
    /// Returns the next line without its end, which is `\n` or `\r\n`. `None` means the end.
    ///
    /// # Errors
    ///
    /// The reader's, or that a line is not UTF-8.
    pub fn poll_next_line(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<Option<String>>> {
        let me = self.project();
        ready!(poll_read_until(me.reader, cx, b'\n', me.line, &mut 0))?;
        let mut line = mem::take(me.line);
        if line.is_empty() {
            return Poll::Ready(Ok(None));
        }
        if line.last() == Some(&b'\n') {
            line.pop();
            if line.last() == Some(&b'\r') {
                line.pop();
            }
        }
        Poll::Ready(String::from_utf8(line).map(Some).map_err(not_text))
    }
}

impl<R: AsyncBufRead + Unpin> Lines<R> {
    /// Returns the next line without its end, which is `\n` or `\r\n`. `None` means the end.
    ///
    /// # Errors
    ///
    /// The reader's, or that a line is not UTF-8.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, another call continues.
    pub async fn next_line(&mut self) -> io::Result<Option<String>> {
        poll_fn(|cx| Pin::new(&mut *self).poll_next_line(cx)).await
    }
}
