//! `TcpSocket`: options set before anything happens hold afterwards.

use std::io::ErrorKind;
use std::net::{SocketAddr, TcpStream as StdStream};
use std::time::Duration;
use wsrt_reactor::net::{TcpKeepalive, TcpListener, TcpSocket};
use wsrt_reactor_testing::{block_on, run};

fn loopback() -> SocketAddr {
    "127.0.0.1:0".parse().unwrap()
}

#[test]
fn options_set_before_are_those_of_the_connection() {
    run(async {
        let listener = TcpListener::bind(loopback()).await.unwrap();
        let keepalive = TcpKeepalive::new()
            .with_time(Duration::from_secs(30))
            .with_interval(Duration::from_secs(7))
            .with_retries(3);
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_nodelay(true).unwrap();
        socket.set_tcp_keepalive(&keepalive).unwrap();
        socket.set_linger(Some(Duration::from_secs(2))).unwrap();
        socket.set_ttl(17).unwrap();
        socket.set_send_buffer_size(20_000).unwrap();
        socket.set_recv_buffer_size(30_000).unwrap();
        socket.bind(loopback()).unwrap();
        let local = socket.local_addr().unwrap();

        let stream = socket.connect(listener.local_addr().unwrap()).await.unwrap();
        assert_eq!(stream.local_addr().unwrap(), local);
        assert!(stream.nodelay().unwrap());
        assert!(stream.keepalive().unwrap());
        assert_eq!(stream.linger().unwrap(), Some(Duration::from_secs(2)));
        assert_eq!(stream.ttl().unwrap(), 17);
        // Systems round up, and Linux doubles.
        assert!((20_000..=40_000).contains(&stream.send_buffer_size().unwrap()));
        assert!((30_000..=60_000).contains(&stream.recv_buffer_size().unwrap()));
        let system = socket2::SockRef::from(&stream);
        assert_eq!(system.tcp_keepalive_time().unwrap(), Duration::from_secs(30));
        assert_eq!(system.tcp_keepalive_interval().unwrap(), Duration::from_secs(7));
        assert_eq!(system.tcp_keepalive_retries().unwrap(), 3);
    });
}

#[cfg(unix)]
#[test]
fn two_listeners_share_a_port_if_both_ask() {
    run(async {
        let first = TcpSocket::new_v4().unwrap();
        first.set_reuseport(true).unwrap();
        assert!(first.reuseport().unwrap());
        first.bind(loopback()).unwrap();
        let first = first.listen(8).unwrap();
        let address = first.local_addr().unwrap();

        let refused = TcpSocket::new_v4().unwrap().bind(address).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::AddrInUse);
        assert!(refused.raw_os_error().is_some(), "the system's error as it is");

        let second = TcpSocket::new_v4().unwrap();
        second.set_reuseport(true).unwrap();
        second.bind(address).unwrap();
        assert_eq!(second.listen(8).unwrap().local_addr().unwrap(), address);
    });
}

#[test]
fn a_refused_connect_is_the_system_s_error() {
    run(async {
        let closed = std::net::TcpListener::bind(loopback()).unwrap().local_addr().unwrap();
        let error = TcpSocket::new_v4().unwrap().connect(closed).await.unwrap_err();
        assert_eq!(error.raw_os_error(), StdStream::connect(closed).unwrap_err().raw_os_error());
        let error = TcpSocket::new_v6().unwrap().connect(closed).await.unwrap_err();
        assert!(error.raw_os_error().is_some(), "the wrong family: {error}");
    });
}

#[test]
fn a_socket_made_elsewhere_can_be_taken_over() {
    run(async {
        let made = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
        let socket = TcpSocket::from_std(made.into()).unwrap();
        socket.bind(loopback()).unwrap();
        let listener = socket.listen(u32::MAX).unwrap();
        let client = StdStream::connect(listener.local_addr().unwrap()).unwrap();
        let (_, peer) = listener.accept().await.unwrap();
        assert_eq!(peer, client.local_addr().unwrap());
    });
}

#[test]
fn a_socket_taken_over_as_it_is_connects() {
    run(async {
        let listener = std::net::TcpListener::bind(loopback()).unwrap();
        let made = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
        made.set_nonblocking(true).unwrap();
        let socket = TcpSocket::from_std_stream(made.into());
        let stream = socket.connect(listener.local_addr().unwrap()).await.unwrap();
        assert_eq!(listener.accept().unwrap().1, stream.local_addr().unwrap());
    });
}

#[test]
fn options_need_no_runtime_and_connecting_does() {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_reuseaddr(true).unwrap();
    assert!(socket.reuseaddr().unwrap());
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| block_on(socket.connect(loopback()))));
    let payload = outcome.expect_err("no runtime here");
    assert!(payload.downcast_ref::<String>().unwrap().contains("`TcpSocket::connect`"));
}

#[cfg(target_os = "linux")]
#[test]
fn the_type_of_service_and_the_device_are_taken() {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_tos_v4(0x10).unwrap();
    assert_eq!(socket.tos_v4().unwrap(), 0x10);
    assert_eq!(socket.device().unwrap(), None);
    let error = socket.bind_device(Some(b"no-such-device")).unwrap_err();
    assert!(error.raw_os_error().is_some(), "{error}");
    let socket = TcpSocket::new_v6().unwrap();
    socket.set_tclass_v6(0x20).unwrap();
    assert_eq!(socket.tclass_v6().unwrap(), 0x20);
}
