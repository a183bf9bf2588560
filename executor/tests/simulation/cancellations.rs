//! `cancel_at_each_await` under a seed: the same waits, and peers that continue in many orders.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use wsrt::io::{AsyncReadExt, AsyncWriteExt};
use wsrt::net::{TcpListener, TcpSocket, TcpStream};
use wsrt::sim::{self, Link, compute};
use wsrt::sync::{Mutex, mpsc};
use wsrt::test::cancel_at_each_await;
use wsrt::time::{Instant, sleep};

const MILLI: Duration = Duration::from_millis(1);

/// Values go through two channels, and a lock counts them, while the operation between is dropped.
async fn moves_values() -> usize {
    type State = (mpsc::Receiver<u32>, mpsc::Sender<u32>, Arc<Mutex<u32>>, wsrt::task::JoinHandle<Vec<u32>>);
    let make = async || {
        let (sender, from) = mpsc::channel(2);
        let (to, mut receiver) = mpsc::channel(1);
        let count = Arc::new(Mutex::new(0));
        wsrt::spawn(async move {
            for value in 0..5 {
                sender.send(value).await.expect("the receiver is there");
            }
        });
        let counting = Arc::clone(&count);
        let received = wsrt::spawn(async move {
            let mut received = Vec::new();
            while let Some(value) = receiver.recv().await {
                *counting.lock().await += 1;
                received.push(value);
            }
            received
        });
        (from, to, count, received)
    };
    async fn forward((from, to, count, _): &mut State) {
        loop {
            let room = to.reserve().await.expect("the receiver is there");
            let Some(value) = from.recv().await else { return };
            room.send(value);
            drop(count.lock().await);
        }
    }
    let operation = async |state: &mut State| forward(state).await;
    let check = async |mut state: State, _| {
        forward(&mut state).await;
        let (_, to, count, received) = state;
        drop(to);
        assert_eq!(received.await.expect("no panic"), [0, 1, 2, 3, 4]);
        assert_eq!(*count.lock().await, 5);
    };
    cancel_at_each_await(make, operation, check).await
}

#[test]
fn a_seed_repeats_the_runs_and_another_has_others() {
    let runs = |seed| {
        let runtime = crate::simulated(seed);
        let waits = runtime.block_on(moves_values());
        assert!(waits >= 5, "it waits for each value");
        runtime.handle().simulation().expect("it is simulated").hash()
    };
    let all: Vec<_> = (0..50).map(runs).collect();
    assert_eq!(all, (0..50).map(runs).collect::<Vec<_>>());
    assert!(all.iter().any(|hash| *hash != all[0]));
}

/// A host that writes a text to each connection, byte by byte.
async fn write_text() -> io::Result<()> {
    let listener = TcpListener::bind("0.0.0.0:7").await?;
    loop {
        let (mut stream, _) = listener.accept().await?;
        wsrt::spawn(async move {
            for byte in b"text" {
                sleep(MILLI).await;
                stream.write_all(&[*byte]).await?;
            }
            io::Result::Ok(())
        });
    }
}

/// A read from a host far away, over a link that takes its time.
#[test]
fn a_read_from_another_host_loses_no_bytes() {
    sim::seeds(0..20, |seed| {
        sim::run(seed, |sim| async move {
            sim.links(&Link::new().latency(MILLI..5 * MILLI));
            sim.host("server", write_text);
            sleep(MILLI).await;
            let make = async || (TcpStream::connect("server:7").await.expect("it listens"), Vec::new());
            let read = async |(stream, bytes): &mut (TcpStream, Vec<u8>)| {
                stream.read_to_end(bytes).await.expect("the server is there");
            };
            let check = async |mut state: (TcpStream, Vec<u8>), _| {
                read(&mut state).await;
                assert_eq!(state.1, b"text");
            };
            assert!(cancel_at_each_await(make, read, check).await >= 2);
        });
    });
}

/// `compute` occupies its processor for the whole time, also if its future is dropped.
#[test]
fn a_dropped_computation_occupies_its_processor() {
    let runtime = crate::with_processors(1, 1);
    let task = runtime.spawn(async {
        let check = async |began: Instant, _| {
            // The next turn of the processor comes when it is over.
            wsrt::task::yield_now().await;
            assert!(began.elapsed() >= 5 * MILLI, "{:?}", began.elapsed());
        };
        let operation = async |_: &mut Instant| compute(5 * MILLI).await;
        cancel_at_each_await(async || Instant::now(), operation, check).await;
    });
    runtime.block_on(task).expect("no panic");
}

/// A host that tells each connection how many are open.
async fn count_connections() -> io::Result<()> {
    let open = Arc::new(AtomicU8::new(0));
    let listener = TcpListener::bind("0.0.0.0:7").await?;
    loop {
        let (mut stream, _) = listener.accept().await?;
        let open = Arc::clone(&open);
        wsrt::spawn(async move {
            let count = open.fetch_add(1, Relaxed) + 1;
            // Both fail if the connection was abandoned.
            let _ = stream.write_u8(count).await;
            let _ = stream.read_u8().await;
            open.fetch_sub(1, Relaxed);
        });
    }
}

/// Of `TcpStream::connect` and `TcpSocket::connect`: an attempt that was dropped leaves a closed
/// connection, or none.
#[test]
fn an_abandoned_attempt_is_closed() {
    async fn connects(connect: impl AsyncFn() -> io::Result<TcpStream>) {
        let check = async |(), _| {
            sleep(100 * MILLI).await;
            let mut stream = connect().await.expect("it listens");
            assert_eq!(stream.read_u8().await.expect("it is open"), 1, "connections that are open");
        };
        let operation = async |(): &mut ()| drop(connect().await.expect("it listens"));
        cancel_at_each_await(async || (), operation, check).await;
    }
    sim::seeds(0..20, |seed| {
        sim::run(seed, |sim| async move {
            sim.links(&Link::new().latency(MILLI..5 * MILLI));
            sim.host("server", count_connections);
            sleep(MILLI).await;
            let address = wsrt::net::lookup_host("server:7").await.expect("it is known").next().expect("an address");
            connects(async || TcpStream::connect("server:7").await).await;
            connects(async || TcpSocket::new_v4()?.connect(address).await).await;
        });
    });
}
