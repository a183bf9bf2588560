//! `LimitedIo`: a stream that gives up on a client that takes nothing, and lets other tasks run
//! while a client sends or takes without a pause.

use std::future::Future;
use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::rt::{Read, ReadBufCursor, Write};
use wsrt::time::{Sleep, sleep};

use super::traffic::Traffic;

/// How many reads in a row are ready before other tasks have their turn.
///
/// The budget of a poll allows sixteen times as many. That is for a task whose reads cost more than
/// the work that they bring; but a read of HTTP/2 may bring a thousand frames of 13 bytes, and a
/// poll of 128 reads of them takes 10 ms and more.
const READS_IN_A_ROW: u32 = 8;

/// How many bytes are written in a row before other tasks have their turn.
///
/// A system call copies as much as the kernel's send buffer takes, up to 4 MB by Linux's defaults,
/// and hyper writes for as long as it takes any: a large answer would have the processor for some
/// milliseconds, and a crowd of them at once keep other tasks waiting.
const WRITTEN_IN_A_ROW: usize = 128 << 10;

/// The stream of a connection.
///
/// Its writes fail once one of them has waited for `limit`: the client's window is full then, or
/// the client has vanished. A client that reads slowly is not given up, since each write that takes
/// anything ends the wait.
#[derive(Debug)]
pub(super) struct LimitedIo<Io> {
    io: Io,
    limit: Option<Duration>,
    stall: Option<IoStall>,
    /// The number of reads that were ready since the last one that was not.
    reads: u32,
    /// The number of bytes written since the last write that waited.
    written: usize,
    /// Counts all bytes that are written.
    traffic: Arc<Traffic>,
}

/// The wait of an operation, from its first refusal on.
#[derive(Debug)]
struct IoStall {
    operation: Operation,
    expiry: Pin<Box<Sleep>>,
}

/// A flush of a plain socket is ready at once, though a write before it waits: an operation ends
/// its own stall only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Write,
    Flush,
    Shutdown,
}

impl<Io> LimitedIo<Io> {
    /// Limits the writes to `io`; `None` means no limit.
    pub(super) fn new(io: Io, limit: Option<Duration>, traffic: Arc<Traffic>) -> Self {
        Self { io, limit, stall: None, reads: 0, written: 0, traffic }
    }

    /// Passes on the result of an operation, unless the operation has waited for too long.
    #[inline]
    fn limited<T>(
        &mut self,
        operation: Operation,
        outcome: Poll<io::Result<T>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            if self.stall.as_ref().is_some_and(|stall| stall.operation == operation) {
                self.stall = None;
            }
            return outcome;
        }
        self.wait(operation, context).map(Err)
    }

    /// Returns `true`, and wakes the task, if a write has to let other tasks run first.
    #[inline]
    fn gives_way(&mut self, context: &Context<'_>) -> bool {
        if self.written < WRITTEN_IN_A_ROW {
            return false;
        }
        self.written = 0;
        context.waker().wake_by_ref();
        true
    }

    /// Counts the bytes of a write, and limits its wait.
    #[inline]
    fn wrote(&mut self, written: Poll<io::Result<usize>>, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        match &written {
            Poll::Ready(Ok(count)) => {
                self.written += count;
                self.traffic.wrote(*count);
            }
            _ => self.written = 0,
        }
        self.limited(Operation::Write, written, context)
    }

    /// Begins or continues the wait of `operation`. Returns an error if the wait takes too long.
    #[cold]
    fn wait(&mut self, operation: Operation, context: &mut Context<'_>) -> Poll<io::Error> {
        let Some(limit) = self.limit else { return Poll::Pending };
        let stall = self.stall.get_or_insert_with(|| IoStall { operation, expiry: Box::pin(sleep(limit)) });
        let expired = stall.expiry.as_mut().poll(context);
        expired.map(|()| io::Error::new(ErrorKind::TimedOut, "the client took nothing for too long"))
    }
}

impl<Io: Read + Unpin> Read for LimitedIo<Io> {
    #[inline]
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        if self.reads == READS_IN_A_ROW {
            self.reads = 0;
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let read = Pin::new(&mut self.io).poll_read(context, buffer);
        self.reads = if read.is_ready() { self.reads + 1 } else { 0 };
        read
    }
}

impl<Io: Write + Unpin> Write for LimitedIo<Io> {
    #[inline]
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.gives_way(context) {
            return Poll::Pending;
        }
        let bytes = &bytes[..bytes.len().min(WRITTEN_IN_A_ROW)];
        let written = Pin::new(&mut self.io).poll_write(context, bytes);
        self.wrote(written, context)
    }

    #[inline]
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.io).poll_flush(context);
        self.limited(Operation::Flush, flushed, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.io).poll_shutdown(context);
        self.limited(Operation::Shutdown, shut, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    #[inline]
    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if self.gives_way(context) {
            return Poll::Pending;
        }
        let length: usize = pieces.iter().map(|piece| piece.len()).sum();
        let written = if length <= WRITTEN_IN_A_ROW {
            Pin::new(&mut self.io).poll_write_vectored(context, pieces)
        } else {
            Pin::new(&mut self.io).poll_write_vectored(context, &first_in_a_row(pieces))
        };
        self.wrote(written, context)
    }
}

/// The first of the pieces, cut to as much as is written in a row.
#[cold]
fn first_in_a_row<'a>(pieces: &'a [IoSlice<'_>]) -> [IoSlice<'a>; 8] {
    let (mut first, mut room) = ([IoSlice::new(&[]); 8], WRITTEN_IN_A_ROW);
    for (cut, piece) in first.iter_mut().zip(pieces) {
        let length = piece.len().min(room);
        *cut = IoSlice::new(&piece[..length]);
        room -= length;
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::rt::ReadBuf;
    use std::future::poll_fn;
    use wsrt::runtime::Builder;
    use wsrt::time::{Instant, advance};

    const LIMIT: Duration = Duration::from_secs(10);

    /// Takes `room` bytes and then none; flushes at once, as a socket does.
    struct Narrow {
        room: usize,
    }

    impl Write for Narrow {
        fn poll_write(mut self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
            let count = bytes.len().min(self.room);
            self.room -= count;
            if count == 0 { Poll::Pending } else { Poll::Ready(Ok(count)) }
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    /// Writes a byte, and flushes at each poll, as hyper does.
    async fn write(stream: &mut LimitedIo<Narrow>) -> io::Result<usize> {
        poll_fn(|context| {
            let written = Pin::new(&mut *stream).poll_write(context, b"x");
            let flushed = Pin::new(&mut *stream).poll_flush(context);
            assert!(flushed.is_ready());
            written
        })
        .await
    }

    /// A stream that always has something to read.
    struct Endless;

    impl Read for Endless {
        fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, mut buffer: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
            buffer.put_slice(b"x");
            Poll::Ready(Ok(()))
        }
    }

    #[test]
    fn an_endless_stream_of_reads_lets_other_tasks_run() {
        let mut stream = LimitedIo::new(Endless, None, Arc::default());
        let mut reading = tokio_test::task::spawn(poll_fn(|context| {
            let mut count = 0;
            while Pin::new(&mut stream).poll_read(context, ReadBuf::new(&mut [0; 1]).unfilled()).is_ready() {
                count += 1;
            }
            Poll::Ready(count)
        }));
        assert_eq!(reading.poll(), Poll::Ready(READS_IN_A_ROW));
        assert!(reading.is_woken(), "it goes on");
    }

    /// Takes all that it is given.
    struct Wide;

    impl Write for Wide {
        fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
            Poll::Ready(Ok(bytes.len()))
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn is_write_vectored(&self) -> bool {
            true
        }

        fn poll_write_vectored(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
            pieces: &[IoSlice<'_>],
        ) -> Poll<io::Result<usize>> {
            Poll::Ready(Ok(pieces.iter().map(|piece| piece.len()).sum()))
        }
    }

    #[test]
    fn an_endless_stream_of_writes_lets_other_tasks_run() {
        let answer = vec![0; 10 * WRITTEN_IN_A_ROW];
        for pieces in [&[IoSlice::new(&answer)][..], &[IoSlice::new(b"head"), IoSlice::new(&answer)]] {
            let mut stream = LimitedIo::new(Wide, None, Arc::default());
            let mut writing = tokio_test::task::spawn(poll_fn(|context| {
                let mut most = 0;
                while let Poll::Ready(written) = Pin::new(&mut stream).poll_write_vectored(context, pieces) {
                    most += written.expect("it takes all");
                }
                Poll::Ready(most)
            }));
            let Poll::Ready(count) = writing.poll() else { panic!("it ends") };
            assert_eq!(count, WRITTEN_IN_A_ROW);
            assert!(writing.is_woken(), "it goes on");
        }
    }

    fn on_a_stopped_clock(test: impl Future<Output = ()>) {
        Builder::new_current_thread().start_paused(true).build().expect("a runtime is to be had").block_on(test);
    }

    #[test]
    fn a_write_that_waits_too_long_fails() {
        on_a_stopped_clock(async {
            let mut stream = LimitedIo::new(Narrow { room: 1 }, Some(LIMIT), Arc::default());
            assert_eq!(write(&mut stream).await.ok(), Some(1));
            let began = Instant::now();
            let error = write(&mut stream).await.expect_err("there is no room");
            assert_eq!((error.kind(), began.elapsed()), (ErrorKind::TimedOut, LIMIT));
        });
    }

    #[test]
    fn a_write_that_takes_anything_ends_the_wait() {
        on_a_stopped_clock(async {
            let mut stream = LimitedIo::new(Narrow { room: 0 }, Some(LIMIT), Arc::default());
            for _ in 0..3 {
                let waited = wsrt::time::timeout(LIMIT * 2 / 3, write(&mut stream)).await;
                assert!(waited.is_err(), "there is no room");
                stream.io.room = 1;
                assert_eq!(write(&mut stream).await.ok(), Some(1));
            }
        });
    }

    #[test]
    fn without_a_limit_a_write_waits_for_ever() {
        on_a_stopped_clock(async {
            let mut stream = LimitedIo::new(Narrow { room: 0 }, None, Arc::default());
            let mut writing = tokio_test::task::spawn(write(&mut stream));
            assert!(writing.poll().is_pending());
            advance(Duration::from_secs(1 << 20)).await;
            assert!(!writing.is_woken());
        });
    }
}
