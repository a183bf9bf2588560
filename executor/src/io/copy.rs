//! Copying all that a stream has to another.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;

use tokio::io::{AsyncRead, AsyncWrite};

use super::transfer::Transfer;

/// The size of a buffer unless the caller gives one.
pub(super) const BUFFER: usize = 8 * 1024;

/// Copies all bytes of `reader` to `writer`, until `reader` ends. Returns their number.
///
/// The bytes go through a buffer of 8 KiB; [`copy_buf`](super::copy_buf()) copies out of the
/// reader's own. The writer is flushed at the end, and whenever the reader has nothing yet. It is
/// not shut down.
///
/// Between streams that are always ready, other tasks get their turn after some hundred KiB.
///
/// # Errors
///
/// Returns the first error of either stream, and an error of kind
/// [`WriteZero`](io::ErrorKind::WriteZero) if the writer takes no more bytes. Bytes that were read
/// and not yet written are lost.
///
/// # Cancel safety
///
/// Not cancel safe: if the future is dropped while it waits, bytes that were read and not yet
/// written are lost, and their number is not reported.
///
/// # Examples
///
/// ```
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let mut reader: &[u8] = b"hello";
/// let mut writer = Vec::new();
/// assert_eq!(wsrt::io::copy(&mut reader, &mut writer).await?, 5);
/// assert_eq!(writer, b"hello");
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
pub async fn copy<R, W>(reader: &mut R, writer: &mut W) -> io::Result<u64>
where
    R: AsyncRead + Unpin + ?Sized,
    W: AsyncWrite + Unpin + ?Sized,
{
    let mut transfer = Transfer::new(BUFFER);
    poll_fn(|cx| transfer.poll(cx, Pin::new(&mut *reader), Pin::new(&mut *writer))).await
}
