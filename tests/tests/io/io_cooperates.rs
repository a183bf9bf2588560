//! A loop over anything of `wsrt::io` and `wsrt::net` that is always ready leaves turns to others:
//! a timeout around it fires, and a branch beside it is served, on one processor.

use std::future::{Future, poll_fn};
use std::io;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use wsrt::fs::File;
use wsrt::io::{
    AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncSeekExt, AsyncWrite, AsyncWriteExt, BufReader, ReadBuf, copy,
    copy_bidirectional, copy_buf, duplex, empty, join, repeat, simplex, sink, split, stderr, stdin, stdout,
};
use wsrt::net::{TcpListener, TcpStream, UdpSocket, lookup_host};
use wsrt::runtime::{Builder, Runtime};
use wsrt::time::timeout;
use wsrt_tests::within_a_minute;

fn on_one_processor() -> [Runtime; 2] {
    [Builder::new_current_thread(), Builder::new_multi_thread()]
        .map(|mut builder| builder.worker_threads(1).build().expect("a runtime"))
}

/// Polls `busy` and `other` until `other` is ready, each of them first in every second poll.
///
/// The branches of a poll share its budget, so a fixed order would serve the first alone; the order
/// of `select!` is random.
async fn serve_beside<T>(busy: impl Future<Output = ()>, other: impl Future<Output = T>) -> T {
    let (mut busy, mut other) = (pin!(busy), pin!(other));
    let mut is_busy_first = true;
    poll_fn(|cx| {
        is_busy_first = !is_busy_first;
        if is_busy_first {
            assert!(busy.as_mut().poll(cx).is_pending(), "the loop never ends");
        }
        let answer = other.as_mut().poll(cx);
        if !is_busy_first && answer.is_pending() {
            assert!(busy.as_mut().poll(cx).is_pending(), "the loop never ends");
        }
        answer
    })
    .await
}

/// A loop without an end gives up its turn, as a task and as the root.
fn leaves_turns<F: Future<Output = ()> + Send + 'static>(busy: fn() -> F) {
    within_a_minute(move || {
        for runtime in on_one_processor() {
            let around = move || async move {
                timeout(Duration::from_millis(50), busy()).await.expect_err("the loop never ends");
                let other = wsrt::spawn(wsrt::task::yield_now());
                serve_beside(busy(), other).await.expect("no panic");
            };
            runtime.block_on(runtime.spawn(around())).expect("no panic");
            runtime.block_on(around());
        }
    });
}

/// One test a loop, with what it needs before it.
macro_rules! leave_turns {
    ($($name:ident: { $($body:tt)* })*) => {$(
        #[test]
        fn $name() {
            leaves_turns(|| async { $($body)* });
        }
    )*};
}

/// Always ready, and spends nothing itself.
struct Thoughtless;

impl AsyncRead for Thoughtless {
    fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, target: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        target.put_slice(b"x");
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Thoughtless {
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

async fn connection() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let near = TcpStream::connect(listener.local_addr().expect("it is bound")).await.expect("it listens");
    (near, listener.accept().await.expect("a connection waits").0)
}

leave_turns! {
    writes_and_reads_of_a_duplex: {
        let (mut near, mut far) = duplex(64);
        loop {
            near.write_all(b"ping").await.expect("written");
            far.read_exact(&mut [0; 4]).await.expect("read");
        }
    }
    writes_to_a_duplex_with_room: {
        let (mut near, _far) = duplex(usize::MAX);
        loop { near.write_all(b"x").await.expect("written"); }
    }
    reads_at_the_end_of_a_duplex: {
        let mut near = duplex(64).0;
        loop { assert_eq!(near.read(&mut [0]).await.expect("read"), 0); }
    }
    writes_to_a_duplex_whose_peer_is_gone: {
        let mut near = duplex(64).0;
        loop { near.write(b"x").await.expect_err("no reader"); }
    }
    flushes_and_shutdowns_of_a_duplex: {
        let mut near = duplex(64).0;
        loop {
            near.flush().await.expect("flushed");
            near.shutdown().await.expect("shut down");
        }
    }
    halves_of_a_duplex: {
        let (near, mut far) = duplex(64);
        let (mut reader, mut writer) = split(near);
        loop {
            writer.write_all(b"ping").await.expect("written");
            far.read_exact(&mut [0; 4]).await.expect("read");
            far.write_all(b"pong").await.expect("written");
            reader.read_exact(&mut [0; 4]).await.expect("read");
        }
    }
    writes_and_reads_of_a_simplex: {
        let (mut reader, mut writer) = simplex(64);
        loop {
            writer.write_all(b"ping").await.expect("written");
            reader.read_exact(&mut [0; 4]).await.expect("read");
        }
    }
    reads_at_the_end_of_a_simplex: {
        let (mut reader, mut writer) = simplex(64);
        writer.shutdown().await.expect("shut down");
        loop { assert_eq!(reader.read(&mut [0]).await.expect("read"), 0); }
    }
    reads_of_nothing: {
        let mut empty = empty();
        loop { assert_eq!(empty.read(&mut [0]).await.expect("read"), 0); }
    }
    buffered_reads_of_nothing: {
        let mut empty = empty();
        loop { assert!(empty.fill_buf().await.expect("read").is_empty()); }
    }
    writes_and_seeks_of_nothing: {
        let mut empty = empty();
        loop {
            empty.write_all(b"x").await.expect("written");
            empty.rewind().await.expect("sought");
        }
    }
    reads_of_a_repeated_byte: {
        let mut repeat = repeat(7);
        loop { repeat.read_exact(&mut [0; 3]).await.expect("read"); }
    }
    writes_to_a_sink: {
        let mut sink = sink();
        loop { sink.write_all(b"x").await.expect("written"); }
    }
    a_copy_without_an_end: {
        let (mut reader, mut writer) = (repeat(7), sink());
        loop { copy(&mut reader, &mut writer).await.expect("copied"); }
    }
    a_copy_between_streams_that_spend_nothing: {
        let (mut reader, mut writer) = (Thoughtless, Thoughtless);
        loop { copy(&mut reader, &mut writer).await.expect("copied"); }
    }
    copies_that_end_at_once: {
        let mut writer = Thoughtless;
        loop { copy(&mut &b""[..], &mut writer).await.expect("copied"); }
    }
    a_buffered_copy_without_an_end: {
        let (mut reader, mut writer) = (BufReader::new(repeat(7)), sink());
        loop { copy_buf(&mut reader, &mut writer).await.expect("copied"); }
    }
    a_buffered_copy_between_streams_that_spend_nothing: {
        let (mut reader, mut writer) = (BufReader::new(Thoughtless), Thoughtless);
        loop { copy_buf(&mut reader, &mut writer).await.expect("copied"); }
    }
    buffered_copies_that_end_at_once: {
        let mut writer = Thoughtless;
        loop { copy_buf(&mut &b""[..], &mut writer).await.expect("copied"); }
    }
    a_copy_in_both_directions: {
        let (mut near, mut far) = (join(repeat(1), sink()), join(repeat(2), sink()));
        loop { copy_bidirectional(&mut near, &mut far).await.expect("copied"); }
    }
    a_copy_in_both_directions_that_spends_nothing: {
        let (mut near, mut far) = (Thoughtless, Thoughtless);
        loop { copy_bidirectional(&mut near, &mut far).await.expect("copied"); }
    }
    copies_in_both_directions_that_end_at_once: {
        let (mut near, mut far) = (duplex(64).0, duplex(64).0);
        loop { copy_bidirectional(&mut near, &mut far).await.expect("copied"); }
    }
    reads_and_writes_of_a_joined_stream: {
        let mut stream = join(Thoughtless, Thoughtless);
        loop {
            stream.read_exact(&mut [0; 3]).await.expect("read");
            stream.write_all(b"x").await.expect("written");
            stream.flush().await.expect("flushed");
        }
    }
    lines_without_an_end: {
        let mut lines = BufReader::with_capacity(64, repeat(b'\n')).lines();
        loop { lines.next_line().await.expect("read").expect("there is no end"); }
    }
    lines_of_a_full_buffer_size: {
        let mut lines = BufReader::new(repeat(b'\n')).lines();
        loop { lines.next_line().await.expect("read").expect("there is no end"); }
    }
    adapters_over_a_source: {
        let mut source = empty().chain(repeat(7)).take(u64::MAX);
        loop { source.read_exact(&mut [0; 3]).await.expect("read"); }
    }
    standard_streams_with_nothing_to_do: {
        let (mut input, mut output, mut errors) = (stdin(), stdout(), stderr());
        loop {
            assert_eq!(input.read(&mut []).await.expect("read"), 0);
            assert_eq!(output.write(&[]).await.expect("written"), 0);
            output.flush().await.expect("flushed");
            errors.flush().await.expect("flushed");
        }
    }
    lookups_of_an_address_in_numbers: {
        loop { lookup_host("127.0.0.1:80").await.expect("it is an address").for_each(drop); }
    }
    binds_of_datagram_sockets: {
        loop { drop(UdpSocket::bind("127.0.0.1:0").await.expect("a port is free")); }
    }
    connects_of_a_datagram_socket: {
        let socket = UdpSocket::bind("127.0.0.1:0").await.expect("a port is free");
        loop { socket.connect("127.0.0.1:9").await.expect("nothing is sent by it"); }
    }
    binds_of_listeners: {
        loop { drop(TcpListener::bind("127.0.0.1:0").await.expect("a port is free")); }
    }
    flushes_of_a_connection: {
        let (mut near, _far) = connection().await;
        loop { near.flush().await.expect("flushed"); }
    }
    flushes_of_a_connection_by_the_trait: {
        let (mut near, _far) = connection().await;
        loop { AsyncWriteExt::flush(&mut near).await.expect("flushed"); }
    }
    shutdowns_of_a_connection: {
        let (mut near, _far) = connection().await;
        loop { near.shutdown().await.expect("it may be repeated"); }
    }
    shutdowns_of_a_connection_by_the_trait: {
        let (mut near, _far) = connection().await;
        loop { AsyncWriteExt::shutdown(&mut near).await.expect("it may be repeated"); }
    }
    flushes_and_shutdowns_of_halves: {
        let (near, _far) = connection().await;
        let (_reader, mut writer) = near.into_split();
        loop {
            writer.flush().await.expect("flushed");
            writer.shutdown().await.expect("it may be repeated");
        }
    }
    flushes_of_an_unchanged_file: {
        let mut file = File::open(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")).await.expect("opened");
        loop { file.flush().await.expect("flushed"); }
    }
    empty_reads_of_a_file: {
        let mut file = File::open(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")).await.expect("opened");
        loop { assert_eq!(file.read(&mut []).await.expect("read"), 0); }
    }
}
