//! An in-memory byte queue between a writer and a reader, each of which a task may wait for.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, IoSlice};
use std::task::{Poll, Waker};

use tokio::io::ReadBuf;

use crate::util::unwind::{drop_quietly, wake_quietly};

/// A bounded queue of bytes that were written and not yet read.
pub(super) struct ByteQueue {
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
pub(super) enum Leftover {
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
    pub(super) fn abandon(&mut self) -> Leftover {
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
