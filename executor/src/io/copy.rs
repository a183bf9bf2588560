//! Copies everything from a reader to a writer.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;

use tokio::io::{AsyncRead, AsyncWrite};

use super::transfer::Transfer;

/// The size of a buffer in bytes, unless the caller chooses another.
pub(super) const BUFFER: usize = 8 * 1024;

/// Copies all bytes from `reader` to `writer` until `reader` ends, and returns the number of bytes
/// copied.
///
/// The bytes pass through a buffer of 8 KiB. Use [`copy_buf`](super::copy_buf()) for a reader that
/// has a buffer of its own. The writer is flushed at the end and whenever the reader has no data
/// available. The writer is not shut down. If both streams are always ready, the copy yields to
/// other tasks every few hundred KiB.
///
/// # Errors
///
/// Returns the first error of either stream, or an error of kind
/// [`WriteZero`](io::ErrorKind::WriteZero) if the writer accepts no more bytes. Bytes that were
/// read but not yet written are lost.
///
/// # Cancel safety
///
/// Not cancel safe: if the future is dropped before it completes, bytes that were read but not yet
/// written are lost, and the number of bytes copied so far is not reported.
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
