//! One direction between two sockets: through the buffer at first, and through a pipe in bulk.

use std::io;
use std::ops::Range;
use std::task::{Context, Poll, ready};

use wsrt_reactor::Interest;

use super::pipe::{Pipe, receive};
use super::socket::Socket;
use crate::io::copy_budget::CopyBudget;
use crate::io::transfer::write_zero;

/// The size in bytes below which a burst is small: the buffer copies it with a read or two. A burst
/// is all bytes that arrive until the source is empty.
const SMALL_BURST: usize = 16 * 1024;

/// The number of bytes after which a pipe is opened, if no small burst came in between. Copying
/// this much takes many times as long as opening a pipe.
const BULK: usize = 64 * 1024;

pub(super) struct Direction<'a> {
    from: &'a dyn Socket,
    to: &'a dyn Socket,
    stage: SpliceStage,
    buffer: Box<[u8]>,
    /// The filled range of the buffer, which is empty while there is a pipe.
    held: Range<usize>,
    /// The pipe, open while there is much to copy.
    pipe: Option<Pipe>,
    /// The number of bytes that have arrived since the source was last empty.
    burst: usize,
    /// The number of bytes that have arrived since the last small burst.
    bulk: usize,
    /// True while splicing is possible: false once the OS has refused, or urgent data has arrived:
    /// from then on only the buffer is used.
    can_splice: bool,
    total: u64,
}

#[derive(Clone, Copy, Debug)]
enum SpliceStage {
    Copying,
    /// The source has ended and all of its bytes are written.
    ShuttingDown,
    Done,
}

/// The result of one attempt to fetch bytes.
enum Fetched {
    Bytes,
    End,
    /// Nothing was moved: the socket was not ready after all, or the buffer must be used.
    Nothing,
}

impl<'a> Direction<'a> {
    pub(super) fn new(from: &'a dyn Socket, to: &'a dyn Socket, size: usize) -> Self {
        Self {
            from,
            to,
            stage: SpliceStage::Copying,
            buffer: vec![0; size].into(),
            held: 0..0,
            pipe: None,
            burst: 0,
            bulk: 0,
            can_splice: true,
            total: 0,
        }
    }

    /// Returns the number of copied bytes once the direction is done, and on every later poll.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<u64>> {
        if let SpliceStage::Copying = self.stage {
            ready!(self.poll_copy(cx))?;
            self.pipe = None;
            self.stage = SpliceStage::ShuttingDown;
        }
        if let SpliceStage::ShuttingDown = self.stage {
            self.to.end_writing()?;
            self.stage = SpliceStage::Done;
        }
        Poll::Ready(Ok(self.total))
    }

    /// Returns ready when the source has ended and all of its bytes are written.
    fn poll_copy(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut budget = CopyBudget::new();
        loop {
            while self.holds_something() {
                let count = ready!(self.poll_deliver(cx))?;
                self.total += count as u64;
                budget.spend(count);
            }
            ready!(budget.poll_left(cx));
            if let Fetched::End = ready!(self.poll_fetch(cx))? {
                return Poll::Ready(Ok(()));
            }
        }
    }

    fn holds_something(&self) -> bool {
        !self.held.is_empty() || self.pipe.as_ref().is_some_and(|pipe| pipe.held() > 0)
    }

    /// Writes some of the buffered bytes to the target.
    fn poll_deliver(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        loop {
            ready!(self.to.poll_ready(Interest::WRITABLE, cx))?;
            let outcome = match &mut self.pipe {
                Some(pipe) => self.to.try_call(Interest::WRITABLE, &mut || pipe.empty_to(self.to.as_fd())),
                None => self.to.try_write(&self.buffer[self.held.clone()]),
            };
            let count = match outcome {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => continue,
                outcome => outcome?,
            };
            if count == 0 {
                return Poll::Ready(Err(write_zero()));
            }
            if self.pipe.is_none() {
                self.held.start += count;
            }
            return Poll::Ready(Ok(count));
        }
    }

    /// Reads from the source. Called while no bytes are buffered.
    fn poll_fetch(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Fetched>> {
        let Poll::Ready(outcome) = self.from.poll_ready(Interest::READABLE, cx) else {
            self.end_burst();
            return Poll::Pending;
        };
        outcome?;
        self.take_pipe_for_bulk();
        let fetched = if self.pipe.is_some() { self.fetch_by_pipe() } else { self.fetch_by_buffer() };
        Poll::Ready(match fetched {
            Ok(0) => Ok(Fetched::End),
            Ok(count) => {
                self.burst = self.burst.saturating_add(count);
                self.bulk = self.bulk.saturating_add(count);
                Ok(Fetched::Bytes)
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(Fetched::Nothing),
            // A sandbox, or a kernel that cannot splice these sockets: no bytes were moved.
            Err(error) if self.pipe.is_some() && is_refusal(&error) => {
                self.stop_splicing();
                Ok(Fetched::Nothing)
            }
            Err(error) => Err(error),
        })
    }

    fn fetch_by_buffer(&mut self) -> io::Result<usize> {
        let count = self.from.try_read(&mut self.buffer)?;
        self.held = 0..count;
        Ok(count)
    }

    /// Fetches bytes with a splice, and with a read if the splice's result is ambiguous. Both are
    /// one operation on the socket, so that only the read's `WouldBlock` clears the socket's
    /// readiness.
    fn fetch_by_pipe(&mut self) -> io::Result<usize> {
        let (from, buffer) = (self.from, &mut self.buffer);
        let pipe = self.pipe.as_mut().expect("there is one");
        let mut was_doubted = false;
        let outcome = from.try_call(Interest::READABLE, &mut || match pipe.fill_from(from.as_fd()) {
            answer if is_doubtful(&answer, from) => {
                was_doubted = true;
                receive(from.as_fd(), buffer)
            }
            answer => answer,
        });
        if was_doubted {
            self.held = 0..*outcome.as_ref().unwrap_or(&0);
            self.stop_splicing();
        }
        outcome
    }

    fn stop_splicing(&mut self) {
        self.pipe = None;
        self.can_splice = false;
    }

    /// Opens a pipe after bulk data. If that fails, for example because no descriptor is left, the
    /// buffer is used for a while.
    fn take_pipe_for_bulk(&mut self) {
        if self.pipe.is_none() && self.can_splice && self.bulk >= BULK {
            self.pipe = Pipe::new().ok();
            if self.pipe.is_none() {
                self.bulk = 0;
            }
        }
    }

    /// Called when the source is empty. Closes the pipe after a small burst, to free its
    /// descriptors.
    fn end_burst(&mut self) {
        // Nothing has arrived: the task was woken for the other direction.
        if self.burst == 0 {
            return;
        }
        if self.burst < SMALL_BURST {
            self.bulk = 0;
            self.pipe = None;
        }
        self.burst = 0;
    }
}

/// Returns whether the result of a splice may come from a mark of urgent data that more bytes
/// follow.
fn is_doubtful(answer: &io::Result<usize>, from: &dyn Socket) -> bool {
    match answer {
        Ok(count) => *count == 0,
        Err(error) => error.kind() == io::ErrorKind::WouldBlock && from.has_seen_urgent(),
    }
}

fn is_refusal(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EINVAL | libc::ENOSYS | libc::EPERM | libc::EOPNOTSUPP))
}
