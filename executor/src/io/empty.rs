//! A stream that contains no bytes.

use std::io::{self, IoSlice, SeekFrom};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncBufRead, AsyncRead, AsyncSeek, AsyncWrite, ReadBuf};
use wsrt_sync::budget::poll_spending;

/// A stream that is always at its end when read, and discards all bytes written to it. Returned by
/// [`empty()`].
///
/// Each operation counts against the task's [budget](crate::task::coop).
///
/// # Cancel safety
///
/// All operations are cancel safe: there is no data to lose.
#[derive(Debug)]
pub struct Empty(());

/// Creates a stream that is always at its end when read, and discards all bytes written to it.
///
/// # Examples
///
/// ```
/// use wsrt::io::AsyncReadExt;
///
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let mut text = String::new();
/// wsrt::io::empty().read_to_string(&mut text).await?;
/// assert_eq!(text, "");
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
#[must_use]
pub fn empty() -> Empty {
    Empty(())
}

impl AsyncRead for Empty {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, _: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        poll_spending(cx, |_| Poll::Ready(Ok(())))
    }
}

impl AsyncBufRead for Empty {
    fn poll_fill_buf(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        poll_spending(cx, |_| Poll::Ready(Ok(&[][..])))
    }

    fn consume(self: Pin<&mut Self>, _: usize) {}
}

impl AsyncWrite for Empty {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, source: &[u8]) -> Poll<io::Result<usize>> {
        poll_spending(cx, |_| Poll::Ready(Ok(source.len())))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        sources: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        poll_spending(cx, |_| Poll::Ready(Ok(sources.iter().map(|source| source.len()).sum())))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        poll_spending(cx, |_| Poll::Ready(Ok(())))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        poll_spending(cx, |_| Poll::Ready(Ok(())))
    }
}

/// Seeking to any position succeeds and stays at 0, the end of the stream.
impl AsyncSeek for Empty {
    fn start_seek(self: Pin<&mut Self>, _: SeekFrom) -> io::Result<()> {
        Ok(())
    }

    fn poll_complete(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<u64>> {
        poll_spending(cx, |_| Poll::Ready(Ok(0)))
    }
}
