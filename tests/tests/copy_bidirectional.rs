//! A proxy: bytes arrive as they were sent, in both directions at once, at the pace of whoever
//! reads, and ends and errors are passed on. Between sockets by the kernel's pipes, between other
//! streams by a buffer: the promises are the same.

use std::fs::File;
use std::future::Future;
use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio_test::{assert_pending, assert_ready_err, assert_ready_ok};
use wsrt::io::{
    AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufWriter, ReadBuf, copy_bidirectional, empty, join, sink,
};
use wsrt::net::{TcpListener, TcpStream, UnixStream};
use wsrt::runtime::{Builder, Runtime};
use wsrt::task::JoinHandle;
use wsrt_tests::{in_a_process_of_its_own, text_of, within_a_minute};

/// More than all the buffers in between hold.
const MUCH: usize = 24 * 1024 * 1024;

/// Runs a test's body on runtimes of both kinds.
fn on_both<F: Future<Output = ()>>(body: impl Fn() -> F + Send + 'static) {
    within_a_minute(move || {
        Builder::new_current_thread().build().expect("a runtime").block_on(body());
        Builder::new_multi_thread().worker_threads(2).build().expect("a runtime").block_on(body());
    });
}

async fn connected() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let address = listener.local_addr().expect("it has one");
    let ours = TcpStream::connect(address).await.expect("somebody listens");
    let (theirs, _) = listener.accept().await.expect("somebody connects");
    // What is sent last waits for no acknowledgement of what was sent before.
    ours.set_nodelay(true).expect("it can be set");
    theirs.set_nodelay(true).expect("it can be set");
    (ours, theirs)
}

/// A stream that is not recognised as a socket, so that the buffer is used.
struct Disguised(TcpStream);

impl AsyncRead for Disguised {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, target: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, target)
    }
}

impl AsyncWrite for Disguised {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, source: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, source)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}

#[derive(Clone, Copy, Debug)]
enum Way {
    Splice,
    Buffer,
}

type Outcome = JoinHandle<io::Result<(u64, u64)>>;

/// A client and a server with a proxy between them.
async fn proxied(way: Way) -> (TcpStream, TcpStream, Outcome) {
    let ((client, mut a), (server, mut b)) = (connected().await, connected().await);
    let proxy = match way {
        Way::Splice => wsrt::spawn(async move { copy_bidirectional(&mut a, &mut b).await }),
        Way::Buffer => wsrt::spawn(async move { copy_bidirectional(&mut Disguised(a), &mut Disguised(b)).await }),
    };
    (client, server, proxy)
}

/// Bytes by which one can tell where they belong, made in little time in debug builds too: each
/// page has a number.
fn pattern(length: usize, seed: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(length + 4096);
    let mut page: Vec<u8> = (0..4096).map(|index| (index * 31 % 251) as u8).collect();
    for number in 0..=length / 4096 {
        page[..16].copy_from_slice(&(((seed as u128) << 64) | number as u128).to_le_bytes());
        bytes.extend_from_slice(&page);
    }
    bytes.truncate(length);
    bytes
}

/// How many pipes this process has open, both ends counted.
fn count_pipe_ends() -> usize {
    let entries = std::fs::read_dir("/proc/self/fd").expect("Linux lists them");
    let links = entries.filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok());
    links.filter(|link| link.to_string_lossy().starts_with("pipe:")).count()
}

fn count_descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").expect("Linux lists them").count()
}

#[test]
fn much_goes_both_ways_at_once_and_arrives_unchanged() {
    on_both(|| async {
        for way in [Way::Splice, Way::Buffer] {
            let (client, server, proxy) = proxied(way).await;
            let there = wsrt::spawn(exchange(client, 1, 2));
            let back = wsrt::spawn(exchange(server, 2, 1));
            there.await.expect("what arrives is what was sent");
            back.await.expect("what arrives is what was sent");
            assert_eq!(proxy.await.expect("no panic").expect("no error"), (MUCH as u64, MUCH as u64), "{way:?}");
        }
    });
}

/// Sends the pattern of `ours` while it receives that of `theirs`, in pieces of many sizes.
async fn exchange(stream: TcpStream, ours: usize, theirs: usize) {
    let (mut reader, mut writer) = stream.into_split();
    let sender = wsrt::spawn(async move {
        let bytes = pattern(MUCH, ours);
        let mut rest = &bytes[..];
        for size in [1, 100, 8 * 1024, 8 * 1024 + 1, 50_000, 1_000_000].into_iter().cycle() {
            let (piece, left) = rest.split_at(rest.len().min(size));
            writer.write_all(piece).await.expect("the proxy reads");
            rest = left;
            if rest.is_empty() {
                break;
            }
        }
        writer.shutdown().await.expect("the proxy is there");
    });
    let mut received = Vec::new();
    reader.read_to_end(&mut received).await.expect("the proxy writes");
    assert!(received == pattern(MUCH, theirs), "{} bytes came", received.len());
    sender.await.expect("no panic");
}

#[test]
fn local_sockets_are_copied_and_across_both_kinds() {
    on_both(|| async {
        let unix = || UnixStream::pair().expect("sockets are to be had");
        let ((client, mut a), (mut b, server)) = (unix(), unix());
        let proxy = wsrt::spawn(async move { copy_bidirectional(&mut a, &mut b).await });
        send_there(client.into_split().1, server.into_split().0).await;
        assert_eq!(proxy.await.expect("no panic").expect("no error"), (MUCH as u64, 0));

        let ((client, mut a), (mut b, server)) = (unix(), connected().await);
        let proxy = wsrt::spawn(async move { copy_bidirectional(&mut a, &mut b).await });
        send_there(client.into_split().1, server.into_split().0).await;
        assert_eq!(proxy.await.expect("no panic").expect("no error"), (MUCH as u64, 0));
    });
}

/// Sends much, and ends, and looks whether it has arrived.
async fn send_there<W, R>(mut from: W, mut to: R)
where
    W: AsyncWrite + Unpin + Send + 'static,
    R: AsyncRead + Unpin,
{
    let sender = wsrt::spawn(async move {
        from.write_all(&pattern(MUCH, 8)).await.expect("the proxy reads");
        from.shutdown().await.expect("it can be ended");
    });
    let mut received = Vec::new();
    to.read_to_end(&mut received).await.expect("the proxy writes");
    assert!(received == pattern(MUCH, 8), "{} bytes came", received.len());
    sender.await.expect("no panic");
}

#[test]
fn one_side_ends_and_the_other_goes_on() {
    on_both(|| async {
        for way in [Way::Splice, Way::Buffer] {
            let (mut client, mut server, proxy) = proxied(way).await;
            client.write_all(b"question").await.expect("the proxy reads");
            client.shutdown().await.expect("it can be ended");
            let mut question = Vec::new();
            server.read_to_end(&mut question).await.expect("the end is passed on");
            assert_eq!(question, b"question");
            assert!(!proxy.is_finished(), "the server has not ended");
            for _ in 0..3 {
                server.write_all(&[7; 100_000]).await.expect("the proxy reads");
                client.read_exact(&mut [0; 100_000]).await.expect("the proxy writes");
            }
            server.shutdown().await.expect("it can be ended");
            assert_eq!(client.read(&mut [0; 1]).await.expect("the end is passed on"), 0);
            assert_eq!(proxy.await.expect("no panic").expect("no error"), (8, 300_000), "{way:?}");
        }
    });
}

#[test]
fn messages_that_await_their_answers_pass_one_by_one() {
    on_both(|| async {
        for way in [Way::Splice, Way::Buffer] {
            let (mut client, mut server, proxy) = proxied(way).await;
            // Sizes on both sides of all that the proxy counts by.
            let sizes = [1, 100, 8_191, 8_192, 8_193, 16_384, 40_000, 65_536, 200_000, 64, 300_000, 5];
            for (seed, size) in sizes.into_iter().cycle().take(100).enumerate() {
                let question = pattern(size, seed);
                let mut heard = vec![0; size];
                let writing = async { client.write_all(&question).await };
                let reading = async { server.read_exact(&mut heard).await };
                let (written, read) = both(writing, reading).await;
                written.expect("the proxy reads");
                read.expect("the proxy writes");
                assert!(heard == question, "{size} bytes");
                server.write_all(&heard[..1]).await.expect("the proxy reads");
                client.read_exact(&mut heard[..1]).await.expect("the proxy writes");
            }
            drop((client, server));
            proxy.await.expect("no panic").expect("no error");
        }
    });
}

async fn both<A: Future, B: Future>(a: A, b: B) -> (A::Output, B::Output) {
    let (mut a, mut b) = (std::pin::pin!(a), std::pin::pin!(b));
    let (mut of_a, mut of_b) = (None, None);
    std::future::poll_fn(|cx| {
        if of_a.is_none() {
            of_a = ready(a.as_mut().poll(cx));
        }
        if of_b.is_none() {
            of_b = ready(b.as_mut().poll(cx));
        }
        if of_a.is_some() && of_b.is_some() { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    of_a.zip(of_b).expect("both are there")
}

fn ready<T>(poll: Poll<T>) -> Option<T> {
    match poll {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

#[test]
fn a_slow_reader_holds_up_the_sender_and_loses_nothing() {
    on_both(|| async {
        for way in [Way::Splice, Way::Buffer] {
            let (client, mut server, proxy) = proxied(way).await;
            let (mut answers, mut questions) = client.into_split();
            let sender = wsrt::spawn(async move {
                questions.write_all(&pattern(MUCH, 3)).await.expect("the proxy reads");
                questions.shutdown().await.expect("it can be ended");
            });
            // The other direction is not held up.
            for _ in 0..10 {
                server.write_all(b"answer").await.expect("the proxy reads");
                answers.read_exact(&mut [0; 6]).await.expect("the proxy writes");
            }
            assert!(!sender.is_finished(), "nobody reads, and it does not fit in between");
            let wanted = pattern(MUCH, 3);
            let (mut received, mut piece) = (Vec::new(), vec![0; 3_000]);
            loop {
                let count = server.read(&mut piece).await.expect("the proxy writes");
                if count == 0 {
                    break;
                }
                received.extend_from_slice(&piece[..count]);
                if received.len() % 7 == 0 {
                    wsrt::task::yield_now().await;
                }
            }
            assert!(received == wanted, "{} bytes came", received.len());
            sender.await.expect("no panic");
            drop((server, answers));
            assert_eq!(proxy.await.expect("no panic").expect("no error"), (MUCH as u64, 60), "{way:?}");
        }
    });
}

#[test]
fn a_reset_ends_any_copy_with_an_error() {
    on_both(|| async {
        for way in [Way::Splice, Way::Buffer] {
            for flooding in [false, true] {
                let (mut client, server, proxy) = proxied(way).await;
                // Either the proxy waits for something to read, or for the server to read what it
                // has.
                let flood = flooding.then(|| wsrt::spawn(async move { client.write_all(&vec![4; MUCH]).await }));
                if flooding {
                    let (mut peeked, mut before) = (vec![0; 65_536], 0);
                    while before < 65_536 {
                        before = server.peek(&mut peeked).await.expect("the proxy writes");
                        wsrt::task::yield_now().await;
                    }
                }
                server.set_linger(Some(Duration::ZERO)).expect("it can be set");
                drop(server);
                let error = proxy.await.expect("no panic").expect_err("it was reset");
                let kinds = [ErrorKind::ConnectionReset, ErrorKind::BrokenPipe];
                assert!(kinds.contains(&error.kind()), "{way:?}, flooding: {flooding}: {error:?}");
                if let Some(flood) = flood {
                    assert!(flood.await.expect("no panic").is_err(), "the proxy has let go of the client");
                }
            }
        }
    });
}

#[test]
fn pipes_are_taken_for_bulk_and_let_go_of_again() {
    let output = in_a_process_of_its_own("pipes_are_taken_for_bulk_and_let_go_of_again", &[], || {
        within_a_minute(|| {
            Runtime::new().expect("a runtime").block_on(async {
                let (mut client, mut server, proxy) = proxied(Way::Splice).await;
                let before = count_pipe_ends();
                for _ in 0..100 {
                    client.write_all(&[1; 1_000]).await.expect("the proxy reads");
                    server.read_exact(&mut [0; 1_000]).await.expect("the proxy writes");
                }
                assert_eq!(count_pipe_ends(), before, "small messages take no pipe");

                let sender = wsrt::spawn(async move {
                    client.write_all(&pattern(MUCH, 5)).await.expect("the proxy reads");
                    client
                });
                let mut received = vec![0; MUCH / 2];
                server.read_exact(&mut received).await.expect("the proxy writes");
                // The proxy is in the middle of it, and waits for us.
                assert_eq!(count_pipe_ends(), before + 2, "one pipe, for one direction");
                server.read_exact(&mut received).await.expect("the proxy writes");
                let mut client = sender.await.expect("no panic");

                // Two messages with an answer between them: by the second, the first burst has been
                // seen to be small.
                for _ in 0..2 {
                    client.write_all(&[1]).await.expect("the proxy reads");
                    server.read_exact(&mut [0]).await.expect("the proxy writes");
                    server.write_all(&[1]).await.expect("the proxy reads");
                    client.read_exact(&mut [0]).await.expect("the proxy writes");
                }
                assert_eq!(count_pipe_ends(), before, "after bulk comes small talk");
                drop((client, server));
                proxy.await.expect("no panic").expect("no error");
            });
        });
    });
    text_of(&output);
}

#[test]
fn without_descriptors_for_pipes_the_buffer_does_it() {
    let output = in_a_process_of_its_own("without_descriptors_for_pipes_the_buffer_does_it", &[], || {
        within_a_minute(|| {
            Runtime::new().expect("a runtime").block_on(async {
                let (client, mut server, proxy) = proxied(Way::Splice).await;
                let before = count_pipe_ends();
                let all_the_others: Vec<File> = std::iter::from_fn(|| File::open("/dev/null").ok()).collect();
                let sender = wsrt::spawn(async move {
                    let mut client = client;
                    client.write_all(&pattern(MUCH, 6)).await.expect("the proxy reads");
                });
                let mut received = vec![0; MUCH];
                server.read_exact(&mut received).await.expect("the proxy writes");
                assert!(received == pattern(MUCH, 6));
                drop(all_the_others);
                assert_eq!(count_pipe_ends(), before);
                sender.await.expect("no panic");
                drop(server);
                assert_eq!(proxy.await.expect("no panic").expect("no error"), (MUCH as u64, 0));
            });
        });
    });
    text_of(&output);
}

/// A sender whose bulk has gone through already, so that between sockets the pipe is in use.
async fn behind_bulk(way: Way) -> (std::net::TcpStream, TcpStream, Outcome) {
    const BULK: usize = 1024 * 1024;
    let (mut client, mut server, proxy) = proxied(way).await;
    let bulk = pattern(BULK, 1);
    let (sent, received) = both(client.write_all(&bulk), async {
        let mut received = vec![0; BULK];
        server.read_exact(&mut received).await.map(|_| received)
    })
    .await;
    sent.expect("the proxy reads");
    assert!(received.expect("the proxy writes") == bulk);
    (client.into_std().expect("it is a socket"), server, proxy)
}

/// Sends `before`, an urgent byte, and `behind`. Nothing of it waits for anybody.
#[cfg(target_os = "linux")]
fn send_around_urgent(client: &std::net::TcpStream, before: &[u8], behind: &[u8]) {
    let client = socket2::SockRef::from(client);
    assert_eq!(client.send(before).expect("there is room"), before.len());
    assert_eq!(client.send_out_of_band(b"!").expect("there is room"), 1);
    assert_eq!(client.send(behind).expect("there is room"), behind.len());
}

#[cfg(target_os = "linux")]
#[test]
fn what_comes_behind_urgent_data_is_copied_while_open() {
    on_both(|| async {
        for way in [Way::Splice, Way::Buffer] {
            for before in [&b""[..], b"before "] {
                let (client, mut server, proxy) = behind_bulk(way).await;
                for piece in 0..3 {
                    let mut received = vec![0; before.len() + 6];
                    send_around_urgent(&client, before, b"behind");
                    server.read_exact(&mut received).await.expect("all of it comes");
                    assert_eq!(received, [before, b"behind"].concat(), "{way:?}, piece {piece}");
                }
                // And much, which is what the pipe was for.
                let bulk = pattern(100_000, 2);
                send_around_urgent(&client, before, &bulk);
                let mut received = vec![0; before.len() + bulk.len()];
                server.read_exact(&mut received).await.expect("all of it comes");
                assert!(received == [before, &bulk].concat(), "{way:?}");
                drop((client, server));
                assert!(proxy.await.expect("no panic").is_ok());
            }
        }
    });
}

#[cfg(target_os = "linux")]
#[test]
fn what_comes_behind_urgent_data_is_copied_before_the_end() {
    on_both(|| async {
        for way in [Way::Splice, Way::Buffer] {
            for before in [&b""[..], b"before "] {
                let (client, mut server, proxy) = behind_bulk(way).await;
                let bulk = pattern(100_000, 2);
                send_around_urgent(&client, before, &bulk);
                client.shutdown(std::net::Shutdown::Write).expect("it is connected");
                let mut received = Vec::new();
                server.read_to_end(&mut received).await.expect("no error");
                assert_eq!(received.len(), before.len() + bulk.len(), "{way:?}");
                assert!(received == [before, &bulk].concat(), "{way:?}");
                drop(server);
                let (there, _) = proxy.await.expect("no panic").expect("no error");
                assert_eq!(there, (1024 * 1024 + received.len()) as u64);
            }
        }
    });
}

#[test]
fn given_up_in_the_middle_it_leaves_no_descriptor_behind() {
    let output = in_a_process_of_its_own("given_up_in_the_middle_it_leaves_no_descriptor_behind", &[], || {
        within_a_minute(|| {
            Runtime::new().expect("a runtime").block_on(async {
                // What the runtime opens once is open by now.
                drop(connected().await);
                let before = count_descriptors();
                for _ in 0..20 {
                    let (mut client, mut server, proxy) = proxied(Way::Splice).await;
                    let flood = wsrt::spawn(async move { client.write_all(&vec![7; MUCH]).await });
                    server.read_exact(&mut vec![0; 1_000_000]).await.expect("the proxy writes");
                    proxy.abort();
                    assert!(proxy.await.expect_err("it was aborted").is_cancelled());
                    assert!(flood.await.expect("no panic").is_err(), "the proxy is gone");
                    drop(server);
                }
                assert_eq!(count_descriptors(), before);
            });
        });
    });
    text_of(&output);
}

#[test]
fn buffered_writes_are_flushed_before_an_answer_is_awaited() {
    on_both(|| async {
        let ((mut client, a), (mut server, b)) = (wsrt::io::duplex(1_000), wsrt::io::duplex(1_000));
        let proxy =
            wsrt::spawn(async move { copy_bidirectional(&mut BufWriter::new(a), &mut BufWriter::new(b)).await });
        for _ in 0..3 {
            client.write_all(b"question").await.expect("the proxy reads");
            server.read_exact(&mut [0; 8]).await.expect("the proxy has flushed");
            server.write_all(b"answer").await.expect("the proxy reads");
            client.read_exact(&mut [0; 6]).await.expect("the proxy has flushed");
        }
        drop(server);
        drop(client);
        assert_eq!(proxy.await.expect("no panic").expect("no error"), (24, 18));
    });
}

/// Answers each read with the next of its pieces, an empty one being an end, as a terminal does
/// that goes on behind it.
struct Terminal(std::vec::IntoIter<&'static [u8]>);

impl AsyncRead for Terminal {
    fn poll_read(mut self: Pin<&mut Self>, _: &mut Context<'_>, target: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        target.put_slice(self.0.next().expect("nobody reads on"));
        Poll::Ready(Ok(()))
    }
}

/// Keeps what is written, and flushes it when it is allowed to.
#[derive(Default)]
struct FlushesLater {
    written: Vec<u8>,
    may_flush: Arc<AtomicBool>,
    is_shut_down: bool,
}

impl AsyncWrite for FlushesLater {
    fn poll_write(mut self: Pin<&mut Self>, _: &mut Context<'_>, source: &[u8]) -> Poll<io::Result<usize>> {
        self.written.extend_from_slice(source);
        Poll::Ready(Ok(source.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.may_flush.load(SeqCst) { Poll::Ready(Ok(())) } else { Poll::Pending }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.is_shut_down = true;
        Poll::Ready(Ok(()))
    }
}

#[test]
fn behind_an_end_nothing_is_read_while_the_flush_waits() {
    let terminal = Terminal(vec![&b"line"[..], b"", b"more"].into_iter());
    let (mut a, mut b) = (join(terminal, sink()), join(empty(), FlushesLater::default()));
    let may_flush = Arc::clone(&b.writer().may_flush);
    let mut copying = tokio_test::task::spawn(copy_bidirectional(&mut a, &mut b));
    assert_pending!(copying.poll());
    assert_pending!(copying.poll(), "whatever the task was woken for");
    may_flush.store(true, SeqCst);
    assert_eq!(assert_ready_ok!(copying.poll()), (4, 0));
    drop(copying);
    assert_eq!((&b.writer().written[..], b.writer().is_shut_down), (&b"line"[..], true));
    assert_eq!(a.reader().0.as_slice(), [b"more"]);
}

#[test]
fn an_error_of_either_stream_is_returned_unchanged() {
    let refused = || io::Error::from_raw_os_error(5);
    let mock = tokio_test::io::Builder::new;
    let of_reading = (mock().read(b"question").read_error(refused()).build(), mock().write(b"question").build());
    let of_writing = (mock().read(b"question").build(), mock().write_error(refused()).build());
    for (mut a, mut b) in [of_reading, of_writing] {
        let mut copying = tokio_test::task::spawn(copy_bidirectional(&mut a, &mut b));
        assert_eq!(assert_ready_err!(copying.poll()).raw_os_error(), refused().raw_os_error());
    }
}

#[test]
fn streams_that_are_always_ready_leave_others_their_turn() {
    within_a_minute(|| {
        Builder::new_current_thread().build().expect("a runtime").block_on(async {
            let endless = wsrt::spawn(async {
                let (mut a, mut b) = (Endless, Endless);
                copy_bidirectional(&mut a, &mut b).await
            });
            for _ in 0..10 {
                wsrt::task::yield_now().await;
            }
            endless.abort();
            assert!(endless.await.expect_err("it has no end").is_cancelled());
        });
    });
}

/// Can be read and written for ever.
struct Endless;

impl AsyncRead for Endless {
    fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, target: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let count = target.remaining();
        target.initialize_unfilled();
        target.advance(count);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Endless {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, source: &[u8]) -> Poll<io::Result<usize>> {
        Poll::Ready(Ok(source.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
