//! A stream with a buffer for each direction.

use super::{BufReader, BufWriter, buf_reader};
use crate::io::forward::{forward_buf_read, forward_read, forward_seek, forward_write};
use crate::io::{AsyncBufRead, AsyncRead, AsyncSeek, AsyncWrite};
use pin_project_lite::pin_project;
use std::pin::Pin;

pin_project! {
    /// Wraps a stream and adds a buffer for reading and a buffer for writing.
    ///
    /// Bytes in the buffers are lost if the `BufStream` is dropped. Flush first to keep written
    /// bytes.
    #[derive(Debug)]
    pub struct BufStream<RW> {
        #[pin]
        inner: BufReader<BufWriter<RW>>,
    }
}

impl<RW: AsyncRead + AsyncWrite> BufStream<RW> {
    /// Wraps `stream` with two buffers of 8 KiB each.
    pub fn new(stream: RW) -> Self {
        Self { inner: BufReader::new(BufWriter::new(stream)) }
    }

    /// Wraps `stream` with a read buffer of `reader_capacity` bytes and a write buffer of
    /// `writer_capacity` bytes.
    ///
    /// # Panics
    ///
    /// Panics if `reader_capacity` is 0.
    #[track_caller]
    pub fn with_capacity(reader_capacity: usize, writer_capacity: usize, stream: RW) -> Self {
        let writer = BufWriter::with_capacity(writer_capacity, stream);
        Self { inner: BufReader::with_capacity(reader_capacity, writer) }
    }

    /// Returns a reference to the underlying stream.
    pub fn get_ref(&self) -> &RW {
        self.inner.get_ref().get_ref()
    }

    /// Returns a mutable reference to the underlying stream.
    ///
    /// Reading or writing the stream directly bypasses the buffers.
    pub fn get_mut(&mut self) -> &mut RW {
        self.inner.get_mut().get_mut()
    }

    /// Returns a pinned mutable reference to the underlying stream.
    ///
    /// Reading or writing the stream directly bypasses the buffers.
    pub fn get_pin_mut(self: Pin<&mut Self>) -> Pin<&mut RW> {
        self.project().inner.get_pin_mut().get_pin_mut()
    }

    /// Consumes the `BufStream` and returns the underlying stream.
    ///
    /// Bytes in both buffers are lost.
    pub fn into_inner(self) -> RW {
        self.inner.into_inner().into_inner()
    }
}

impl<RW> From<BufReader<BufWriter<RW>>> for BufStream<RW> {
    fn from(inner: BufReader<BufWriter<RW>>) -> Self {
        Self { inner }
    }
}

/// Keeps the contents of both buffers. A seek that has begun but not completed is forgotten.
impl<RW> From<BufWriter<BufReader<RW>>> for BufStream<RW> {
    fn from(outer: BufWriter<BufReader<RW>>) -> Self {
        let BufWriter { inner: reader, buf, written, seek } = outer;
        let BufReader { inner, buf: read, start, end, .. } = reader;
        let inner = BufWriter { inner, buf, written, seek };
        Self { inner: BufReader { inner, buf: read, start, end, seek: buf_reader::Seek::None } }
    }
}

impl<RW: AsyncRead + AsyncWrite> AsyncRead for BufStream<RW> {
    forward_read!(inner);
}

impl<RW: AsyncRead + AsyncWrite> AsyncBufRead for BufStream<RW> {
    forward_buf_read!(inner);
}

impl<RW: AsyncRead + AsyncWrite> AsyncWrite for BufStream<RW> {
    forward_write!(inner);
}

impl<RW: AsyncRead + AsyncWrite + AsyncSeek> AsyncSeek for BufStream<RW> {
    forward_seek!(inner);
}
