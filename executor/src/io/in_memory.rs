//! Streams in memory: a pipe in one direction, and a connected pair, upon a queue of bytes between
//! a writer and a reader, each of which a task may wait for.

use std::collections::VecDeque;
use std::io::IoSlice;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::{fmt, io};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf, ReadHalf, WriteHalf, split};
use wsrt_sync::budget::poll_spending;

use crate::util::sync::Mutex;
use crate::util::unwind::{drop_quietly, wake_quietly};

/// A bounded queue of bytes that were written and not yet read.
struct ByteQueue {
    bytes: VecDeque<u8>,
    /// The maximum number of bytes in the queue.
    limit: usize,
    /// True if the queue is closed to further bytes.
    is_closed: bool,
    /// The task that waits for bytes or for the end.
    reader: Option<Waker>,
    /// The task that waits for room or for the end.
    writer: Option<Waker>,
}

/// A waker that an operation has taken out of the queue. The caller settles the waker after
/// unlocking, because a waker is foreign code and may use this very queue.
#[must_use = "a waker that is dropped wakes nothing"]
enum Leftover {
    Nothing,
    Wake(Waker),
    /// A waker to drop, replaced by the waker of a later poll.
    Drop(Waker),
}

impl Leftover {
    fn wake(waiter: &mut Option<Waker>) -> Self {
        waiter.take().map_or(Self::Nothing, Self::Wake)
    }

    /// Replaces `waiter` by `waker`.
    fn replace(waiter: &mut Option<Waker>, waker: &Waker) -> Self {
        if waiter.as_ref().is_some_and(|known| known.will_wake(waker)) {
            return Self::Nothing;
        }
        waiter.replace(waker.clone()).map_or(Self::Nothing, Self::Drop)
    }

    /// Wakes or drops the waker. A panic of the waker is not passed on to the caller, which may be
    /// another task.
    pub(super) fn settle(self) {
        match self {
            Self::Nothing => {}
            Self::Wake(waker) => wake_quietly(waker),
            Self::Drop(waker) => drop_quietly(waker),
        }
    }
}

impl ByteQueue {
    pub(super) fn new(limit: usize) -> Self {
        Self { bytes: VecDeque::new(), limit, is_closed: false, reader: None, writer: None }
    }

    /// Moves bytes into `target`, and none at the end. If the queue is empty and open, stores
    /// `waker`.
    pub(super) fn read(&mut self, target: &mut ReadBuf<'_>, waker: &Waker) -> (Poll<io::Result<()>>, Leftover) {
        if self.bytes.is_empty() {
            if self.is_closed {
                return (Poll::Ready(Ok(())), Leftover::Nothing);
            }
            return (Poll::Pending, Leftover::replace(&mut self.reader, waker));
        }
        let count = self.bytes.len().min(target.remaining());
        let (front, back) = self.bytes.as_slices();
        let from_front = count.min(front.len());
        target.put_slice(&front[..from_front]);
        target.put_slice(&back[..count - from_front]);
        self.bytes.drain(..count);
        let leftover = if count > 0 { Leftover::wake(&mut self.writer) } else { Leftover::Nothing };
        (Poll::Ready(Ok(())), leftover)
    }

    /// Accepts as many bytes of `sources`, in order, as there is room for. If there is no room,
    /// stores `waker`.
    pub(super) fn write(&mut self, sources: &[IoSlice<'_>], waker: &Waker) -> (Poll<io::Result<usize>>, Leftover) {
        if self.is_closed {
            return (Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())), Leftover::Nothing);
        }
        let room = self.limit - self.bytes.len();
        if room == 0 {
            return (Poll::Pending, Leftover::replace(&mut self.writer, waker));
        }
        let before = self.bytes.len();
        for source in sources {
            let room = self.limit - self.bytes.len();
            self.bytes.extend(&source[..source.len().min(room)]);
        }
        let count = self.bytes.len() - before;
        let leftover = if count > 0 { Leftover::wake(&mut self.reader) } else { Leftover::Nothing };
        (Poll::Ready(Ok(count)), leftover)
    }

    /// Closes the queue for the writer: the reader receives the queued bytes, and then the end.
    pub(super) fn close(&mut self) -> Leftover {
        self.is_closed = true;
        Leftover::wake(&mut self.reader)
    }

    /// Closes the queue for the reader, which takes no more bytes: further writes are errors.
    fn abandon(&mut self) -> Leftover {
        self.is_closed = true;
        self.bytes = VecDeque::new();
        Leftover::wake(&mut self.writer)
    }
}

/// Formats the queue without its bytes, which do not belong in a log.
impl fmt::Debug for ByteQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bytes, limit, is_closed, .. } = self;
        f.debug_struct("ByteQueue")
            .field("len", &bytes.len())
            .field("limit", limit)
            .field("is_closed", is_closed)
            .finish_non_exhaustive()
    }
}

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
