//! A proxy: bytes arrive as they were sent, in both directions at once, at the reader's
//! pace, and ends and errors are passed on. Between sockets by the kernel's pipes, between other
//! streams by a buffer: the promises are the same.

mod by_hand;
mod urgent;

use std::fs::File;
use std::future::Future;
use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use wsrt::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufWriter, ReadBuf, copy_bidirectional};
use wsrt::net::{TcpListener, TcpStream, UnixStream};
use wsrt::runtime::{Builder, Runtime};
use wsrt::task::JoinHandle;
use wsrt_tests::{in_a_process_of_its_own, in_a_process_with_files, text_of, within_a_minute};

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
    // The last bytes sent wait for no acknowledgement of those before.
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

/// Bytes that show their place, made in little time in debug builds too: each page has a number.
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
                // The proxy waits for something to read, or for the server to read the bytes sent
                // to it.
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
    let output = in_a_process_with_files("without_descriptors_for_pipes_the_buffer_does_it", "256", || {
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

#[test]
fn given_up_in_the_middle_it_leaves_no_descriptor_behind() {
    let output = in_a_process_of_its_own("given_up_in_the_middle_it_leaves_no_descriptor_behind", &[], || {
        within_a_minute(|| {
            Runtime::new().expect("a runtime").block_on(async {
                // The descriptors that the runtime opens once are open by now.
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
