//! Streams whose calls, answers, refusals or bytes are lost, or whose sender has crashed.

use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use wsrt::net::{TcpListener, TcpSocket, TcpStream};
use wsrt::sim::{self, Link, Plan, Sim};
use wsrt::time::{Instant, sleep, timeout};

use crate::network::{connect, echo_by};

const MILLI: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);

/// A host that sends back what it gets, and a link that takes 10 ms.
async fn server(sim: &Sim) {
    sim.links(&Link::new().latency(10 * MILLI));
    sim.host("server", || async { echo_by(TcpListener::bind("0.0.0.0:7").await?).await });
    sleep(MILLI).await;
}

/// Has the test itself be a host, which can be cut off.
async fn as_client<F: Future<Output: Send> + Send + 'static>(
    sim: &Sim,
    main: impl Fn(Sim) -> F + Send + Sync + 'static,
) {
    let (for_main, is_done) = (sim.clone(), Arc::new(AtomicBool::new(false)));
    let done = Arc::clone(&is_done);
    sim.host("client", move || {
        let (main, done) = (main(for_main.clone()), Arc::clone(&done));
        async move {
            main.await;
            done.store(true, Relaxed);
        }
    });
    while !is_done.load(Relaxed) {
        sleep(100 * MILLI).await;
    }
}

#[test]
fn connect_goes_on_when_its_call_meets_a_crash() {
    sim::run(1, |sim| async move {
        server(&sim).await;
        let calling = wsrt::spawn(TcpStream::connect("server:7"));
        sleep(5 * MILLI).await;
        sim.crash("server");
        sleep(2 * SECOND).await;
        sim.restart("server");
        let stream = timeout(60 * SECOND, calling).await.expect("it calls again").expect("no panic");
        let mut stream = stream.expect("it listens");
        stream.write_all(b"x").await.expect("it is open");
        let mut heard = [0];
        stream.read_exact(&mut heard).await.expect("it is echoed");
    });
}

#[test]
fn a_stream_whose_acceptor_has_crashed_is_reset() {
    sim::run(1, |sim| async move {
        server(&sim).await;
        let calling = wsrt::spawn(TcpStream::connect("server:7"));
        sleep(15 * MILLI).await;
        sim.restart("server");
        let stream = timeout(60 * SECOND, calling).await.expect("its answer was under way").expect("no panic");
        let mut stream = stream.expect("it was accepted");
        stream.write_all(b"x").await.expect("there is room");
        let heard = timeout(SECOND, stream.read(&mut [0])).await.expect("it is told");
        assert_eq!(heard.expect_err("the next life knows nothing of it").kind(), ErrorKind::ConnectionReset);
    });
}

#[test]
fn connect_times_out_without_answers_and_is_not_refused() {
    for port in [7, 9] {
        sim::run(1, |sim| async move {
            server(&sim).await;
            as_client(&sim, move |sim| async move {
                sim.partition_one_way("server", "client");
                let began = Instant::now();
                let error = TcpStream::connect(("server", port)).await.expect_err("it hears nothing");
                assert_eq!(error.kind(), ErrorKind::TimedOut);
                let seconds = began.elapsed().as_secs();
                assert!((127..130).contains(&seconds), "like Linux, not after {seconds} s");
            })
            .await;
        });
    }
}

#[test]
fn connect_succeeds_soon_after_the_link_is_healed() {
    sim::run(1, |sim| async move {
        server(&sim).await;
        as_client(&sim, |sim| async move {
            sim.partition_one_way("server", "client");
            let healing = sim.clone();
            let _healed = wsrt::spawn(async move {
                sleep(10 * SECOND).await;
                healing.heal("server", "client");
            });
            let began = Instant::now();
            let _stream = TcpStream::connect("server:7").await.expect("it calls again");
            assert!(began.elapsed() < 16 * SECOND, "{:?}", began.elapsed());
        })
        .await;
    });
}

#[test]
fn a_reset_that_is_lost_comes_again() {
    sim::run(1, |sim| async move {
        server(&sim).await;
        as_client(&sim, |sim| async move {
            let mut stream = connect("server:7").await;
            sim.restart("server");
            sim.partition_one_way("server", "client");
            stream.write_all(b"x").await.expect("there is room");
            sleep(SECOND).await;
            sim.heal("server", "client");
            let heard = timeout(60 * SECOND, stream.read(&mut [0])).await.expect("it is told again");
            assert_eq!(heard.expect_err("nobody knows it").kind(), ErrorKind::ConnectionReset);
        })
        .await;
    });
}

/// A host that listens, and sends `hello` a second after it has accepted.
async fn greeter(sim: &Sim) {
    sim.links(&Link::new().latency(10 * MILLI));
    sim.host("listener", || async {
        let listener = TcpListener::bind("0.0.0.0:80").await?;
        let (mut stream, _) = listener.accept().await?;
        sleep(SECOND).await;
        stream.write_all(b"hello").await?;
        std::future::pending::<std::io::Result<()>>().await
    });
    sleep(MILLI).await;
}

#[test]
fn bytes_under_way_arrive_after_their_sender_has_crashed() {
    sim::run(1, |sim| async move {
        greeter(&sim).await;
        let mut stream = connect("listener:80").await;
        // The other end was there 10 ms before this one, so that it has sent 5 ms ago.
        sleep(SECOND - 5 * MILLI).await;
        sim.crash("listener");
        let mut heard = [0; 5];
        timeout(SECOND, stream.read_exact(&mut heard)).await.expect("it was under way").expect("no reset");
        assert_eq!(&heard, b"hello");
        sim.restart("listener");
        stream.write_all(b"x").await.expect("there is room");
        let heard = timeout(SECOND, stream.read(&mut [0])).await.expect("it is told");
        assert_eq!(heard.expect_err("the next life knows nothing of it").kind(), ErrorKind::ConnectionReset);
    });
}

#[test]
fn a_crashed_sender_sends_nothing_again() {
    sim::run(1, |sim| async move {
        greeter(&sim).await;
        let mut stream = connect("listener:80").await;
        sim.links(&Link::new().latency(10 * MILLI).loss(1.0));
        sleep(2 * SECOND).await;
        sim.crash("listener");
        sim.links(&Link::new().latency(10 * MILLI));
        assert!(timeout(3_600 * SECOND, stream.read(&mut [0])).await.is_err(), "it was lost before the crash");
    });
}

#[test]
fn a_fault_that_ends_leaves_the_partition_of_the_program() {
    sim::run(1, |sim| async move {
        server(&sim).await;
        sim.inject(&"at 1s cut client server for 1s".parse::<Plan>().expect("a plan"));
        as_client(&sim, |sim| async move {
            sim.partition("client", "server");
            sleep(3 * SECOND).await;
            assert!(timeout(5 * SECOND, TcpStream::connect("server:7")).await.is_err(), "the program's lasts");
            sim.heal("client", "server");
            timeout(5 * SECOND, TcpStream::connect("server:7")).await.expect("it is healed").expect("it listens");
        })
        .await;
    });
}

#[test]
fn two_streams_have_no_port_in_common() {
    sim::run(1, |sim| async move {
        server(&sim).await;
        sim.links(&Link::new().latency(Duration::ZERO));
        let held = connect("server:7").await;
        let own = held.local_addr().expect("an address");
        for _ in 0..16_500 {
            let next = TcpStream::connect("server:7").await.expect("it listens");
            assert_ne!(next.local_addr().expect("an address"), own);
        }
    });
}

#[test]
fn a_stream_has_the_address_its_socket_was_bound_to() {
    sim::run(1, |sim| async move {
        server(&sim).await;
        let bound = |address: &str| {
            let socket = TcpSocket::new_v4().expect("it takes a descriptor");
            socket.bind(address.parse().expect("an address")).map(|()| socket)
        };
        let to = "10.0.0.2:7".parse().expect("an address");
        let first = bound("0.0.0.0:4000").expect("its own").connect(to).await.expect("it listens");
        assert_eq!(first.local_addr().expect("an address").port(), 4_000);
        let second = bound("0.0.0.0:4000").expect("its own").connect(to).await;
        assert_eq!(second.expect_err("the port is taken").kind(), ErrorKind::AddrInUse);
        drop(first);
        sleep(SECOND).await;
        bound("0.0.0.0:4000").expect("its own").connect(to).await.expect("the port is free again");
        let foreign = bound("10.0.0.2:0").expect("noted").connect(to).await;
        assert_eq!(foreign.expect_err("the address of another host").kind(), ErrorKind::AddrNotAvailable);
    });
}

#[test]
fn nothing_arrives_over_a_link_that_loses_all() {
    sim::run(1, |sim| async move {
        server(&sim).await;
        let mut stream = connect("server:7").await;
        sim.links(&Link::new().latency(10 * MILLI).loss(1.0));
        stream.write_all(b"x").await.expect("there is room");
        let error = stream.read(&mut [0]).await.expect_err("it is given up");
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        let error = TcpStream::connect("server:7").await.expect_err("no call arrives");
        assert_eq!(error.kind(), ErrorKind::TimedOut);
    });
}

#[test]
fn the_longest_latency_is_for_ever() {
    sim::run(1, |sim| async move {
        server(&sim).await;
        let mut stream = connect("server:7").await;
        sim.links(&Link::new().latency(Duration::MAX).loss(0.9));
        stream.write_all(b"x").await.expect("there is room");
        assert!(timeout(3_600 * SECOND, stream.read(&mut [0])).await.is_err());
    });
}
