//! Write-behind: the pool writes bytes in the background, while the task continues.

use std::io::{self, IoSlice, Write};
use std::task::{Context, Poll, ready};

use crate::io::buffer::{Buffer, MOST_AT_ONCE};
use crate::io::offload::{Lent, promise};

/// A writer for the stream that `open` returns, which runs one write job at a time, in order.
#[derive(Debug)]
pub(super) struct Writer<W> {
    /// Opens the stream, which therefore need not move between threads.
    open: fn() -> W,
    caller: &'static str,
    buffer: Lent<Buffer, io::Result<()>>,
    /// True if anything was written since the last flush.
    is_dirty: bool,
}

impl<W: Write + 'static> Writer<W> {
    /// Creates a writer whose panics outside a runtime name `caller`.
    pub(super) fn new(open: fn() -> W, caller: &'static str) -> Self {
        Self { open, caller, buffer: Lent::Here(Buffer::new()), is_dirty: false }
    }

    /// Accepts as many bytes of `slices` as one job may write. The next call returns the job's
    /// error.
    pub(super) fn poll_write(&mut self, cx: &mut Context<'_>, slices: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        ready!(self.poll_idle(cx))?;
        if slices.iter().all(|slice| slice.is_empty()) {
            return Poll::Ready(Ok(0));
        }
        let (open, mut buffer) = (self.open, self.buffer.take());
        let count = buffer.put_all(slices, MOST_AT_ONCE);
        self.is_dirty = true;
        self.buffer = Lent::WithJob(promise(self.caller, move || {
            let outcome = buffer.write_to(&mut open());
            (buffer, outcome)
        })?);
        Poll::Ready(Ok(count))
    }

    /// Waits until all accepted bytes are written and flushed.
    pub(super) fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            ready!(self.poll_idle(cx))?;
            if !self.is_dirty {
                return Poll::Ready(Ok(()));
            }
            let (open, buffer) = (self.open, self.buffer.take());
            self.buffer = Lent::WithJob(promise(self.caller, move || (buffer, open().flush()))?);
            self.is_dirty = false;
        }
    }

    /// Waits for the job in progress, if any, and returns its error.
    fn poll_idle(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = ready!(self.buffer.poll_outcome(cx))?;
        Poll::Ready(outcome.unwrap_or(Ok(())))
    }
}
