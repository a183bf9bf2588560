//! A pair of streams in memory, connected to each other.

use std::io::{self, IoSlice};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use crate::util::sync::Mutex;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use wsrt_sync::budget::poll_spending;

use super::byte_queue::{ByteQueue, Leftover};

/// Reads what its peer writes, in memory, and the reverse. Returned by [`duplex()`].
///
/// When one end is dropped, the other reads the bytes that were written, and then the end; its
/// writes, waiting ones too, fail with an error of kind
/// [`BrokenPipe`](io::ErrorKind::BrokenPipe). After `shutdown` the peer reads the bytes that were
/// written, and then the end, and can still write.
///
/// Each read and write counts against the task's [budget](crate::task::coop).
///
/// # Cancel safety
///
/// `read` and `write` are cancel safe: if their future is dropped before it is ready, nothing was
/// read or written.
#[derive(Debug)]
pub struct DuplexStream {
    /// The peer writes it.
    incoming: Arc<Mutex<ByteQueue>>,
    /// The peer reads it.
    outgoing: Arc<Mutex<ByteQueue>>,
}

// No foreign code runs while a queue is half changed: wakers are settled after the lock's release.
impl UnwindSafe for DuplexStream {}
impl RefUnwindSafe for DuplexStream {}

/// Returns a pair of streams in memory, connected to each other, which hold `max_buf_size` bytes at
/// most in each direction.
///
/// A write to a full stream waits until the peer has read something.
///
/// # Examples
///
/// ```
/// use wsrt::io::{AsyncReadExt, AsyncWriteExt};
///
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let (mut client, mut server) = wsrt::io::duplex(64);
/// client.write_all(b"ping").await?;
/// let mut bytes = [0; 4];
/// server.read_exact(&mut bytes).await?;
/// assert_eq!(&bytes, b"ping");
///
/// drop(client);
/// assert_eq!(server.read(&mut bytes).await?, 0);
/// let error = server.write_all(b"pong").await.unwrap_err();
/// assert_eq!(error.kind(), std::io::ErrorKind::BrokenPipe);
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
#[must_use]
pub fn duplex(max_buf_size: usize) -> (DuplexStream, DuplexStream) {
    let there = Arc::new(Mutex::new(ByteQueue::new(max_buf_size)));
    let back = Arc::new(Mutex::new(ByteQueue::new(max_buf_size)));
    let near = DuplexStream { incoming: Arc::clone(&back), outgoing: Arc::clone(&there) };
    (near, DuplexStream { incoming: there, outgoing: back })
}

/// Lets `operation` use the queue, and settles its waker once the lock is released.
fn with_queue<R>(queue: &Mutex<ByteQueue>, operation: impl FnOnce(&mut ByteQueue) -> (R, Leftover)) -> R {
    let (answer, leftover) = operation(&mut queue.lock());
    leftover.settle();
    answer
}

impl AsyncRead for DuplexStream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, target: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        poll_spending(cx, |cx| with_queue(&self.incoming, |queue| queue.read(target, cx.waker())))
    }
}

impl AsyncWrite for DuplexStream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, source: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(cx, &[IoSlice::new(source)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        sources: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        poll_spending(cx, |cx| with_queue(&self.outgoing, |queue| queue.write(sources, cx.waker())))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        poll_spending(cx, |_| Poll::Ready(Ok(())))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        poll_spending(cx, |_| {
            with_queue(&self.outgoing, |queue| ((), queue.close()));
            Poll::Ready(Ok(()))
        })
    }
}

impl Drop for DuplexStream {
    fn drop(&mut self) {
        with_queue(&self.outgoing, |queue| ((), queue.close()));
        with_queue(&self.incoming, |queue| ((), queue.abandon()));
    }
}
