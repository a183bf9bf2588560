//! Streams in memory carry what was written, to its end, and wake the task that waits, whatever is
//! read, written, shut down and dropped in which order.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::task::{Context, Poll, Wake, Waker};

use wsrt::io::{
    AsyncRead, AsyncReadExt, AsyncSeekExt, AsyncWrite, AsyncWriteExt, DuplexStream, ReadBuf, copy, copy_buf, duplex,
    empty, join, repeat, simplex, sink,
};
use wsrt::runtime::Builder;
use wsrt_tests::{Random, within_a_minute};

/// A waker that remembers whether it was woken.
#[derive(Default)]
struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, SeqCst);
    }
}

/// The task that waits at one end of a direction, if one does.
#[derive(Default)]
struct Waiting(Option<Arc<Flag>>);

impl Waiting {
    /// Polls with a new waker, which waits if the answer is pending.
    fn poll<R>(&mut self, poll: impl FnOnce(&mut Context<'_>) -> Poll<R>) -> Poll<R> {
        let flag = Arc::new(Flag::default());
        let waker = Waker::from(Arc::clone(&flag));
        let answer = poll(&mut Context::from_waker(&waker));
        self.0 = answer.is_pending().then_some(flag);
        answer
    }

    /// The task is woken as soon as it can proceed, and not before.
    fn check(&mut self, can_proceed: bool, who: &str) {
        if let Some(flag) = &self.0 {
            assert_eq!(flag.0.load(SeqCst), can_proceed, "{who} was woken, and can proceed");
            if can_proceed {
                self.0 = None;
            }
        }
    }
}

/// One direction as it should be.
struct Model {
    bytes: VecDeque<u8>,
    limit: usize,
    is_closed: bool,
    next: u8,
    reader: Waiting,
    writer: Waiting,
}

impl Model {
    fn new(limit: usize) -> Self {
        let (reader, writer) = (Waiting::default(), Waiting::default());
        Self { bytes: VecDeque::new(), limit, is_closed: false, next: 0, reader, writer }
    }

    /// Writes up to `count` bytes, in one piece or two, to the stream and to the model.
    fn write(&mut self, stream: &mut (impl AsyncWrite + Unpin), count: usize, in_two: bool) {
        let source: Vec<u8> = (0..count).map(|n| self.next.wrapping_add(n as u8)).collect();
        let answer = self.writer.poll(|cx| {
            let stream = Pin::new(stream);
            if in_two {
                let (first, second) = source.split_at(count / 3);
                return stream.poll_write_vectored(cx, &[IoSlice::new(first), IoSlice::new(second)]);
            }
            stream.poll_write(cx, &source)
        });
        let room = self.limit - self.bytes.len();
        match answer {
            Poll::Ready(Err(error)) => {
                assert_eq!(error.kind(), ErrorKind::BrokenPipe);
                assert!(self.is_closed);
            }
            Poll::Ready(Ok(written)) => {
                assert!(!self.is_closed && room > 0);
                assert_eq!(written, count.min(room));
                self.bytes.extend(&source[..written]);
                self.next = self.next.wrapping_add(written as u8);
            }
            Poll::Pending => assert!(!self.is_closed && room == 0),
        }
    }

    fn read(&mut self, stream: &mut (impl AsyncRead + Unpin), room: usize) {
        let mut memory = vec![0; room];
        let mut target = ReadBuf::new(&mut memory);
        match self.reader.poll(|cx| Pin::new(stream).poll_read(cx, &mut target)) {
            Poll::Ready(outcome) => {
                outcome.expect("reads never fail");
                assert!(self.is_closed || !self.bytes.is_empty());
                let expected: Vec<u8> = self.bytes.drain(..room.min(self.bytes.len())).collect();
                assert_eq!(target.filled(), expected);
            }
            Poll::Pending => assert!(!self.is_closed && self.bytes.is_empty()),
        }
    }

    fn check_wakes(&mut self) {
        self.reader.check(self.is_closed || !self.bytes.is_empty(), "the reader");
        self.writer.check(self.is_closed || self.bytes.len() < self.limit, "the writer");
    }
}

fn shut_down(stream: &mut (impl AsyncWrite + Unpin)) {
    let mut cx = Context::from_waker(Waker::noop());
    assert!(matches!(Pin::new(stream).poll_shutdown(&mut cx), Poll::Ready(Ok(()))));
}

/// Does something to one of the two ends. `models[n]` is what end `n` writes.
fn play_duplex(random: &mut Random, ends: &mut [Option<DuplexStream>; 2], models: &mut [Model; 2]) {
    let (near, far) = if random.below(2) == 0 { (0, 1) } else { (1, 0) };
    let size = random.below(12) as usize;
    let Some(stream) = &mut ends[near] else { return };
    match random.below(64) {
        0 => {
            ends[near] = None;
            (models[near].is_closed, models[far].is_closed) = (true, true);
            // Neither waits any longer.
            (models[near].writer, models[far].reader) = Default::default();
        }
        1 | 2 => {
            shut_down(stream);
            models[near].is_closed = true;
            // The writer has given up what it waited for.
            models[near].writer = Waiting::default();
        }
        3..32 => models[near].write(stream, size, random.below(2) == 0),
        _ => models[far].read(stream, size + 1),
    }
}

#[test]
fn duplex_streams_behave_as_two_queues() {
    for seed in 1..=2000 {
        let mut random = Random::new(seed);
        let limit = random.below(20) as usize;
        let (near, far) = duplex(limit);
        let mut ends = [Some(near), Some(far)];
        let mut models = [Model::new(limit), Model::new(limit)];
        for _ in 0..200 {
            play_duplex(&mut random, &mut ends, &mut models);
            models.iter_mut().for_each(Model::check_wakes);
        }
    }
}

#[test]
fn simplex_streams_behave_as_a_queue() {
    for seed in 1..=1000 {
        let mut random = Random::new(seed);
        let limit = random.below(20) as usize;
        let (mut reader, mut writer) = simplex(limit);
        let mut model = Model::new(limit);
        for _ in 0..200 {
            let size = random.below(12) as usize;
            match random.below(100) {
                0 => {
                    shut_down(&mut writer);
                    model.is_closed = true;
                    model.writer = Waiting::default();
                }
                1..50 => model.write(&mut writer, size, random.below(2) == 0),
                _ => model.read(&mut reader, size + 1),
            }
            model.check_wakes();
        }
    }
}

#[test]
fn bytes_cross_threads_in_order() {
    const BYTES: usize = 200_000;
    within_a_minute(|| {
        let runtime = Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
        runtime.block_on(async {
            let (mut near, mut far) = duplex(7);
            let sent: Vec<u8> = (0..BYTES).map(|n| (n * n / 7) as u8).collect();
            let expected = sent.clone();
            let writing = wsrt::spawn(async move {
                near.write_all(&sent).await?;
                near.shutdown().await?;
                let mut answer = String::new();
                near.read_to_string(&mut answer).await?;
                io::Result::Ok(answer)
            });
            let mut received = Vec::new();
            far.read_to_end(&mut received).await.expect("read");
            assert!(received == expected);
            far.write_all(b"thanks").await.expect("the direction back is open");
            drop(far);
            assert_eq!(writing.await.expect("no panic").expect("no error"), "thanks");
        });
    });
}

#[test]
fn a_waker_may_use_the_stream_that_wakes_it() {
    struct Reader(std::sync::Mutex<Option<DuplexStream>>);
    impl Wake for Reader {
        fn wake(self: Arc<Self>) {
            drop(self.0.lock().expect("no panic").take());
        }
    }
    let (near, mut far) = duplex(4);
    let reader = Arc::new(Reader(std::sync::Mutex::new(None)));
    let waker = Waker::from(Arc::clone(&reader));
    let mut near = near;
    let mut memory = [0; 4];
    let answer = Pin::new(&mut near).poll_read(&mut Context::from_waker(&waker), &mut ReadBuf::new(&mut memory));
    assert!(answer.is_pending());
    *reader.0.lock().expect("no panic") = Some(near);
    let mut cx = Context::from_waker(Waker::noop());
    assert!(matches!(Pin::new(&mut far).poll_write(&mut cx, b"abc"), Poll::Ready(Ok(3))));
    let Poll::Ready(Err(error)) = Pin::new(&mut far).poll_write(&mut cx, b"d") else { panic!("the reader is gone") };
    assert_eq!(error.kind(), ErrorKind::BrokenPipe);
}

#[test]
fn sources_and_sinks_are_what_they_say() {
    let runtime = Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async {
        let mut bytes = [9; 5];
        assert_eq!(empty().read(&mut bytes).await.expect("read"), 0);
        assert_eq!(empty().write(&bytes).await.expect("written"), 5);
        assert_eq!(empty().seek(io::SeekFrom::End(7)).await.expect("sought"), 0);
        assert_eq!(repeat(3).read(&mut bytes).await.expect("read"), 5);
        assert_eq!(bytes, [3; 5]);
        let slices = [IoSlice::new(b"ab"), IoSlice::new(b""), IoSlice::new(b"cde")];
        assert_eq!(sink().write_vectored(&slices).await.expect("written"), 5);
        assert!(sink().is_write_vectored() && empty().is_write_vectored() && duplex(1).0.is_write_vectored());
    });
}

/// Takes no bytes, and counts flushes.
#[derive(Default)]
struct Full {
    flushes: usize,
}

impl AsyncWrite for Full {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, _: &[u8]) -> Poll<io::Result<usize>> {
        Poll::Ready(Ok(0))
    }

    fn poll_flush(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.flushes += 1;
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        panic!("a copy does not shut down")
    }
}

#[test]
fn copies_end_flushed_and_report_a_full_writer() {
    let runtime = Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async {
        let mut full = Full::default();
        let error = copy(&mut &b"x"[..], &mut full).await.expect_err("it takes nothing");
        assert_eq!(error.kind(), ErrorKind::WriteZero);
        let error = copy_buf(&mut &b"x"[..], &mut full).await.expect_err("it takes nothing");
        assert_eq!(error.kind(), ErrorKind::WriteZero);
        assert_eq!(full.flushes, 0);
        assert_eq!(copy(&mut empty(), &mut full).await.expect("copied"), 0);
        assert_eq!(copy_buf(&mut empty(), &mut full).await.expect("copied"), 0);
        assert_eq!(full.flushes, 2);
    });
}

#[test]
fn copies_flush_before_they_wait() {
    within_a_minute(|| {
        let runtime = Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            for is_buffered in [false, true] {
                let (mut question, asked) = duplex(64);
                let (answering, mut answer) = duplex(64);
                let copying = wsrt::spawn(async move {
                    let mut writer = wsrt::io::BufWriter::new(answering);
                    let mut reader = wsrt::io::BufReader::new(asked);
                    if is_buffered {
                        return copy_buf(&mut reader, &mut writer).await;
                    }
                    copy(&mut reader, &mut writer).await
                });
                question.write_all(b"are you there?").await.expect("written");
                let mut bytes = [0; 14];
                answer.read_exact(&mut bytes).await.expect("the copy flushed, and waits");
                drop(question);
                assert_eq!(copying.await.expect("no panic").expect("copied"), 14);
            }
        });
    });
}

#[test]
fn a_joined_stream_reads_and_writes_its_parts() {
    let runtime = Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async {
        let mut stream = join(&b"in"[..], Vec::new());
        assert_eq!(copy(&mut &b"out"[..], &mut stream).await.expect("copied"), 3);
        stream.writer_mut().push(b'!');
        let mut text = String::new();
        stream.read_to_string(&mut text).await.expect("read");
        assert_eq!(text, "in");
        assert_eq!((stream.reader().len(), &stream.writer()[..]), (0, &b"out!"[..]));
        assert_eq!(stream.into_inner().1, b"out!");
    });
}
