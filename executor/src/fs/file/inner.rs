//! The state of an open file: idle with its buffer, or busy on the pool, which then has the buffer.

use std::fs::File;
use std::future::{Future, poll_fn};
use std::io::{self, IoSlice, Seek, SeekFrom};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::io::ReadBuf;
use tokio::sync::oneshot;

use crate::offload::{Buffer, answer_of, begin, promise};
use crate::task::JoinHandle;

#[derive(Debug)]
pub(super) struct Inner {
    file: Arc<File>,
    state: State,
    /// The error of a write that no call has returned yet.
    failed_write: Option<io::Error>,
    /// The position after the last seek.
    position: u64,
}

#[derive(Debug)]
enum State {
    /// The buffer holds bytes that were read ahead and not yet returned.
    Idle(Buffer),
    Busy(JoinHandle<(Buffer, Outcome)>),
}

#[derive(Debug)]
enum Outcome {
    Read(io::Result<()>),
    Written(io::Result<()>),
    Sought(io::Result<u64>),
    /// Any other call, whose result went through a channel of its own.
    Called,
}

impl Inner {
    pub(super) fn new(file: Arc<File>) -> Self {
        Self { file, state: State::Idle(Buffer::default()), failed_write: None, position: 0 }
    }

    /// Whether no operation is in progress and no bytes were read ahead.
    pub(super) fn is_clean(&self) -> bool {
        matches!(&self.state, State::Idle(buffer) if buffer.is_empty())
    }

    /// `limit` is the most bytes to read at a time.
    pub(super) fn poll_read(
        &mut self,
        cx: &mut Context<'_>,
        target: &mut ReadBuf<'_>,
        limit: usize,
    ) -> Poll<io::Result<()>> {
        loop {
            let outcome = ready!(self.poll_outcome(cx))?;
            let mut buffer = self.take_buffer();
            match outcome {
                Some(Outcome::Read(Err(error))) => return Poll::Ready(Err(error)),
                // An empty buffer is the end of the file.
                Some(Outcome::Read(Ok(()))) => {}
                _ if !buffer.is_empty() || target.remaining() == 0 => {}
                _ => {
                    self.start_read(buffer, target.remaining().min(limit));
                    continue;
                }
            }
            buffer.take_into(target);
            self.state = State::Idle(buffer);
            return Poll::Ready(Ok(()));
        }
    }

    fn start_read(&mut self, mut buffer: Buffer, count: usize) {
        let file = Arc::clone(&self.file);
        self.state = State::Busy(begin("File::poll_read", move || {
            let outcome = buffer.read_from(&mut &*file, count);
            (buffer, Outcome::Read(outcome))
        }));
    }

    /// Takes up to `limit` bytes of `slices`.
    pub(super) fn poll_write(
        &mut self,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
        limit: usize,
    ) -> Poll<io::Result<usize>> {
        let _ = ready!(self.poll_outcome(cx))?;
        if let Some(error) = self.failed_write.take() {
            return Poll::Ready(Err(error));
        }
        if slices.iter().all(|slice| slice.is_empty()) {
            return Poll::Ready(Ok(0));
        }
        Poll::Ready(self.start_write(slices, limit))
    }

    fn start_write(&mut self, slices: &[IoSlice<'_>], limit: usize) -> io::Result<usize> {
        let mut buffer = self.take_buffer();
        let unread = buffer.len();
        let count = buffer.put_all(slices, limit);
        let file = Arc::clone(&self.file);
        let job = promise("File::poll_write", move || {
            let outcome = step_back(&file, unread).and_then(|()| buffer.write_to(&mut &*file));
            buffer.clear();
            (buffer, Outcome::Written(outcome))
        })?;
        self.state = State::Busy(job);
        Ok(count)
    }

    pub(super) fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // The result of a read or seek whose future was dropped does not concern a flush.
        let _ = ready!(self.poll_outcome(cx))?;
        Poll::Ready(self.failed_write.take().map_or(Ok(()), Err))
    }

    pub(super) async fn flush(&mut self) -> io::Result<()> {
        poll_fn(|cx| self.poll_flush(cx)).await
    }

    pub(super) fn start_seek(&mut self, target: SeekFrom) -> io::Result<()> {
        if let State::Busy(_) = self.state {
            return Err(io::Error::other("an operation on the file is under way: `poll_complete` waits for it"));
        }
        let mut buffer = self.take_buffer();
        let unread = if let SeekFrom::Current(_) = target { buffer.len() } else { 0 };
        buffer.clear();
        let file = Arc::clone(&self.file);
        self.state = State::Busy(begin("File::start_seek", move || {
            let outcome = step_back(&file, unread).and_then(|()| (&*file).seek(target));
            (buffer, Outcome::Sought(outcome))
        }));
        Ok(())
    }

    pub(super) fn poll_complete(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<u64>> {
        if let Some(Outcome::Sought(outcome)) = ready!(self.poll_outcome(cx))? {
            self.position = outcome?;
        }
        Poll::Ready(Ok(self.position))
    }

    /// Waits until no operation is in progress. Its error is kept for the next write or flush.
    pub(super) async fn settle(&mut self) {
        let outcome = poll_fn(|cx| self.poll_outcome(cx)).await;
        if let Err(error) = outcome {
            self.failed_write.get_or_insert(error);
        }
    }

    /// Makes a call other than reading and writing, after the operation in progress. If this is
    /// dropped while it waits, the next operation waits for the call to end.
    pub(super) async fn call<T: Send + 'static>(
        &mut self,
        caller: &'static str,
        call: impl FnOnce(&File) -> io::Result<T> + Send + 'static,
    ) -> io::Result<T> {
        self.settle().await;
        let (answer, answered) = oneshot::channel();
        let (buffer, file) = (self.take_buffer(), Arc::clone(&self.file));
        self.state = State::Busy(begin(caller, move || {
            drop(answer.send(call(&file)));
            (buffer, Outcome::Called)
        }));
        poll_fn(|cx| self.poll_outcome(cx)).await?;
        answered.await.expect("the call was made")
    }

    /// Moves the position back over bytes that were read ahead and not returned.
    pub(super) async fn rewind(&mut self, caller: &'static str) -> io::Result<()> {
        self.settle().await;
        let mut buffer = self.take_buffer();
        let unread = buffer.len();
        buffer.clear();
        self.state = State::Idle(buffer);
        if unread == 0 {
            return Ok(());
        }
        self.call(caller, move |file| step_back(file, unread)).await
    }

    /// Waits for the operation in progress, if there is one, and takes its buffer back. A write
    /// error is kept in `failed_write`.
    fn poll_outcome(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Option<Outcome>>> {
        let State::Busy(job) = &mut self.state else { return Poll::Ready(Ok(None)) };
        let answer = ready!(Pin::new(job).poll(cx));
        self.state = State::Idle(Buffer::default());
        let (buffer, outcome) = answer_of(answer)?;
        self.state = State::Idle(buffer);
        if let Outcome::Written(Err(error)) = outcome {
            self.failed_write = Some(error);
            return Poll::Ready(Ok(None));
        }
        Poll::Ready(Ok(Some(outcome)))
    }

    /// Takes the buffer of an idle file.
    fn take_buffer(&mut self) -> Buffer {
        match std::mem::replace(&mut self.state, State::Idle(Buffer::default())) {
            State::Idle(buffer) => buffer,
            State::Busy(_) => unreachable!("the operation under way was waited for"),
        }
    }
}

/// Moves the file's position back over `unread` bytes.
fn step_back(mut file: &File, unread: usize) -> io::Result<()> {
    if unread == 0 {
        return Ok(());
    }
    let distance = i64::try_from(unread).expect("a buffer is smaller than that");
    file.seek(SeekFrom::Current(-distance)).map(drop)
}
