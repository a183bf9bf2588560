//! A pair of connected in-memory streams.

use std::io::{self, IoSlice};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use crate::util::sync::Mutex;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use wsrt_sync::budget::poll_spending;

use super::byte_queue::{ByteQueue, Leftover};

/// One end of an in-memory connection, which reads what the other end writes and vice versa.
/// Created in pairs by [`duplex()`].
///
/// When one end is dropped, the other end reads the bytes already written and then the end of the
/// stream, and its writes, including waiting ones, fail with an error of kind
/// [`BrokenPipe`](io::ErrorKind::BrokenPipe). After `shutdown`, the other end reads the bytes
/// already written and then the end of the stream, and can still write.
///
/// Each read and write counts against the task's [budget](crate::task::coop).
///
/// # Cancel safety
///
/// `read` and `write` are cancel safe: if the future is dropped before it completes, no bytes were
/// read or written.
#[derive(Debug)]
pub struct DuplexStream {
    /// The bytes that the peer writes.
    incoming: Arc<Mutex<ByteQueue>>,
    /// The bytes that the peer reads.
    outgoing: Arc<Mutex<ByteQueue>>,
}

// No foreign code runs while a queue is half changed: wakers are settled after the lock's release.
impl UnwindSafe for DuplexStream {}
impl RefUnwindSafe for DuplexStream {}

/// Creates a pair of connected in-memory streams that buffer `max_buf_size` bytes per direction.
///
/// A write waits while the buffer is full, until the peer has read some bytes.
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

/// Runs `operation` on the locked queue, and settles its waker after unlocking.
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
