//! The lines of a reader's input.

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
    /// Reads the lines of a reader one at a time. Created by
    /// [`lines`](super::AsyncBufReadExt::lines).
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

    /// Returns a mutable reference to the underlying reader.
    pub fn get_mut(&mut self) -> &mut R {
        &mut self.reader
    }

    /// Returns a reference to the underlying reader.
    pub fn get_ref(&mut self) -> &R {
        &self.reader
    }

    /// Consumes the `Lines` and returns the underlying reader.
    ///
    /// Bytes that the reader has buffered stay in the reader.
    pub fn into_inner(self) -> R {
        self.reader
    }
}

impl<R: AsyncBufRead> Lines<R> {
    /// Polls for the next line, and returns it without its line ending, `\n` or `\r\n`.
    ///
    /// Returns `Ready(Ok(None))` when the reader has reached its end.
    ///
    /// # Errors
    ///
    /// Returns the reader's error, or an error of the kind
    /// [`InvalidData`](std::io::ErrorKind::InvalidData) if the line is not valid UTF-8.
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
    /// Returns the next line without its line ending, `\n` or `\r\n`.
    ///
    /// Returns `None` when the reader has reached its end.
    ///
    /// # Errors
    ///
    /// Returns the reader's error, or an error of the kind
    /// [`InvalidData`](std::io::ErrorKind::InvalidData) if the line is not valid UTF-8.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe: if the future is dropped before it completes, the next call
    /// continues with the bytes that have been read so far.
    pub async fn next_line(&mut self) -> io::Result<Option<String>> {
        poll_fn(|cx| Pin::new(&mut *self).poll_next_line(cx)).await
    }
}
