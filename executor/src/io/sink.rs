//! A writer that discards all bytes.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::AsyncWrite;
use wsrt_sync::budget::poll_spending;

/// A writer that accepts all bytes and discards them. Returned by [`sink()`].
///
/// Each operation counts against the task's [budget](crate::task::coop).
///
/// # Cancel safety
///
/// `write` is cancel safe: there is no data to lose.
#[derive(Debug)]
pub struct Sink(());

/// Creates a writer that accepts all bytes and discards them.
///
/// # Examples
///
/// ```
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let mut reader: &[u8] = b"of no interest";
/// assert_eq!(wsrt::io::copy(&mut reader, &mut wsrt::io::sink()).await?, 14);
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
#[must_use]
pub fn sink() -> Sink {
    Sink(())
}

impl AsyncWrite for Sink {
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
