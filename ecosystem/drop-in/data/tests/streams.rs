//! tokio-stream unchanged: its timers, its wrappers and its combinators.

use std::time::Duration;

use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{broadcast, mpsc, watch};
use tokio::time::{Instant, interval, sleep};
use tokio_stream::wrappers::errors::BroadcastStreamRecvError;
use tokio_stream::wrappers::{
    BroadcastStream, IntervalStream, LinesStream, ReadDirStream, ReceiverStream, SignalStream, TcpListenerStream,
    UnixListenerStream, WatchStream,
};
use tokio_stream::{StreamExt, StreamMap, iter};
use wsrt_drop_in_here::{assert_is_a_task_of_wsrt, assert_no_thread_is_tokio_s};
use wsrt_ecosystem_testing::Scratch;

#[tokio::test(start_paused = true)]
async fn intervals_and_throttles_keep_time() {
    let began = Instant::now();
    let ticks: Vec<_> = IntervalStream::new(interval(Duration::from_secs(2))).take(4).collect().await;
    assert_eq!(ticks.iter().map(|tick| (*tick - began).as_secs()).collect::<Vec<_>>(), [0, 2, 4, 6]);
    assert_eq!(began.elapsed().as_secs(), 6);

    let began = Instant::now();
    let throttled = iter(0..4).throttle(Duration::from_secs(3));
    assert_eq!(throttled.collect::<Vec<_>>().await, [0, 1, 2, 3]);
    assert_eq!(began.elapsed().as_secs(), 12);
}

#[tokio::test(start_paused = true)]
async fn chunks_and_timeouts_end_by_time() {
    let (sender, receiver) = mpsc::channel(10);
    let sending = tokio::spawn(async move {
        for (n, seconds) in [1, 1, 1, 9].into_iter().enumerate() {
            sleep(Duration::from_secs(seconds)).await;
            sender.send(n).await.expect("the test reads");
        }
    });
    let chunks = ReceiverStream::new(receiver).chunks_timeout(2, Duration::from_secs(5));
    assert_eq!(chunks.collect::<Vec<_>>().await, [vec![0, 1], vec![2], vec![3]]);
    sending.await.expect("no panic");

    let mut slow = std::pin::pin!(
        iter([1, 7]).then(|seconds| sleep(Duration::from_secs(seconds))).timeout(Duration::from_secs(3))
    );
    let mut seen = Vec::new();
    while let Some(result) = slow.next().await {
        seen.push(result.is_ok());
    }
    assert_eq!(seen, [true, false, true]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn channels_are_streams() {
    let (sender, receiver) = broadcast::channel(4);
    for n in 0..6 {
        sender.send(n).expect("there is a receiver");
    }
    drop(sender);
    let heard: Vec<_> = BroadcastStream::new(receiver).collect().await;
    assert_eq!(heard, [Err(BroadcastStreamRecvError::Lagged(2)), Ok(2), Ok(3), Ok(4), Ok(5)]);

    let (value, watching) = watch::channel(0);
    let watching = tokio::spawn(async move {
        assert_is_a_task_of_wsrt();
        WatchStream::new(watching).take_while(|value| *value < 3).collect::<Vec<_>>().await
    });
    for n in 1..=3 {
        value.send_replace(n);
        tokio::task::yield_now().await;
    }
    let seen = watching.await.expect("no panic");
    assert!(seen.is_sorted() && seen.iter().all(|value| *value < 3), "{seen:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_map_of_streams_names_each_value() {
    let mut map = StreamMap::new();
    for name in ["one", "two", "three"] {
        let (sender, receiver) = mpsc::channel(1);
        tokio::spawn(async move {
            assert_is_a_task_of_wsrt();
            for n in 0..100 {
                sender.send(n).await.expect("the test reads");
            }
        });
        map.insert(name, ReceiverStream::new(receiver));
    }
    let mut next = std::collections::HashMap::new();
    while let Some((name, n)) = map.next().await {
        let expected = next.entry(name).or_insert(0);
        assert_eq!(n, *expected, "of {name}");
        *expected += 1;
    }
    assert!(next.len() == 3 && next.values().all(|count| *count == 100), "{next:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn listeners_are_streams_of_connections() {
    let folder = Scratch::new();
    let tcp = TcpListener::bind("127.0.0.1:0").await.expect("there is a free port");
    let address = tcp.local_addr().expect("it is bound");
    let unix = UnixListener::bind(folder.file("socket")).expect("the folder is ours");
    let accepting = tokio::spawn(async move {
        assert_is_a_task_of_wsrt();
        let tcp = TcpListenerStream::new(tcp).take(3).map(|stream| stream.expect("a connection").into_std().is_ok());
        let unix = UnixListenerStream::new(unix).take(3).map(|stream| stream.expect("a connection").into_std().is_ok());
        tcp.merge(unix).collect::<Vec<_>>().await
    });
    for _ in 0..3 {
        let mut tcp = TcpStream::connect(address).await.expect("it listens");
        let mut unix = UnixStream::connect(folder.file("socket")).await.expect("it listens");
        unix.shutdown().await.expect("it is open");
        // Ends when the other end is closed, which the server does.
        let _ = tcp.read(&mut [0]).await;
    }
    assert_eq!(accepting.await.expect("no panic"), [true; 6]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_and_folders_and_signals_are_streams() {
    let folder = Scratch::new();
    for name in ["a", "b", "c"] {
        tokio::fs::write(folder.file(name), "first\nsecond\n").await.expect("the folder is ours");
    }
    let entries = ReadDirStream::new(tokio::fs::read_dir(folder.path()).await.expect("it is there"));
    let mut names: Vec<_> = entries.map(|entry| entry.expect("a name").file_name()).collect().await;
    names.sort_unstable();
    assert_eq!(names, ["a", "b", "c"]);
    let file = tokio::fs::File::open(folder.file("a")).await.expect("it is there");
    let lines = LinesStream::new(tokio::io::AsyncBufReadExt::lines(tokio::io::BufReader::new(file)));
    assert_eq!(lines.map(|line| line.expect("text")).collect::<Vec<_>>().await, ["first", "second"]);

    let mut signals = SignalStream::new(signal(SignalKind::user_defined2()).expect("a handler"));
    let status = tokio::process::Command::new("kill").args(["-USR2", &std::process::id().to_string()]).status().await;
    assert!(status.expect("kill runs").success());
    signals.next().await.expect("it never ends");
    assert_no_thread_is_tokio_s();
}
