//! Copying through a buffer, between any two streams.

use std::future::poll_fn;
use std::io;
use std::ops::Range;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::copy_budget::CopyBudget;

pub(super) async fn copy<A, B>(a: &mut A, b: &mut B, (a_to_b, b_to_a): (usize, usize)) -> io::Result<(u64, u64)>
where
    A: AsyncRead + AsyncWrite + Unpin + ?Sized,
    B: AsyncRead + AsyncWrite + Unpin + ?Sized,
{
    let (mut a_to_b, mut b_to_a) = (Direction::new(a_to_b), Direction::new(b_to_a));
    poll_fn(|cx| {
        let there = a_to_b.poll(cx, Pin::new(&mut *a), Pin::new(&mut *b))?;
        let back = b_to_a.poll(cx, Pin::new(&mut *b), Pin::new(&mut *a))?;
        match (there, back) {
            (Poll::Ready(there), Poll::Ready(back)) => Poll::Ready(Ok((there, back))),
            _ => Poll::Pending,
        }
    })
    .await
}

/// One of the two directions.
#[derive(Debug)]
struct Direction {
    stage: CopyStage,
    buffer: Box<[u8]>,
    /// The bytes that were read and not yet written.
    held: Range<usize>,
    /// Whether something was written since the last flush.
    is_dirty: bool,
    total: u64,
}

#[derive(Clone, Copy, Debug)]
enum CopyStage {
    Copying,
    /// The reader has ended, and is not read any more: more bytes may follow its end. All is
    /// written.
    Flushing,
    /// All is flushed too.
    ShuttingDown,
    Done,
}

impl Direction {
    fn new(size: usize) -> Self {
        Self { stage: CopyStage::Copying, buffer: vec![0; size].into(), held: 0..0, is_dirty: false, total: 0 }
    }

    /// Returns the number of copied bytes when the direction is done, and again at any later poll.
    fn poll(
        &mut self,
        cx: &mut Context<'_>,
        reader: Pin<&mut (impl AsyncRead + ?Sized)>,
        mut writer: Pin<&mut (impl AsyncWrite + ?Sized)>,
    ) -> Poll<io::Result<u64>> {
        if let CopyStage::Copying = self.stage {
            ready!(self.poll_copy(cx, reader, writer.as_mut()))?;
            self.stage = CopyStage::Flushing;
        }
        if let CopyStage::Flushing = self.stage {
            ready!(self.poll_flush(cx, writer.as_mut()))?;
            self.stage = CopyStage::ShuttingDown;
        }
        if let CopyStage::ShuttingDown = self.stage {
            ready!(writer.poll_shutdown(cx))?;
            self.stage = CopyStage::Done;
        }
        Poll::Ready(Ok(self.total))
    }

    /// Returns ready when the reader has ended and all is written.
    fn poll_copy(
        &mut self,
        cx: &mut Context<'_>,
        mut reader: Pin<&mut (impl AsyncRead + ?Sized)>,
        mut writer: Pin<&mut (impl AsyncWrite + ?Sized)>,
    ) -> Poll<io::Result<()>> {
        let mut budget = CopyBudget::new();
        loop {
            while !self.held.is_empty() {
                let count = ready!(writer.as_mut().poll_write(cx, &self.buffer[self.held.clone()]))?;
                if count == 0 {
                    return Poll::Ready(Err(write_zero()));
                }
                self.held.start += count;
                self.total += count as u64;
                self.is_dirty = true;
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

    /// Fills the empty buffer. It stays empty at the end.
    fn poll_read(&mut self, cx: &mut Context<'_>, reader: Pin<&mut (impl AsyncRead + ?Sized)>) -> Poll<io::Result<()>> {
        let mut target = ReadBuf::new(&mut self.buffer);
        ready!(reader.poll_read(cx, &mut target))?;
        self.held = 0..target.filled().len();
        Poll::Ready(Ok(()))
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

pub(super) fn write_zero() -> io::Error {
    io::Error::new(io::ErrorKind::WriteZero, "the stream takes no more bytes")
}
