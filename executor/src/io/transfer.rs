//! Copies from one stream to another, through a buffer.

use std::io;
use std::ops::Range;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use wsrt_sync::budget::poll_spending_once;

use super::copy_budget::CopyBudget;

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
