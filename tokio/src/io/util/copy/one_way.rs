//! From a reader to a writer.

use super::buffer::Buffer;
use crate::io::util::BUFFER_SIZE;
use crate::io::{AsyncRead, AsyncWrite};
use std::future::poll_fn;
use std::io;
use std::pin::Pin;

/// Copies everything from `reader` to `writer`, flushes, and returns the number of bytes.
///
/// # Errors
///
/// The reader's or the writer's. Bytes that were read and not yet written are lost.
pub async fn copy<'a, R, W>(reader: &'a mut R, writer: &'a mut W) -> io::Result<u64>
where
    R: AsyncRead + Unpin + ?Sized,
    W: AsyncWrite + Unpin + ?Sized,
{
    let mut buffer = Buffer::new(BUFFER_SIZE);
    poll_fn(|cx| buffer.poll_copy(cx, Pin::new(&mut *reader), Pin::new(&mut *writer))).await
}
