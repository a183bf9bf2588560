//! Links: their bandwidth, and cuts in one direction.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use wsrt::net::{TcpListener, TcpStream, UdpSocket};
use wsrt::sim::{self, Link, Sim};
use wsrt::sync::mpsc::UnboundedReceiver;
use wsrt::time::{Instant, sleep, timeout};

use crate::network::connect;

const SECOND: Duration = Duration::from_secs(1);
const MILLI: Duration = Duration::from_millis(1);

/// Answers a stream whose bytes have ended with their number, and as many bytes.
async fn doubler() -> io::Result<()> {
    let listener = TcpListener::bind("0.0.0.0:7").await?;
    loop {
        let (mut stream, _) = listener.accept().await?;
        wsrt::spawn(async move {
            let mut all = Vec::new();
            stream.read_to_end(&mut all).await?;
            stream.write_all(&all).await?;
            stream.shutdown().await
        });
    }
}

/// The seconds that bytes take from the client to the server and back.
async fn trip(mut stream: TcpStream, count: usize) -> f64 {
    let (began, mut heard) = (Instant::now(), Vec::new());
    stream.write_all(&vec![7; count]).await.expect("it is read");
    stream.shutdown().await.expect("it is open");
    stream.read_to_end(&mut heard).await.expect("it answers");
    assert_eq!(heard.len(), count);
    began.elapsed().as_secs_f64()
}

/// Runs `main` on a host named client beside a server, and returns what it has returned.
async fn on_client<T, F>(sim: &Sim, main: fn() -> F) -> T
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    sim.host("server", doubler);
    sim.host("bystander", doubler);
    let (sender, mut receiver) = wsrt::sync::mpsc::channel(1);
    sim.host("client", move || {
        let sender = sender.clone();
        async move { sender.send(main().await).await.expect("the test waits") }
    });
    receiver.recv().await.expect("the host tells")
}

#[test]
fn a_stream_takes_the_time_of_its_bytes() {
    for seed in 0..10 {
        sim::run(seed, |sim| async move {
            let took = on_client(&sim, || async {
                let link = Link::new().latency(MILLI).bandwidth(100_000);
                Sim::current().link("client", "server", &link);
                let narrow = trip(connect("server:7").await, 500_000).await;
                (narrow, trip(connect("bystander:7").await, 500_000).await)
            })
            .await;
            // Ten seconds for both ways, and some milliseconds for turns and latencies.
            assert!((10.0..10.3).contains(&took.0), "seed {seed}: {took:?}");
            assert!(took.1 < 0.3, "seed {seed}: another link has no bound: {took:?}");
        });
    }
}

#[test]
fn streams_share_the_bandwidth_of_their_link() {
    sim::run(3, |sim| async move {
        let took = on_client(&sim, || async {
            let link = Link::new().latency(MILLI).bandwidth(100_000);
            Sim::current().link("client", "server", &link);
            let alone = trip(connect("server:7").await, 100_000).await;
            let streams = [connect("server:7").await, connect("server:7").await];
            let trips = streams.map(|stream| wsrt::spawn(trip(stream, 100_000)));
            let mut last = 0.0_f64;
            for trip in trips {
                last = last.max(trip.await.expect("no panic"));
            }
            (alone, last)
        })
        .await;
        assert!((2.0..2.3).contains(&took.0), "a second for each way: {took:?}");
        // The bytes of both have gone the first way after two seconds.
        assert!((3.0..4.3).contains(&took.1), "{took:?}");
    });
}

/// Has a host tell when each datagram comes to its port 9, and answer it.
fn listen_for_datagrams(sim: &Sim, name: &str) -> UnboundedReceiver<Instant> {
    let (tell, told) = wsrt::sync::mpsc::unbounded_channel();
    sim.host(name, move || {
        let tell = tell.clone();
        async move {
            let (socket, mut buf) = (UdpSocket::bind("0.0.0.0:9").await?, [0; 2_000]);
            loop {
                let (count, from) = socket.recv_from(&mut buf).await?;
                let _ = tell.send(Instant::now());
                socket.send_to(&buf[..count], from).await?;
            }
            #[expect(unreachable_code, reason = "it says what errors there are")]
            io::Result::Ok(())
        }
    });
    told
}

#[test]
fn datagrams_queue_for_their_link() {
    sim::run(3, |sim| async move {
        let mut told = listen_for_datagrams(&sim, "server");
        sim.host("client", || async {
            let socket = UdpSocket::bind("0.0.0.0:9").await?;
            sleep(SECOND).await;
            for number in 0..5 {
                socket.send_to(&[number; 1_000], "server:9").await?;
            }
            io::Result::Ok(())
        });
        sim.link("client", "server", &Link::new().latency(MILLI).bandwidth(10_000));
        let began = Instant::now();
        for number in 1..=5 {
            let moment = told.recv().await.expect("it comes") - began;
            let expected = SECOND + SECOND / 10 * number + MILLI;
            assert!(moment.abs_diff(expected) < 10 * MILLI, "{number}: {moment:?}, and not {expected:?}");
        }
    });
}

#[test]
fn a_cut_in_one_direction_leaves_the_way_back() {
    for seed in 0..10 {
        sim::run(seed, |sim| async move {
            let mut told = listen_for_datagrams(&sim, "server");
            let answers = Arc::new(AtomicUsize::new(0));
            let counted = Arc::clone(&answers);
            sim.host("client", move || {
                let answers = Arc::clone(&counted);
                async move {
                    let (socket, mut buf) = (UdpSocket::bind("0.0.0.0:9").await?, [0; 8]);
                    loop {
                        socket.send_to(b"asked", "server:9").await?;
                        if timeout(SECOND / 2, socket.recv(&mut buf)).await.is_ok() {
                            answers.fetch_add(1, Relaxed);
                        }
                        sleep(SECOND / 2).await;
                    }
                    #[expect(unreachable_code, reason = "it says what errors there are")]
                    io::Result::Ok(())
                }
            });
            let mut seen = Vec::new();
            for step in 0..4 {
                match step {
                    1 => sim.partition_one_way("server", "client"),
                    2 => {
                        sim.heal("server", "client");
                        sim.partition_one_way("client", "server");
                    }
                    3 => sim.heal("client", "server"),
                    _ => {}
                }
                // Datagrams that were under way when it was cut.
                sleep(SECOND / 10).await;
                while told.try_recv().is_ok() {}
                answers.store(0, Relaxed);
                sleep(10 * SECOND).await;
                let asked = std::iter::from_fn(|| told.try_recv().ok()).count();
                seen.push((asked > 3, answers.load(Relaxed) > 3));
                assert_eq!(asked == 0, step == 2, "seed {seed}: {asked} in step {step}");
                assert_eq!(answers.load(Relaxed) == 0, step == 1 || step == 2, "seed {seed}: in step {step}");
            }
            assert_eq!(seen, [(true, true), (true, false), (false, false), (true, true)], "seed {seed}");
        });
    }
}

#[test]
fn a_stream_waits_for_the_cut_way_back() {
    for seed in 0..10 {
        sim::run(seed, |sim| async move {
            let (took, twice) = on_client(&sim, || async {
                let stream = connect("server:7").await;
                let sim = Sim::current();
                sim.partition_one_way("server", "client");
                let healer = wsrt::spawn(async move {
                    sleep(10 * SECOND).await;
                    sim.heal("server", "client");
                });
                let took = trip(stream, 5).await;
                healer.await.expect("no panic");
                (took, trip(connect("server:7").await, 5).await)
            })
            .await;
            assert!((9.9..30.0).contains(&took), "seed {seed}: {took}");
            assert!(twice < 1.0, "seed {seed}: {twice}");
        });
    }
}
