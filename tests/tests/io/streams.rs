//! Intervals, listeners, signals, directories and receivers are streams with the same items as
//! their methods.

use std::collections::BTreeSet;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use tokio_test::{assert_pending, assert_ready};
use wsrt::fs::read_dir;
use wsrt::net::{TcpListener, TcpStream};
use wsrt::stream::{
    BroadcastStream, IntervalStream, KeepAlive, ReadDirStream, ReceiverStream, Stream, TcpListenerStream,
    UnboundedReceiverStream, WatchStream,
};
use wsrt::sync::broadcast::error::RecvError;
use wsrt::sync::{broadcast, mpsc, watch};
use wsrt::time::{Instant, interval, sleep};
use wsrt_tests::{Directory, two_processors, within_a_minute};

async fn next<S: Stream + Unpin>(stream: &mut S) -> Option<S::Item> {
    poll_fn(|cx| Pin::new(&mut *stream).poll_next(cx)).await
}

#[wsrt::test(start_paused = true)]
async fn an_interval_streams_its_ticks() {
    let period = Duration::from_secs(60);
    let mut ticks = IntervalStream::new(interval(period));
    let first = next(&mut ticks).await.expect("it never ends");
    for tick in 1..10 {
        assert_eq!(next(&mut ticks).await, Some(first + tick * period));
    }
    assert_eq!(ticks.as_ref().period(), period);
    ticks.as_mut().reset();
    let mut waits = tokio_test::task::spawn(ticks.into_inner());
    assert_pending!(waits.enter(|cx, mut interval| interval.poll_tick(cx)));
}

#[test]
fn a_listener_streams_its_connections() {
    within_a_minute(|| {
        two_processors().block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("it is bound");
            let address = listener.local_addr().expect("it has one");
            let mut connections = TcpListenerStream::new(listener);
            for _ in 0..3 {
                let client = TcpStream::connect(address).await.expect("it listens");
                let server = next(&mut connections).await.expect("it never ends").expect("a connection came");
                assert_eq!(server.peer_addr().expect("it has one"), client.local_addr().expect("it has one"));
            }
        });
    });
}

#[cfg(unix)]
#[test]
fn a_unix_listener_streams_its_connections() {
    use wsrt::net::{UnixListener, UnixStream};
    use wsrt::stream::UnixListenerStream;

    within_a_minute(|| {
        two_processors().block_on(async {
            let directory = Directory::new();
            let path = directory.path("socket");
            let mut connections = UnixListenerStream::new(UnixListener::bind(&path).expect("it is bound"));
            let mut client = UnixStream::connect(&path).await.expect("it listens");
            let mut server = next(&mut connections).await.expect("it never ends").expect("a connection came");
            client.write_all(b"hello").await.expect("it is read");
            let mut bytes = [0; 5];
            server.read_exact(&mut bytes).await.expect("it is written");
            assert_eq!(&bytes, b"hello");
        });
    });
}

#[test]
fn a_directory_streams_all_its_entries_and_ends() {
    within_a_minute(|| {
        two_processors().block_on(async {
            let directory = Directory::new();
            let names: BTreeSet<_> = (0..100).map(|number| format!("file-{number}")).collect();
            for name in &names {
                wsrt::fs::write(directory.path(name), "").await.expect("it is written");
            }
            let mut entries = ReadDirStream::new(read_dir(directory.path("")).await.expect("it is there"));
            let mut seen = BTreeSet::new();
            while let Some(entry) = next(&mut entries).await {
                seen.insert(entry.expect("it is read").file_name().into_string().expect("it is text"));
            }
            assert_eq!(seen, names);
            assert!(next(&mut entries).await.is_none(), "it stays at its end");
        });
    });
}

#[cfg(unix)]
#[test]
fn a_signal_streams_its_arrivals() {
    use wsrt::signal::unix::{SignalKind, signal};
    use wsrt::stream::SignalStream;

    within_a_minute(|| {
        two_processors().block_on(async {
            let mut signals = SignalStream::new(signal(SignalKind::user_defined2()).expect("it is listened to"));
            for _ in 0..3 {
                // SAFETY: the signal has a handler.
                assert_eq!(unsafe { libc::raise(libc::SIGUSR2) }, 0);
                assert_eq!(next(&mut signals).await, Some(()));
            }
        });
    });
}

#[test]
fn receivers_stream_their_values_and_end() {
    within_a_minute(|| {
        two_processors().block_on(async {
            let (sender, receiver) = mpsc::channel(2);
            let sending = wsrt::spawn(async move {
                for number in 0..100 {
                    sender.send(number).await.expect("it is received");
                }
            });
            let mut values = ReceiverStream::new(receiver);
            for number in 0..100 {
                assert_eq!(next(&mut values).await, Some(number));
            }
            sending.await.expect("no panic");
            assert_eq!(next(&mut values).await, None);

            let (sender, receiver) = mpsc::unbounded_channel();
            let mut values = UnboundedReceiverStream::new(receiver);
            let mut polled = tokio_test::task::spawn(async { next(&mut values).await });
            assert_pending!(polled.poll());
            sender.send(7).expect("it is received");
            assert!(polled.is_woken());
            assert_eq!(assert_ready!(polled.poll()), Some(7));
            drop((polled, sender));
            assert_eq!(next(&mut values).await, None);
        });
    });
}

#[test]
fn a_task_that_polls_ready_streams_spends_its_budget() {
    within_a_minute(|| {
        two_processors().run(async {
            let (sender, receiver) = mpsc::unbounded_channel();
            (0..1000).for_each(|number| sender.send(number).expect("it is received"));
            let mut values = UnboundedReceiverStream::new(receiver);
            let ready = poll_fn(|cx| {
                let ready = (0..1000).take_while(|_| Pin::new(&mut values).poll_next(cx).is_ready()).count();
                Poll::Ready(ready)
            });
            assert!(ready.await < 1000);
        });
    });
}

#[wsrt::test(start_paused = true)]
async fn silences_are_filled_until_the_stream_ends() {
    let second = Duration::from_secs(1);
    let (sender, receiver) = mpsc::channel(8);
    wsrt::spawn(async move {
        for (after, word) in [(0, "at once"), (35, "late"), (1, "soon"), (20, "last")] {
            sleep(after * second).await;
            sender.send(word).await.expect("it is read");
        }
        sleep(second).await;
    });
    let began = Instant::now();
    let mut words = pin!(KeepAlive::new(ReceiverStream::new(receiver), 15 * second, || "silence"));
    let mut seen = Vec::new();
    while let Some(word) = next(&mut words).await {
        seen.push((began.elapsed().as_secs(), word));
    }
    let expected =
        [(0, "at once"), (15, "silence"), (30, "silence"), (35, "late"), (36, "soon"), (51, "silence"), (56, "last")];
    assert_eq!(seen, expected);
    assert_eq!(began.elapsed(), 57 * second);
}

#[test]
#[should_panic = "has to be above zero"]
fn a_stream_is_not_kept_alive_at_every_moment() {
    let (_sender, receiver) = mpsc::channel::<()>(8);
    let _words = KeepAlive::new(ReceiverStream::new(receiver), Duration::ZERO, || ());
}

#[test]
fn a_watch_channel_streams_its_latest_value_and_each_change() {
    let (sender, receiver) = watch::channel(1);
    let mut changes = tokio_test::task::spawn(WatchStream::from_changes(receiver.clone()));
    let mut values = tokio_test::task::spawn(WatchStream::new(receiver));
    assert_eq!(assert_ready!(values.poll_next()), Some(1));
    assert_pending!(values.poll_next());
    assert_pending!(changes.poll_next());

    sender.send_replace(2);
    sender.send_replace(3);
    assert!(values.is_woken() && changes.is_woken());
    assert_eq!(assert_ready!(values.poll_next()), Some(3));
    assert_eq!(assert_ready!(changes.poll_next()), Some(3));
    assert_pending!(values.poll_next());

    sender.send_replace(4);
    drop(sender);
    assert!(values.is_woken());
    assert_eq!(assert_ready!(values.poll_next()), Some(4), "the last value comes before the end");
    assert_eq!(assert_ready!(values.poll_next()), None);
    assert!(values.as_ref().is_closed());
}

#[test]
fn a_stream_that_is_dropped_leaves_its_channel() {
    let (sender, receiver) = watch::channel(());
    let mut values = tokio_test::task::spawn(WatchStream::from_changes(receiver));
    assert_pending!(values.poll_next());
    drop(values);
    assert_eq!(sender.receiver_count(), 0);
    sender.send_replace(());

    let (sender, receiver) = broadcast::channel::<u8>(4);
    let mut items = tokio_test::task::spawn(BroadcastStream::new(receiver));
    assert_pending!(items.poll_next());
    drop(items);
    assert!(sender.send(1).is_err(), "there is no receiver");
}

#[test]
fn a_broadcast_channel_streams_its_values_and_what_was_lost() {
    let (sender, receiver) = broadcast::channel(2);
    let mut items = tokio_test::task::spawn(BroadcastStream::new(receiver));
    for number in 1..=2 {
        assert_pending!(items.poll_next());
        sender.send(number).expect("there is a receiver");
        assert!(items.is_woken());
        assert_eq!(assert_ready!(items.poll_next()), Some(Ok(number)));
    }
    (3..=5).for_each(|number| assert!(sender.send(number).is_ok()));
    assert_eq!(items.as_ref().len(), 3);
    assert_eq!(assert_ready!(items.poll_next()), Some(Err(RecvError::Lagged(1))));
    assert_eq!(assert_ready!(items.poll_next()), Some(Ok(4)));
    drop(sender);
    assert_eq!(assert_ready!(items.poll_next()), Some(Ok(5)));
    assert_eq!(assert_ready!(items.poll_next()), None);
}
