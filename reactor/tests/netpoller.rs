//! Turns and interrupts, seen from the thread that takes the turns.

use std::io::{Read, Write};
use std::net::{TcpListener as StdListener, TcpStream as StdStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};
use wsrt_reactor::net::{TcpListener, TcpStream};
use wsrt_reactor::{Evented, EventsPerTurn, Interest, Netpoller, Turn, context};
use wsrt_reactor_testing::{Runtime, ThreadPerJob};

const AT_ONCE: Option<Duration> = Some(Duration::ZERO);
/// Long enough to differ from "at once" on a loaded machine; only a failing test waits it out.
const LONG: Option<Duration> = Some(Duration::from_secs(60));

fn turn(netpoller: &Netpoller, timeout: Option<Duration>) -> Turn {
    let mut wakers = Vec::new();
    let turn = netpoller.turn(timeout, &mut wakers).unwrap();
    wakers.into_iter().for_each(Waker::wake);
    turn
}

fn interrupted(turn: Turn) -> bool {
    matches!(turn, Turn::Polled { interrupted: true, .. })
}

/// A registered socket that is known to be drained, and the other end.
fn registered(netpoller: &Netpoller) -> (Evented<mio::net::TcpStream>, StdStream) {
    let listener = StdListener::bind("127.0.0.1:0").unwrap();
    let far = StdStream::connect(listener.local_addr().unwrap()).unwrap();
    let (near, _) = listener.accept().unwrap();
    near.set_nonblocking(true).unwrap();
    let near = Evented::with_handle(mio::net::TcpStream::from_std(near), netpoller.handle()).unwrap();
    assert!(near.try_io(Interest::READABLE, |socket| socket.peek(&mut [0; 1])).is_err());
    // The first event says that it is writable.
    while turn(netpoller, AT_ONCE) != (Turn::Polled { events: 0, interrupted: false }) {}
    (near, far)
}

#[test]
fn many_interrupts_end_one_turn() {
    let netpoller = Netpoller::new().unwrap();
    (0..100).for_each(|_| netpoller.interrupt());
    let started = Instant::now();
    assert!(interrupted(turn(&netpoller, LONG)));
    assert!(started.elapsed() < LONG.unwrap());
    let grain = Some(Duration::from_millis(5));
    let next = turn(&netpoller, grain);
    assert_eq!(next, Turn::Polled { events: 0, interrupted: false }, "the hundred were one");
}

#[test]
fn a_turn_without_blocking_leaves_the_interrupt_alone() {
    let netpoller = Netpoller::new().unwrap();
    netpoller.interrupt();
    for _ in 0..3 {
        assert_eq!(turn(&netpoller, AT_ONCE), Turn::Polled { events: 0, interrupted: false });
    }
    assert!(interrupted(turn(&netpoller, None)), "the event is used up, the flag is not");
}

#[test]
fn an_interrupted_turn_still_collects_events() {
    let netpoller = Netpoller::new().unwrap();
    let (near, mut far) = registered(&netpoller);
    far.write_all(b"x").unwrap();
    netpoller.interrupt();
    assert_eq!(turn(&netpoller, LONG), Turn::Polled { events: 1, interrupted: true });
    assert!(near.try_io(Interest::READABLE, |socket| socket.peek(&mut [0; 1])).is_ok());
}

#[test]
fn a_second_poller_is_refused_while_one_is_blocked() {
    let netpoller = Netpoller::new().unwrap();
    thread::scope(|scope| {
        scope.spawn(|| {
            // The others' looks may be in the way at first.
            let blocked = std::iter::repeat_with(|| turn(&netpoller, None)).find(|turn| *turn != Turn::Busy);
            assert_eq!(blocked, Some(Turn::Polled { events: 0, interrupted: true }));
        });
        while turn(&netpoller, AT_ONCE) != Turn::Kept {
            thread::yield_now();
        }
        assert_eq!(turn(&netpoller, LONG), Turn::Kept);
        netpoller.interrupt();
    });
}

#[test]
fn a_bounded_turn_ends_when_its_time_is_up() {
    let netpoller = Netpoller::new().unwrap();
    let (started, timeout) = (Instant::now(), Duration::from_micros(10_300));
    assert_eq!(turn(&netpoller, Some(timeout)), Turn::Polled { events: 0, interrupted: false });
    assert!(started.elapsed() >= timeout);
}

#[test]
fn a_netpoller_without_sockets_says_so() {
    let netpoller = Netpoller::new().unwrap();
    assert!(netpoller.is_unused());
    let (near, _far) = registered(&netpoller);
    assert!(!netpoller.is_unused());
    drop(near);
    assert!(netpoller.is_unused());
}

#[derive(Default)]
struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn a_ready_socket_hands_over_wakers_and_wakes_no_task() {
    let netpoller = Netpoller::new().unwrap();
    let (near, mut far) = registered(&netpoller);
    let count = Arc::new(Count::default());
    let waker = Waker::from(Arc::clone(&count));
    assert!(near.poll_ready(Interest::READABLE, &mut Context::from_waker(&waker)).is_pending());
    far.write_all(b"x").unwrap();
    let mut wakers = Vec::new();
    let turn = netpoller.turn(LONG, &mut wakers).unwrap();
    assert_eq!(turn, Turn::Polled { events: 1, interrupted: false });
    assert_eq!((wakers.len(), count.0.load(Ordering::Relaxed)), (1, 0));
    wakers.into_iter().for_each(Waker::wake);
    assert_eq!(count.0.load(Ordering::Relaxed), 1);
}

#[test]
fn events_beyond_the_most_come_in_the_next_turns() {
    let most = EventsPerTurn { waiting: 2, busy: None };
    let netpoller = Netpoller::with_events_per_turn(most).unwrap();
    let count = Arc::new(Count::default());
    let waker = Waker::from(Arc::clone(&count));
    let pairs: Vec<_> = (0..5).map(|_| registered(&netpoller)).collect();
    for (near, far) in &pairs {
        assert!(near.poll_ready(Interest::READABLE, &mut Context::from_waker(&waker)).is_pending());
        (&*far).write_all(b"x").unwrap();
    }
    while count.0.load(Ordering::Relaxed) < 5 {
        let before = count.0.load(Ordering::Relaxed);
        let Turn::Polled { events: 1..=2, .. } = turn(&netpoller, LONG) else { panic!("a turn without events") };
        assert!(count.0.load(Ordering::Relaxed) - before <= 2);
    }
}

/// A drained stream whose events the test releases, and the other end.
fn stream_without_driver(netpoller: &Netpoller) -> (TcpStream, StdStream) {
    let listener = StdListener::bind("127.0.0.1:0").unwrap();
    let far = StdStream::connect(listener.local_addr().unwrap()).unwrap();
    let context = context::ReactorContext::new(netpoller.handle().clone(), Arc::new(ThreadPerJob));
    let _entered = context::enter(Some(context));
    let near = TcpStream::from_std(listener.accept().unwrap().0).unwrap();
    while turn(netpoller, AT_ONCE) != (Turn::Polled { events: 0, interrupted: false }) {}
    assert!(near.try_read(&mut [0; 1]).is_err());
    (near, far)
}

fn is_tried(stream: &TcpStream, interest: Interest) -> bool {
    stream.try_io(interest, || Ok(())).is_ok()
}

#[test]
fn a_fresh_stream_is_tried_before_any_event() {
    let netpoller = Netpoller::new().unwrap();
    let listener = StdListener::bind("127.0.0.1:0").unwrap();
    let mut far = StdStream::connect(listener.local_addr().unwrap()).unwrap();
    far.write_all(b"early").unwrap();
    let context = context::ReactorContext::new(netpoller.handle().clone(), Arc::new(ThreadPerJob));
    let _entered = context::enter(Some(context));
    let near = TcpStream::from_std(listener.accept().unwrap().0).unwrap();
    assert_eq!(near.try_read(&mut [0; 16]).unwrap(), 5);
    assert_eq!(near.try_write(b"prompt").unwrap(), 6);
}

#[test]
fn a_short_read_saves_the_call_that_would_block() {
    let netpoller = Netpoller::new().unwrap();
    let (near, mut far) = stream_without_driver(&netpoller);
    far.write_all(b"12345678").unwrap();
    assert_eq!(turn(&netpoller, LONG), Turn::Polled { events: 1, interrupted: false });
    assert_eq!(near.try_read(&mut [0; 4]).unwrap(), 4);
    assert!(is_tried(&near, Interest::READABLE), "a full read proves nothing");
    assert_eq!(near.try_read(&mut [0; 5]).unwrap(), 4);
    assert!(!is_tried(&near, Interest::READABLE), "a short read proves that the socket is drained");
    far.write_all(b"9").unwrap();
    assert_eq!(turn(&netpoller, LONG), Turn::Polled { events: 1, interrupted: false });
    assert_eq!(near.try_read(&mut [0; 5]).unwrap(), 1);
}

#[test]
fn a_short_read_of_an_ended_stream_clears_nothing() {
    let netpoller = Netpoller::new().unwrap();
    let (near, mut far) = stream_without_driver(&netpoller);
    far.write_all(b"last").unwrap();
    drop(far);
    while turn(&netpoller, Some(Duration::from_millis(20))) != (Turn::Polled { events: 0, interrupted: false }) {}
    assert_eq!(near.try_read(&mut [0; 16]).unwrap(), 4);
    assert_eq!(near.try_read(&mut [0; 16]).unwrap(), 0, "no event will come for the end: it came with the data");
}

#[test]
fn a_short_write_saves_the_call_that_would_block() {
    let netpoller = Netpoller::new().unwrap();
    let (near, mut far) = stream_without_driver(&netpoller);
    let chunk = vec![0; 16 << 20];
    let written = near.try_write(&chunk).unwrap();
    assert!(written < chunk.len(), "the buffers of the loopback hold less");
    assert!(!is_tried(&near, Interest::WRITABLE));
    let mut received = vec![0; written];
    far.read_exact(&mut received).unwrap();
    assert!(matches!(turn(&netpoller, LONG), Turn::Polled { events: 1.., .. }));
    assert!(is_tried(&near, Interest::WRITABLE));
}

#[test]
fn an_event_for_readers_does_not_wake_writers() {
    let netpoller = Netpoller::new().unwrap();
    let (near, mut far) = stream_without_driver(&netpoller);
    while near.try_write(&[0; 64 << 10]).is_ok() {}
    let (reader, writer) = (Arc::new(Count::default()), Arc::new(Count::default()));
    let (reader_waker, writer_waker) = (Waker::from(Arc::clone(&reader)), Waker::from(Arc::clone(&writer)));
    assert!(near.poll_read_ready(&mut Context::from_waker(&reader_waker)).is_pending());
    assert!(near.poll_write_ready(&mut Context::from_waker(&writer_waker)).is_pending());
    far.write_all(b"x").unwrap();
    assert_eq!(turn(&netpoller, LONG), Turn::Polled { events: 1, interrupted: false });
    assert_eq!((reader.0.load(Ordering::Relaxed), writer.0.load(Ordering::Relaxed)), (1, 0));
}

#[test]
fn connections_that_come_and_go_never_mistake_each_others_events() {
    const THREADS: usize = 4;
    const ROUNDS: usize = 500;
    let runtime = Arc::new(Runtime::new().unwrap());
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                runtime.block_on(async {
                    for _ in 0..ROUNDS {
                        let (mut stream, _) = listener.accept().await.unwrap();
                        let mut number = [0; 8];
                        stream.read_exact(&mut number).await.unwrap();
                        stream.write_all(&number).await.unwrap();
                    }
                });
            });
            scope.spawn(|| {
                runtime.block_on(async {
                    for round in 0..ROUNDS as u64 {
                        let mut stream = TcpStream::connect(address).await.unwrap();
                        stream.write_all(&round.to_le_bytes()).await.unwrap();
                        let mut answer = Vec::new();
                        stream.read_to_end(&mut answer).await.unwrap();
                        assert_eq!(answer, round.to_le_bytes());
                    }
                });
            });
        }
    });
}
