//! Copies bytes straight out of a reader's own buffer.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncBufRead, AsyncWrite};
use wsrt_sync::budget::poll_spending_once;

use super::copy_budget::CopyBudget;
use super::transfer::write_zero;

/// Copies all bytes from `reader` to `writer` until `reader` ends, straight out of the reader's own
/// buffer, and returns the number of bytes copied.
///
/// The writer is flushed at the end and whenever the reader has no data available. The writer is
/// not shut down. If both streams are always ready, the copy yields to other tasks every few
/// hundred KiB.
///
/// # Errors
///
/// Returns the first error of either stream, or an error of kind
/// [`WriteZero`](io::ErrorKind::WriteZero) if the writer accepts no more bytes. Bytes that were not
/// written remain in the reader's buffer.
///
/// # Cancel safety
///
/// If the future is dropped before it completes, no bytes are lost: bytes that were not written
/// remain in the reader's buffer, and another call continues with them. The number of bytes copied
/// so far is not reported.
///
/// # Examples
///
/// ```
/// use wsrt::io::BufReader;
///
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let mut reader = BufReader::new(&b"hello"[..]);
/// let mut writer = Vec::new();
/// assert_eq!(wsrt::io::copy_buf(&mut reader, &mut writer).await?, 5);
/// assert_eq!(writer, b"hello");
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
pub async fn copy_buf<R, W>(reader: &mut R, writer: &mut W) -> io::Result<u64>
where
    R: AsyncBufRead + Unpin + ?Sized,
    W: AsyncWrite + Unpin + ?Sized,
{
    let mut progress = Progress::default();
    poll_fn(|cx| progress.poll(cx, Pin::new(&mut *reader), Pin::new(&mut *writer))).await
}

#[derive(Debug, Default)]
struct Progress {
    total: u64,
    /// True if anything was written since the last flush.
    is_dirty: bool,
}

impl Progress {
    /// Returns the number of copied bytes once the reader has ended and all bytes are flushed.
    fn poll(
        &mut self,
        cx: &mut Context<'_>,
        mut reader: Pin<&mut (impl AsyncBufRead + ?Sized)>,
        mut writer: Pin<&mut (impl AsyncWrite + ?Sized)>,
    ) -> Poll<io::Result<u64>> {
        let mut budget = CopyBudget::new();
        loop {
            ready!(budget.poll_left(cx));
            let source = reader.as_mut();
            let Poll::Ready(bytes) = poll_spending_once(cx, |cx| source.poll_fill_buf(cx))? else {
                // The other end has to see a question before it can answer.
                if self.is_dirty {
                    ready!(writer.poll_flush(cx))?;
                    self.is_dirty = false;
                }
                return Poll::Pending;
            };
            if bytes.is_empty() {
                ready!(writer.poll_flush(cx))?;
                return Poll::Ready(Ok(self.total));
            }
            let count = ready!(poll_spending_once(cx, |cx| writer.as_mut().poll_write(cx, bytes)))?;
            if count == 0 {
                return Poll::Ready(Err(write_zero()));
            }
            reader.as_mut().consume(count);
            self.total += count as u64;
            self.is_dirty = true;
            budget.spend(count);
        }
    }
}
