//! Errors that programs know from Linux: of streams never accepted, and of ports that are closed.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::time::Duration;

use wsrt::net::{TcpListener, TcpSocket, TcpStream, UdpSocket};
use wsrt::sim;
use wsrt::time::{sleep, timeout};

use crate::faults::message;
use crate::network::{connect, kind};

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn a_dropped_listener_resets_the_streams_that_wait() {
    for seed in 0..10 {
        sim::run(seed, |sim| async move {
            sim.host("server", || async {
                let listener = TcpListener::bind("0.0.0.0:7").await?;
                sleep(SECOND).await;
                drop(listener);
                io::Result::Ok(())
            });
            let mut stream = connect("server:7").await;
            let heard = timeout(2 * SECOND, stream.read(&mut [0; 8])).await.expect("the peer says so");
            assert_eq!(kind(heard), Some(ErrorKind::ConnectionReset), "seed {seed}");
            assert_eq!(kind(TcpStream::connect("server:7").await), Some(ErrorKind::ConnectionRefused));
        });
    }
}

#[test]
fn a_connected_socket_learns_of_a_closed_port_once() {
    for seed in 0..10 {
        sim::run(seed, |sim| async move {
            sim.host("server", || async {
                sleep(5 * SECOND).await;
                let (socket, mut buf) = (UdpSocket::bind("0.0.0.0:9").await?, [0; 8]);
                let (count, from) = socket.recv_from(&mut buf).await?;
                socket.send_to(&buf[..count], from).await.map(drop)
            });
            let socket = UdpSocket::bind("0.0.0.0:0").await.expect("a port is free");
            socket.connect("server:9").await.expect("it is a host");
            let mut buf = [0; 8];
            socket.send(b"early").await.expect("no answer is known yet");
            let heard = timeout(SECOND, socket.recv(&mut buf)).await.expect("the host says so");
            assert_eq!(kind(heard), Some(ErrorKind::ConnectionRefused), "seed {seed}");
            socket.send(b"early").await.expect("it was told once");
            sleep(SECOND).await;
            assert_eq!(kind(socket.send(b"lost").await), Some(ErrorKind::ConnectionRefused), "seed {seed}");
            sleep(5 * SECOND).await;
            socket.send(b"hello").await.expect("it was told once");
            assert_eq!(socket.recv(&mut buf).await.expect("the port is open"), 5, "seed {seed}");
        });
    }
}

#[test]
fn a_socket_that_is_not_connected_learns_of_no_port() {
    sim::run(3, |sim| async move {
        sim.host("server", || async {});
        let socket = UdpSocket::bind("0.0.0.0:0").await.expect("a port is free");
        for _ in 0..3 {
            socket.send_to(b"x", "server:9").await.expect("nothing is known");
            sleep(SECOND).await;
        }
        assert!(timeout(SECOND, socket.recv(&mut [0; 8])).await.is_err(), "nothing comes");
    });
}

#[test]
fn an_address_is_no_name_of_a_host() {
    for name in ["10.0.0.99", "::1"] {
        let text = message(|| sim::run(3, |sim| async move { _ = sim.host(name, || async {}) }));
        assert!(text.contains(&format!("`{name}` cannot be the name of a host: it is an address")), "{text}");
    }
}

#[test]
fn a_connected_socket_knows_its_own_address() {
    sim::run(3, |sim| async move {
        let socket = UdpSocket::bind("0.0.0.0:5").await.expect("a port is free");
        sim.host("server", || async {});
        socket.connect("server:9").await.expect("it is a host");
        assert_eq!(socket.local_addr().expect("it is bound"), SocketAddr::from(([10, 0, 0, 1], 5)));
    });
}

/// A server that is bound to the wrong address is found out.
#[test]
fn no_socket_of_loopback_reaches_another_host() {
    sim::run(3, |sim| async move {
        sim.host("server", || async {});
        let socket = UdpSocket::bind("127.0.0.1:0").await.expect("a port is free");
        assert_eq!(kind(socket.send_to(b"x", "server:9").await), Some(ErrorKind::InvalidInput));
        socket.send_to(b"x", "127.0.0.1:9").await.expect("it is the same host");
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind(SocketAddr::from(([127, 0, 0, 1], 0))).expect("a port is free");
        let stream = socket.connect(SocketAddr::from(([10, 0, 0, 2], 9))).await;
        assert_eq!(kind(stream), Some(ErrorKind::InvalidInput));
    });
}

#[test]
fn hosts_are_found_by_names_of_any_case() {
    sim::run(3, |sim| async move {
        sim.host("Node-1", || async {
            TcpListener::bind("0.0.0.0:7").await?.accept().await?;
            io::Result::Ok(())
        });
        drop(connect("node-1:7").await);
        assert!(sim.is_up("NODE-1"));
    });
}
