//! tokio-util unchanged: framing, timers and bridges.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::{SinkExt, StreamExt};
use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::time::Instant;
use tokio_util::codec::{BytesCodec, Framed, LengthDelimitedCodec, LinesCodec};
use tokio_util::io::{ReaderStream, StreamReader, SyncIoBridge};
use tokio_util::time::DelayQueue;
use tokio_util::udp::UdpFramed;
use wsrt_drop_in_here::{assert_is_a_task_of_wsrt, assert_no_thread_is_tokio_s};
use wsrt_ecosystem_testing::Scratch;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn frames_arrive_whole() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("there is a free port");
    let address = listener.local_addr().expect("it is bound");
    let server = tokio::spawn(async move {
        assert_is_a_task_of_wsrt();
        let (stream, _) = listener.accept().await.expect("the client connects");
        let (sink, frames) = Framed::new(stream, LengthDelimitedCodec::new()).split();
        frames.map(|frame| frame.map(BytesMut::freeze)).forward(sink).await
    });
    let stream = TcpStream::connect(address).await.expect("it listens");
    let (mut sink, mut frames) = Framed::new(stream, LengthDelimitedCodec::new()).split();
    let writing = tokio::spawn(async move {
        for n in 0..100_usize {
            sink.send(Bytes::from(vec![b'x'; n * 1000])).await.expect("the server reads");
        }
        sink.close().await
    });
    for n in 0..100_usize {
        assert_eq!(frames.next().await.expect("one more").expect("it is open").len(), n * 1000);
    }
    writing.await.expect("no panic").expect("it closes");
    server.await.expect("no panic").expect("it ends with the client");
    assert_no_thread_is_tokio_s();
}

#[tokio::test]
async fn datagrams_are_frames() {
    let [one, other] = [UdpSocket::bind("127.0.0.1:0").await, UdpSocket::bind("127.0.0.1:0").await];
    let (one, other) = (one.expect("there is a free port"), Arc::new(other.expect("there is another")));
    let address = other.local_addr().expect("it is bound");
    let mut frames = UdpFramed::new(Arc::clone(&other), BytesCodec::new());
    let mut sink = UdpFramed::new(one, LinesCodec::new());
    sink.send(("hello".to_owned(), address)).await.expect("it is sent");
    let (frame, _) = frames.next().await.expect("it is open").expect("a datagram");
    assert_eq!(&frame[..], b"hello\n");
}

#[tokio::test(start_paused = true)]
async fn a_delay_queue_yields_by_time() {
    let mut queue = DelayQueue::new();
    for seconds in [30, 10, 20] {
        queue.insert(seconds, Duration::from_secs(seconds));
    }
    let reset = queue.insert(0, Duration::from_secs(5));
    queue.reset(&reset, Duration::from_secs(25));
    let began = Instant::now();
    let mut order = Vec::new();
    while let Some(expired) = queue.next().await {
        order.push((expired.into_inner(), began.elapsed().as_secs()));
    }
    assert_eq!(order, [(10, 10), (20, 20), (0, 25), (30, 30)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bytes_cross_bridges_both_ways() {
    let folder = Scratch::new();
    let path = folder.file("numbers");
    let (reader, writer) = tokio::io::duplex(100);
    let mut bridge = SyncIoBridge::new(writer);
    let writing = tokio::task::spawn_blocking(move || {
        (0..1000).try_for_each(|n| writeln!(bridge, "{n}")).and_then(|()| bridge.shutdown())
    });
    let mut file = tokio::fs::File::create(&path).await.expect("the folder is ours");
    let mut reader = StreamReader::new(ReaderStream::with_capacity(reader, 17));
    tokio::io::copy_buf(&mut reader, &mut file).await.expect("both are open");
    writing.await.expect("no panic").expect("it is written");
    file.sync_all().await.expect("a disk");

    let file = tokio::fs::File::open(&path).await.expect("it is there");
    let mut read = String::new();
    StreamReader::new(ReaderStream::new(file)).read_to_string(&mut read).await.expect("it is text");
    assert_eq!(read.lines().map(|line| line.parse::<u32>().expect("a number")).sum::<u32>(), 499_500);
    assert_no_thread_is_tokio_s();
}
