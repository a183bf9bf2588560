//! Copies everything from a reader to a writer.

use std::future::poll_fn;
use std::io;
use std::ops::Range;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncBufRead, AsyncRead, AsyncWrite, ReadBuf};
use wsrt_sync::budget::{self, poll_spending_once};

/// The size of a buffer in bytes, unless the caller chooses another.
pub(super) const BUFFER: usize = 8 * 1024;

/// Copies all bytes from `reader` to `writer` until `reader` ends, and returns the number of bytes
/// copied.
///
/// The bytes pass through a buffer of 8 KiB. Use [`copy_buf`](super::copy_buf()) for a reader that
/// has its own buffer. The writer is flushed at the end and whenever the reader has no data
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

/// The number of bytes copied per poll between streams that are always ready. At some gigabytes per
/// second, this takes a tenth of a millisecond.
const BYTES: usize = 512 * 1024;

/// The number of bytes that one direction may still copy in this poll.
///
/// This limit supplements the task's own budget, which counts operations, and is unlimited on
/// threads that run no task.
#[derive(Debug)]
pub(super) struct CopyBudget(usize);

impl CopyBudget {
    pub(super) fn new() -> Self {
        Self(BYTES)
    }

    pub(super) fn spend(&mut self, bytes: usize) {
        self.0 = self.0.saturating_sub(bytes);
    }

    /// Returns pending and wakes the task again if this budget or the task's own is spent.
    pub(super) fn poll_left(&self, cx: &mut Context<'_>) -> Poll<()> {
        if self.0 > 0 {
            return budget::poll_proceed(cx);
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

/// The state of a copy from one reader to one writer.
///
/// Both streams are passed to each poll, because the streams of a bidirectional copy are readers in
/// one direction and writers in the other.
#[derive(Debug)]
pub(super) struct Transfer {
    stage: TransferStage,
    buffer: Box<[u8]>,
    /// The range of buffered bytes that were read and not yet written.
    held: Range<usize>,
    /// True if anything was written since the last flush.
    is_dirty: bool,
    total: u64,
}

#[derive(Clone, Copy, Debug)]
enum TransferStage {
    Copying,
    /// The reader has ended and is not read again, since more bytes may follow its end. All bytes
    /// are written.
    Flushing,
    /// All bytes are flushed, too.
    Done,
}

impl Transfer {
    /// Creates a transfer with a buffer of `size` bytes, at least 1.
    pub(super) fn new(size: usize) -> Self {
        Self { stage: TransferStage::Copying, buffer: vec![0; size].into(), held: 0..0, is_dirty: false, total: 0 }
    }

    /// Returns the number of copied bytes once the reader has ended and all bytes are written and
    /// flushed, and on every later poll.
    pub(super) fn poll(
        &mut self,
        cx: &mut Context<'_>,
        reader: Pin<&mut (impl AsyncRead + ?Sized)>,
        mut writer: Pin<&mut (impl AsyncWrite + ?Sized)>,
    ) -> Poll<io::Result<u64>> {
        if let TransferStage::Copying = self.stage {
            ready!(self.poll_copy(cx, reader, writer.as_mut()))?;
            self.stage = TransferStage::Flushing;
        }
        if let TransferStage::Flushing = self.stage {
            ready!(writer.poll_flush(cx))?;
            self.stage = TransferStage::Done;
        }
        Poll::Ready(Ok(self.total))
    }

    /// Returns ready when the reader has ended and all bytes are written.
    fn poll_copy(
        &mut self,
        cx: &mut Context<'_>,
        mut reader: Pin<&mut (impl AsyncRead + ?Sized)>,
        mut writer: Pin<&mut (impl AsyncWrite + ?Sized)>,
    ) -> Poll<io::Result<()>> {
        let mut budget = CopyBudget::new();
        loop {
            while !self.held.is_empty() {
                let count = ready!(self.poll_write(cx, writer.as_mut()))?;
                budget.spend(count);
            }
            ready!(budget.poll_left(cx));
            if self.poll_read(cx, reader.as_mut())?.is_pending() {
                // The other end has to see a question before it can answer.
                ready!(self.poll_flush(cx, writer))?;
                return Poll::Pending;
            }
            if self.held.is_empty() {
                return Poll::Ready(Ok(()));
            }
        }
    }

    /// Reads into the empty buffer, which stays empty at the end.
    fn poll_read(&mut self, cx: &mut Context<'_>, reader: Pin<&mut (impl AsyncRead + ?Sized)>) -> Poll<io::Result<()>> {
        let mut target = ReadBuf::new(&mut self.buffer);
        ready!(poll_spending_once(cx, |cx| reader.poll_read(cx, &mut target)))?;
        self.held = 0..target.filled().len();
        Poll::Ready(Ok(()))
    }

    /// Writes some of the buffered bytes, at least one, and returns their number.
    fn poll_write(
        &mut self,
        cx: &mut Context<'_>,
        writer: Pin<&mut (impl AsyncWrite + ?Sized)>,
    ) -> Poll<io::Result<usize>> {
        let held = &self.buffer[self.held.clone()];
        let count = ready!(poll_spending_once(cx, |cx| writer.poll_write(cx, held)))?;
        if count == 0 {
            return Poll::Ready(Err(write_zero()));
        }
        self.held.start += count;
        self.total += count as u64;
        self.is_dirty = true;
        Poll::Ready(Ok(count))
    }

    fn poll_flush(
        &mut self,
        cx: &mut Context<'_>,
        writer: Pin<&mut (impl AsyncWrite + ?Sized)>,
    ) -> Poll<io::Result<()>> {
        if self.is_dirty {
            ready!(writer.poll_flush(cx))?;
            self.is_dirty = false;
        }
        Poll::Ready(Ok(()))
    }
}

/// Returns the error for a writer that accepts none of its bytes.
pub(super) fn write_zero() -> io::Error {
    io::Error::new(io::ErrorKind::WriteZero, "the stream takes no more bytes")
}
