//! A stream made of a reader and a writer.

use super::forward::{forward_buf_read, forward_read, forward_write};
use super::{AsyncBufRead, AsyncRead, AsyncWrite};
use pin_project_lite::pin_project;
use std::pin::Pin;

pin_project! {
    /// A stream that reads from one value and writes to another. Created by [`join`].
    #[derive(Debug)]
    pub struct Join<R, W> {
        #[pin]
        reader: R,
        #[pin]
        writer: W,
    }
}

/// Joins a reader and a writer into one stream, which reads from `reader` and writes to `writer`.
pub fn join<R: AsyncRead, W: AsyncWrite>(reader: R, writer: W) -> Join<R, W> {
    Join { reader, writer }
}

impl<R: AsyncRead, W: AsyncWrite> Join<R, W> {
    /// Consumes the `Join` and returns the reader and the writer.
    pub fn into_inner(self) -> (R, W) {
        (self.reader, self.writer)
    }

    /// Returns a reference to the reader.
    pub fn reader(&self) -> &R {
        &self.reader
    }

    /// Returns a reference to the writer.
    pub fn writer(&self) -> &W {
        &self.writer
    }

    /// Returns a mutable reference to the reader.
    pub fn reader_mut(&mut self) -> &mut R {
        &mut self.reader
    }

    /// Returns a mutable reference to the writer.
    pub fn writer_mut(&mut self) -> &mut W {
        &mut self.writer
    }

    /// Returns a pinned mutable reference to the reader.
    pub fn reader_pin_mut(self: Pin<&mut Self>) -> Pin<&mut R> {
        self.project().reader
    }

    /// Returns a pinned mutable reference to the writer.
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
