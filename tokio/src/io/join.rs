//! A stream of a reader and a writer.

use super::forward::{forward_buf_read, forward_read, forward_write};
use super::{AsyncBufRead, AsyncRead, AsyncWrite};
use pin_project_lite::pin_project;
use std::pin::Pin;

pin_project! {
    /// Reads from one and writes to the other: see [`join`].
    #[derive(Debug)]
    pub struct Join<R, W> {
        #[pin]
        reader: R,
        #[pin]
        writer: W,
    }
}

/// Returns a stream that reads from `reader` and writes to `writer`.
pub fn join<R: AsyncRead, W: AsyncWrite>(reader: R, writer: W) -> Join<R, W> {
    Join { reader, writer }
}

impl<R: AsyncRead, W: AsyncWrite> Join<R, W> {
    /// Returns the reader and the writer.
    pub fn into_inner(self) -> (R, W) {
        (self.reader, self.writer)
    }

    /// Returns the reader.
    pub fn reader(&self) -> &R {
        &self.reader
    }

    /// Returns the writer.
    pub fn writer(&self) -> &W {
        &self.writer
    }

    /// Returns the reader, to change.
    pub fn reader_mut(&mut self) -> &mut R {
        &mut self.reader
    }

    /// Returns the writer, to change.
    pub fn writer_mut(&mut self) -> &mut W {
        &mut self.writer
    }

    /// Returns the reader, pinned.
    pub fn reader_pin_mut(self: Pin<&mut Self>) -> Pin<&mut R> {
        self.project().reader
    }

    /// Returns the writer, pinned.
    pub fn writer_pin_mut(self: Pin<&mut Self>) -> Pin<&mut W> {
        self.project().writer
    }
}

impl<R: AsyncRead, W> AsyncRead for Join<R, W> {
    forward_read!(reader);
}

impl<R: AsyncBufRead, W> AsyncBufRead for Join<R, W> {
    forward_buf_read!(reader);
}

impl<R, W: AsyncWrite> AsyncWrite for Join<R, W> {
    forward_write!(writer);
}
