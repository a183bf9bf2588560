//! An in-memory pipe that carries bytes in one direction.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf, ReadHalf, WriteHalf, split};
use wsrt_sync::budget::poll_spending;

use super::byte_queue::ByteQueue;

/// A one-way pipe in memory, which [`simplex()`] returns as a read half and a write half.
///
/// After the write half is shut down, the read half receives the bytes already written and then the
/// end of the stream, and further writes fail with an error of kind
/// [`BrokenPipe`](io::ErrorKind::BrokenPipe). Dropping a half does not close the pipe: shut the
/// write half down, or use [`duplex`](super::duplex()) instead.
///
/// Each read and write counts against the task's [budget](crate::task::coop).
///
/// # Cancel safety
///
/// `read` and `write` are cancel safe: if the future is dropped before it completes, no bytes were
/// read or written.
#[derive(Debug)]
pub struct SimplexStream(ByteQueue);

/// Creates an in-memory pipe for one direction and returns its read half and its write half.
///
/// The pipe holds at most `max_buf_size` bytes. A write to a full pipe waits until the read half
/// has read some of them.
///
/// # Examples
///
/// ```
/// use wsrt::io::{AsyncReadExt, AsyncWriteExt};
///
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let (mut reader, mut writer) = wsrt::io::simplex(64);
/// writer.write_all(b"hello").await?;
/// writer.shutdown().await?;
/// let mut text = String::new();
/// reader.read_to_string(&mut text).await?;
/// assert_eq!(text, "hello");
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
#[must_use]
pub fn simplex(max_buf_size: usize) -> (ReadHalf<SimplexStream>, WriteHalf<SimplexStream>) {
    split(SimplexStream::new_unsplit(max_buf_size))
}

impl SimplexStream {
    /// Creates an in-memory pipe of at most `max_buf_size` bytes, with both ends in one value.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::io::{AsyncReadExt, AsyncWriteExt, SimplexStream};
    ///
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let mut pipe = SimplexStream::new_unsplit(64);
    /// pipe.write_all(b"later").await?;
    /// let mut bytes = [0; 5];
    /// pipe.read_exact(&mut bytes).await?;
    /// assert_eq!(&bytes, b"later");
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    #[must_use]
    pub fn new_unsplit(max_buf_size: usize) -> SimplexStream {
        Self(ByteQueue::new(max_buf_size))
    }
}

impl AsyncRead for SimplexStream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, target: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        poll_spending(cx, |cx| {
            let (answer, leftover) = self.0.read(target, cx.waker());
            leftover.settle();
            answer
        })
    }
}

impl AsyncWrite for SimplexStream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, source: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(cx, &[IoSlice::new(source)])
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        sources: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        poll_spending(cx, |cx| {
            let (answer, leftover) = self.0.write(sources, cx.waker());
            leftover.settle();
            answer
        })
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        poll_spending(cx, |_| Poll::Ready(Ok(())))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        poll_spending(cx, |_| {
            self.0.close().settle();
            Poll::Ready(Ok(()))
        })
    }
}
