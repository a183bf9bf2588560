//! The trivial streams: one has no bytes, one repeats a byte, and one discards all bytes.

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

/// Seeking to any position succeeds and stays at 0, the end of the stream.
impl AsyncSeek for Empty {
    fn start_seek(self: Pin<&mut Self>, _: SeekFrom) -> io::Result<()> {
        Ok(())
    }

    fn poll_complete(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<u64>> {
        poll_spending(cx, |_| Poll::Ready(Ok(0)))
    }
}

/// A reader that yields the same byte forever. Returned by [`repeat()`].
///
/// Each read counts against the task's [budget](crate::task::coop).
///
/// # Cancel safety
///
/// `read` is cancel safe: there is no data to lose.
#[derive(Debug)]
pub struct Repeat(u8);

/// Creates a reader that fills every buffer with `byte` and never ends.
///
/// # Examples
///
/// ```
/// use wsrt::io::AsyncReadExt;
///
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let mut bytes = [0; 3];
/// wsrt::io::repeat(7).read_exact(&mut bytes).await?;
/// assert_eq!(bytes, [7; 3]);
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
#[must_use]
pub fn repeat(byte: u8) -> Repeat {
    Repeat(byte)
}

impl AsyncRead for Repeat {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, target: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        poll_spending(cx, |_| {
            let room = target.initialize_unfilled();
            room.fill(self.0);
            let count = room.len();
            target.advance(count);
            Poll::Ready(Ok(()))
        })
    }
}

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

/// Implements `AsyncWrite` for a stream that discards all bytes.
macro_rules! discards_writes {
    ($type:ty) => {
        impl AsyncWrite for $type {
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
    };
}

discards_writes!(Empty);
discards_writes!(Sink);
