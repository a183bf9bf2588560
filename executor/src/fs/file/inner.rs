//! The state of an open file: idle with its buffer, or busy on the pool, which borrows the buffer.

use std::future::poll_fn;
use std::io::{self, IoSlice, Seek, SeekFrom};
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use wsrt_sync::oneshot;

use crate::fs::file_system::Opened;
use crate::io::buffer::{Buffer, ReadTarget};
use crate::io::offload::{Lent, begin, promise};
use crate::util::world::Cost;

#[derive(Debug)]
pub(super) struct FileState {
    file: Arc<Opened>,
    /// The buffer, with bytes that were read ahead and not yet returned.
    buffer: Lent<Buffer, Outcome>,
    /// The error of a write that no call has returned yet.
    failed_write: Option<io::Error>,
    /// The file's position after the last seek.
    position: u64,
}

#[derive(Debug)]
enum Outcome {
    Read(io::Result<()>),
    Written(io::Result<()>),
    Sought(io::Result<u64>),
    /// Any other call, whose result went through its own channel.
    Called,
}

impl FileState {
    pub(super) fn new(file: Arc<Opened>) -> Self {
        Self { file, buffer: Lent::Here(Buffer::new()), failed_write: None, position: 0 }
    }

    /// Returns whether no operation is in progress and no bytes were read ahead.
    pub(super) fn is_clean(&self) -> bool {
        matches!(&self.buffer, Lent::Here(buffer) if buffer.is_empty())
    }

    /// Polls a read of at most `limit` bytes at a time.
    pub(super) fn poll_read(
        &mut self,
        cx: &mut Context<'_>,
        target: &mut impl ReadTarget,
        limit: usize,
    ) -> Poll<io::Result<()>> {
        loop {
            let outcome = ready!(self.poll_outcome(cx))?;
            let mut buffer = self.buffer.take();
            match outcome {
                Some(Outcome::Read(Err(error))) => return Poll::Ready(Err(error)),
                // An empty buffer is the end of the file.
                Some(Outcome::Read(Ok(()))) => {}
                _ if !buffer.is_empty() || target.room() == 0 => {}
                _ => {
                    self.start_read(buffer, target.room().min(limit));
                    continue;
                }
            }
            buffer.take_into(target);
            self.buffer = Lent::Here(buffer);
            return Poll::Ready(Ok(()));
        }
    }

    fn start_read(&mut self, mut buffer: Buffer, count: usize) {
        let file = Arc::clone(&self.file);
        file.take_time(Cost::Read(count));
        self.buffer = Lent::WithJob(begin("File::poll_read", move || {
            let outcome = buffer.read_from(&mut &*file, count);
            (buffer, Outcome::Read(outcome))
        }));
    }

    /// Accepts up to `limit` bytes of `slices`.
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
        let mut buffer = self.buffer.take();
        let unread = buffer.len();
        let count = buffer.put_all(slices, limit);
        let file = Arc::clone(&self.file);
        file.take_time(Cost::Write(count));
        let job = promise("File::poll_write", move || {
            let outcome = step_back(&file, unread).and_then(|()| buffer.write_to(&mut &*file));
            buffer.clear();
            (buffer, Outcome::Written(outcome))
        })?;
        self.buffer = Lent::WithJob(job);
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
        if let Lent::WithJob(_) = self.buffer {
            return Err(io::Error::other("an operation on the file is under way: `poll_complete` waits for it"));
        }
        let mut buffer = self.buffer.take();
        let unread = if let SeekFrom::Current(_) = target { buffer.len() } else { 0 };
        buffer.clear();
        let file = Arc::clone(&self.file);
        file.take_time(Cost::Name);
        self.buffer = Lent::WithJob(begin("File::start_seek", move || {
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

    /// Waits until no operation is in progress, and keeps its error for the next write or flush.
    pub(super) async fn settle(&mut self) {
        let outcome = poll_fn(|cx| self.poll_outcome(cx)).await;
        if let Err(error) = outcome {
            self.failed_write.get_or_insert(error);
        }
    }

    /// Runs a call other than a read or write, after the operation in progress. If the future is
    /// dropped, the next operation waits for the call to end.
    pub(super) async fn call<T: Send + 'static>(
        &mut self,
        caller: &'static str,
        cost: Cost,
        call: impl FnOnce(&Opened) -> io::Result<T> + Send + 'static,
    ) -> io::Result<T> {
        self.settle().await;
        let (answer, answered) = oneshot::channel();
        let (buffer, file) = (self.buffer.take(), Arc::clone(&self.file));
        file.take_time(cost);
        self.buffer = Lent::WithJob(begin(caller, move || {
            drop(answer.send(call(&file)));
            (buffer, Outcome::Called)
        }));
        poll_fn(|cx| self.poll_outcome(cx)).await?;
        answered.await.expect("the call was made")
    }

    /// Moves the file's position back over bytes that were read ahead and not returned.
    pub(super) async fn rewind(&mut self, caller: &'static str) -> io::Result<()> {
        self.settle().await;
        let mut buffer = self.buffer.take();
        let unread = buffer.len();
        buffer.clear();
        self.buffer = Lent::Here(buffer);
        if unread == 0 {
            return Ok(());
        }
        self.call(caller, Cost::Name, move |file| step_back(file, unread)).await
    }

    /// Waits for the operation in progress, if any, and takes its buffer back. A write error is
    /// kept in `failed_write`.
    fn poll_outcome(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Option<Outcome>>> {
        let outcome = ready!(self.buffer.poll_outcome(cx))?;
        if let Some(Outcome::Written(Err(error))) = outcome {
            self.failed_write = Some(error);
            return Poll::Ready(Ok(None));
        }
        Poll::Ready(Ok(outcome))
    }
}

/// Moves the file's position back over `unread` bytes.
fn step_back(mut file: &Opened, unread: usize) -> io::Result<()> {
    if unread == 0 {
        return Ok(());
    }
    let distance = i64::try_from(unread).expect("a buffer is smaller than that");
    file.seek(SeekFrom::Current(-distance)).map(drop)
}
