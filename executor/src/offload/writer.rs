//! Writing behind: the pool writes what a task has handed over, while the task goes on.

use std::future::Future;
use std::io::{self, IoSlice, Write};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use super::{Buffer, MOST_AT_ONCE, answer_of, promise};
use crate::task::JoinHandle;

/// Writes to what `open` returns, one job at a time, in order.
#[derive(Debug)]
pub(crate) struct Writer<W> {
    /// A function rather than the thing itself, which so need not travel between threads.
    open: fn() -> W,
    caller: &'static str,
    state: State,
    /// Whether something was written since the last flush.
    is_dirty: bool,
}

#[derive(Debug)]
enum State {
    /// With the outcome of the last write, if that is still to be told.
    Idle(Buffer, io::Result<()>),
    Busy(JoinHandle<(Buffer, io::Result<()>)>),
}

impl State {
    fn idle() -> Self {
        Self::Idle(Buffer::default(), Ok(()))
    }
}

impl<W: Write + 'static> Writer<W> {
    /// `caller` is who is named when there is no runtime.
    pub(crate) fn new(open: fn() -> W, caller: &'static str) -> Self {
        Self { open, caller, state: State::idle(), is_dirty: false }
    }

    /// Takes as much of `slices` as may be under way at once. The outcome of writing it is told by
    /// the next call.
    pub(crate) fn poll_write(&mut self, cx: &mut Context<'_>, slices: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        let mut buffer = ready!(self.poll_idle(cx))?;
        let count = buffer.put_all(slices, MOST_AT_ONCE);
        if count == 0 {
            self.state = State::Idle(buffer, Ok(()));
            return Poll::Ready(Ok(0));
        }
        let open = self.open;
        let job = promise(self.caller, move || {
            let outcome = buffer.write_to(&mut open());
            (buffer, outcome)
        });
        self.is_dirty = true;
        Poll::Ready(job.map(|job| {
            self.state = State::Busy(job);
            count
        }))
    }

    /// Waits until everything is written and flushed.
    pub(crate) fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            let buffer = ready!(self.poll_idle(cx))?;
            if !self.is_dirty {
                self.state = State::Idle(buffer, Ok(()));
                return Poll::Ready(Ok(()));
            }
            let open = self.open;
            self.state = State::Busy(promise(self.caller, move || (buffer, open().flush()))?);
            self.is_dirty = false;
        }
    }

    /// Waits for the job under way, and returns its buffer or its error. Leaves an idle state
    /// behind.
    fn poll_idle(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Buffer>> {
        if let State::Busy(job) = &mut self.state {
            let outcome = ready!(Pin::new(job).poll(cx));
            self.state = State::idle();
            let (buffer, outcome) = answer_of(outcome)?;
            self.state = State::Idle(buffer, outcome);
        }
        let State::Idle(buffer, outcome) = std::mem::replace(&mut self.state, State::idle()) else {
            unreachable!("the job was waited for");
        };
        Poll::Ready(outcome.map(|()| buffer))
    }
}
