//! Copying from a reader to a writer.

use super::buffer::Buffer;
use crate::io::util::BUFFER_SIZE;
use crate::io::{AsyncRead, AsyncWrite};
use std::future::poll_fn;
use std::io;
use std::pin::Pin;

/// Copies all bytes from `reader` to `writer`, and then flushes `writer`.
///
/// Returns the number of bytes copied.
///
/// # Errors
///
/// Returns the first error of the reader or of the writer. Bytes that have been read but not
/// written are lost in that case.
pub async fn copy<'a, R, W>(reader: &'a mut R, writer: &'a mut W) -> io::Result<u64>
where
    R: AsyncRead + Unpin + ?Sized,
    W: AsyncWrite + Unpin + ?Sized,
{
    let mut buffer = Buffer::new(BUFFER_SIZE);
    poll_fn(|cx| buffer.poll_copy(cx, Pin::new(&mut *reader), Pin::new(&mut *writer))).await
}
