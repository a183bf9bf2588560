//! Streams: an item that a poll does not return is returned by the next one. `src/stream` says so
//! of all of them.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::time::Duration;

use wsrt::fs::read_dir;
use wsrt::stream::{
    BroadcastStream, IntervalStream, KeepAlive, ReadDirStream, ReceiverStream, Stream, TcpListenerStream,
    UnboundedReceiverStream, WatchStream,
};
use wsrt::sync::watch;
use wsrt::test::cancel_at_each_await;
use wsrt::time::{Instant, interval};
use wsrt_tests::{Directory, LIMIT};

use crate::channels::VALUES;
use crate::{channels, later, occupy_blocking_thread, run, sockets};

/// Takes the items of a stream, and continues after each cancellation. They are these numbers.
async fn yields<S: Stream>(make: impl AsyncFn() -> S, number: impl Fn(S::Item) -> u32, numbers: &[u32]) {
    let take = async |(stream, taken): &mut (Pin<Box<S>>, Vec<u32>)| {
        while taken.len() < numbers.len() {
            let item = poll_fn(|cx| stream.as_mut().poll_next(cx)).await;
            taken.push(number(item.expect("there is another item")));
        }
    };
    let make = async || (Box::pin(make().await), Vec::new());
    let check = async |mut state: (Pin<Box<S>>, Vec<u32>), _| {
        take(&mut state).await;
        state.1.sort_unstable();
        assert_eq!(state.1, numbers);
    };
    cancel_at_each_await(make, async |state: &mut (Pin<Box<S>>, Vec<u32>)| take(state).await, check).await;
}

/// Of `ReceiverStream`, `UnboundedReceiverStream`, `BroadcastStream`, `WatchStream` and
/// `KeepAlive`.
#[test]
fn streams_of_channels_lose_no_item() {
    run(async || {
        let bounded = async || ReceiverStream::new(channels::bounded());
        yields(bounded, |value| value, &VALUES).await;
        yields(async || KeepAlive::new(bounded().await, LIMIT, || 0), |value| value, &VALUES).await;
        let unbounded = async || UnboundedReceiverStream::new(channels::unbounded());
        yields(unbounded, |value| value, &VALUES).await;
        let cast = async || BroadcastStream::new(channels::broadcast());
        yields(cast, |value| value.expect("none was overwritten"), &VALUES).await;
        let watched = async || {
            let (sender, receiver) = watch::channel(1);
            wsrt::spawn(async move {
                later().await;
                sender.send(2).expect("the receiver is there");
            });
            WatchStream::new(receiver)
        };
        yields(watched, |value| value, &[1, 2]).await;
    });
}

/// Of `stream/wrappers`, whose ticks are not lost.
#[test]
fn a_stream_of_ticks_loses_none() {
    run(async || {
        let began = Instant::now();
        let ticks = async || IntervalStream::new(interval(Duration::from_millis(2)));
        yields(ticks, |due| u32::from(due >= began), &[1; 3]).await;
    });
}

/// Of `ReadDirStream` and `TcpListenerStream`.
#[test]
fn streams_of_entries_and_connections_lose_none() {
    run(async || {
        let directory = Directory::new();
        // More than one call reads.
        let numbers: Vec<u32> = (0..100).collect();
        for number in &numbers {
            std::fs::write(directory.path(&number.to_string()), "").expect("the file can be written");
        }
        let entries = async || {
            let entries = read_dir(directory.root()).await.expect("it is there");
            occupy_blocking_thread();
            ReadDirStream::new(entries)
        };
        let name = |entry: io::Result<wsrt::fs::DirEntry>| {
            let name = entry.expect("it is there").file_name();
            name.to_str().and_then(|name| name.parse().ok()).expect("a number")
        };
        yields(entries, name, &numbers).await;
        let connections = async || TcpListenerStream::new(sockets::three_callers().await);
        yields(connections, |accepted| u32::from(accepted.is_ok()), &[1; 3]).await;
    });
}
