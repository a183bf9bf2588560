//! The table of `docs/READINESS.md`: event by event, and kind by kind of socket, which waiters it
//! ends. Each on sockets of the system.
#![cfg(target_os = "linux")]

mod scene;

use std::io::{ErrorKind, Read, Write};
use std::mem::size_of_val;
use std::net::{SocketAddr, TcpListener, UdpSocket as StdUdp};
use std::os::fd::AsRawFd;
use std::os::unix::net::{UnixDatagram as StdDatagram, UnixStream as StdUnix};
use std::time::Duration;

use scene::{Scene, full_tcp, full_unix};
use socket2::{Domain, SockRef, Socket, Type};
use wsrt_reactor::net::UdpSocket;

/// An address that refuses datagrams: no other test binds it.
fn nobody() -> SocketAddr {
    StdUdp::bind("127.0.77.2:0").unwrap().local_addr().unwrap()
}

/// Sets an option that is a number.
fn set(socket: &impl AsRawFd, level: libc::c_int, option: libc::c_int, value: libc::c_int) {
    let length = libc::socklen_t::try_from(size_of_val(&value)).unwrap();
    // SAFETY: the value is of this length.
    let answer = unsafe { libc::setsockopt(socket.as_raw_fd(), level, option, (&raw const value).cast(), length) };
    assert_eq!(answer, 0, "{}", std::io::Error::last_os_error());
}

#[test]
fn tcp_data_is_the_readers() {
    let scene = Scene::new();
    let (near, mut far) = full_tcp();
    let woken = scene.watch(&near, "reader either", || far.write_all(b"x").unwrap());
    woken.assert_exactly("reader either");
}

#[test]
fn tcp_room_is_the_writers() {
    let scene = Scene::new();
    let (near, mut far) = full_tcp();
    let drain = || {
        far.set_nonblocking(true).unwrap();
        while far.read(&mut [0; 1 << 16]).is_ok() {}
    };
    scene.watch(&near, "writer either", drain).assert_exactly("writer either");
}

#[test]
fn the_end_of_tcp_is_the_readers() {
    let scene = Scene::new();
    let (near, far) = full_tcp();
    let woken = scene.watch(&near, "reader either", || far.shutdown(std::net::Shutdown::Write).unwrap());
    woken.assert_exactly("reader either urgent");
}

#[test]
fn a_tcp_reset_is_everyones() {
    let scene = Scene::new();
    let (near, far) = full_tcp();
    SockRef::from(&far).set_linger(Some(Duration::ZERO)).unwrap();
    let all = "reader writer either errors urgent";
    scene.watch(&near, all, || drop(far)).assert_exactly(all);
    assert_eq!((&near).read(&mut [0]).unwrap_err().kind(), ErrorKind::ConnectionReset);
}

#[test]
fn urgent_data_is_the_readers_too() {
    let scene = Scene::new();
    let (near, far) = full_tcp();
    let woken = scene.watch(&near, "reader either urgent", || _ = SockRef::from(&far).send_out_of_band(b"!").unwrap());
    woken.assert_exactly("reader either urgent");
}

#[test]
fn a_message_of_tcps_error_queue_is_everyones() {
    let scene = Scene::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let near = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let _far = listener.accept().unwrap();
    near.set_nonblocking(true).unwrap();
    note_what_is_sent(&near);
    let all = "reader writer either errors";
    scene.watch(&near, all, || _ = (&near).write(b"x").unwrap()).assert_exactly(all);
    assert_eq!((&near).read(&mut [0]).unwrap_err().kind(), ErrorKind::WouldBlock, "but there is nothing to read");
}

/// The system notes when a packet was sent in the socket's queue of errors.
fn note_what_is_sent(socket: &impl AsRawFd) {
    let when = libc::SOF_TIMESTAMPING_TX_SOFTWARE | libc::SOF_TIMESTAMPING_SOFTWARE;
    set(socket, libc::SOL_SOCKET, libc::SO_TIMESTAMPING, when.try_into().unwrap());
}

#[test]
fn a_connect_that_is_refused_is_everyones() {
    let scene = Scene::new();
    // A full queue drops the first packet; the next, a second later, finds no listener.
    let listener = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    listener.bind(&"127.0.77.3:0".parse::<SocketAddr>().unwrap().into()).unwrap();
    listener.listen(0).unwrap();
    let address = listener.local_addr().unwrap();
    let _queued = std::net::TcpStream::connect(address.as_socket().unwrap()).unwrap();
    let near = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    near.set_nonblocking(true).unwrap();
    assert_eq!(near.connect(&address).unwrap_err().raw_os_error(), Some(libc::EINPROGRESS));
    let all = "reader writer either errors urgent";
    scene.watch(&near, all, || drop(listener)).assert_exactly(all);
    assert_eq!(near.take_error().unwrap().unwrap().kind(), ErrorKind::ConnectionRefused);
}

#[test]
fn a_client_is_the_accepters() {
    let scene = Scene::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let connect = || drop(std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap());
    scene.watch(&listener, "reader either", connect).assert_exactly("reader either");
}

/// A datagram socket has room, which each of its events says too.
#[test]
fn a_datagram_is_the_readers() {
    let scene = Scene::new();
    let near = StdUdp::bind("127.0.0.1:0").unwrap();
    let send = || _ = StdUdp::bind("127.0.0.1:0").unwrap().send_to(b"x", near.local_addr().unwrap()).unwrap();
    scene.watch(&near, "reader writer either", send).assert_exactly("reader writer either");
}

#[test]
fn a_refusal_of_the_only_peer_is_everyones() {
    let scene = Scene::new();
    let near = StdUdp::bind("127.0.0.1:0").unwrap();
    near.set_nonblocking(true).unwrap();
    near.connect(nobody()).unwrap();
    let all = "reader writer either errors";
    scene.watch(&near, all, || _ = near.send(b"anybody?").unwrap()).assert_exactly(all);
    assert_eq!(near.recv(&mut [0]).unwrap_err().kind(), ErrorKind::ConnectionRefused);
}

/// A socket like a QUIC endpoint's, which speaks to many peers.
fn that_learns_of_errors() -> StdUdp {
    let socket = StdUdp::bind("127.0.0.1:0").unwrap();
    socket.set_nonblocking(true).unwrap();
    set(&socket, libc::IPPROTO_IP, libc::IP_RECVERR, 1);
    socket
}

#[test]
fn a_refusal_by_one_of_many_is_not_the_readers() {
    let scene = Scene::new();
    let near = that_learns_of_errors();
    let refused = || _ = near.send_to(b"anybody?", nobody()).unwrap();
    scene.watch(&near, "writer either errors", refused).assert_exactly("writer either errors");
}

/// A socket of this crate, and the answers of its methods.
#[test]
fn a_refused_peer_ends_no_receive_from_others() {
    let scene = Scene::new();
    let near = UdpSocket::from_std(that_learns_of_errors()).unwrap();
    let far = StdUdp::bind("127.0.0.1:0").unwrap();
    let mut buf = [0; 8];
    let mut receive = scene.begin(near.recv_from(&mut buf));
    near.try_send_to(b"anybody?", nobody()).unwrap();
    scene.turn();
    assert!(receive.is_pending(), "one of many peers has refused");
    // The sender of the next datagram learns of it, in the way of the system.
    let error = near.try_send_to(b"hello", far.local_addr().unwrap()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionRefused);
    far.send_to(b"hello", near.local_addr().unwrap()).unwrap();
    scene.turn();
    assert_eq!(receive.end().unwrap(), (5, far.local_addr().unwrap()));
}

#[test]
fn a_refused_peer_ends_the_receive_from_itself() {
    let scene = Scene::new();
    let near = StdUdp::bind("127.0.0.1:0").unwrap();
    near.connect(nobody()).unwrap();
    let near = UdpSocket::from_std(near).unwrap();
    let mut buf = [0; 8];
    let mut receive = scene.begin(near.recv(&mut buf));
    near.try_send(b"anybody?").unwrap();
    scene.turn();
    assert_eq!(receive.end().unwrap_err().kind(), ErrorKind::ConnectionRefused);
}

/// A datagram that was sent gives room back, which is all that the socket learns.
#[test]
fn a_refusal_that_the_system_keeps_back_is_nobodys() {
    let scene = Scene::new();
    let near = StdUdp::bind("127.0.0.1:0").unwrap();
    near.set_nonblocking(true).unwrap();
    let refused = || _ = near.send_to(b"anybody?", nobody()).unwrap();
    scene.watch(&near, "writer either", refused).assert_exactly("writer either");
}

#[test]
fn an_unconnected_error_queues_message_is_not_the_readers() {
    let scene = Scene::new();
    let far = StdUdp::bind("127.0.0.1:0").unwrap();
    let near = StdUdp::bind("127.0.0.1:0").unwrap();
    near.set_nonblocking(true).unwrap();
    note_what_is_sent(&near);
    let send = || _ = near.send_to(b"x", far.local_addr().unwrap()).unwrap();
    scene.watch(&near, "writer either errors", send).assert_exactly("writer either errors");
}

#[test]
fn data_of_a_unix_stream_is_the_readers() {
    let scene = Scene::new();
    let (near, mut far) = full_unix();
    scene.watch(&near, "reader either", || far.write_all(b"x").unwrap()).assert_exactly("reader either");
}

#[test]
fn the_end_of_a_unix_stream_is_the_readers() {
    let scene = Scene::new();
    let (near, far) = full_unix();
    let woken = scene.watch(&near, "reader either", || far.shutdown(std::net::Shutdown::Write).unwrap());
    woken.assert_exactly("reader either urgent");
}

#[test]
fn a_unix_stream_closed_by_its_peer_is_everyones() {
    let scene = Scene::new();
    let (near, far) = StdUnix::pair().unwrap();
    near.set_nonblocking(true).unwrap();
    let all = "reader writer either urgent";
    scene.watch(&near, all, || drop(far)).assert_exactly(all);
    let (near, far) = full_unix();
    let all = "reader writer either errors urgent";
    scene.watch(&near, all, || drop(far)).assert_exactly(all);
    assert_eq!((&near).read(&mut [0]).unwrap_err().kind(), ErrorKind::ConnectionReset, "it had not read all");
}

#[test]
fn a_datagram_peer_that_turns_away_is_everyones() {
    let scene = Scene::new();
    let (near, far) = StdDatagram::pair().unwrap();
    near.set_nonblocking(true).unwrap();
    near.send(b"not read").unwrap();
    let all = "reader writer either errors";
    let turn_away = || {
        use std::os::linux::net::SocketAddrExt;
        use std::os::unix::net::SocketAddr;
        let name = format!("wsrt-elsewhere-{}", std::process::id());
        let elsewhere = StdDatagram::bind_addr(&SocketAddr::from_abstract_name(name).unwrap()).unwrap();
        far.connect_addr(&elsewhere.local_addr().unwrap()).unwrap();
    };
    scene.watch(&near, all, turn_away).assert_exactly(all);
    assert_eq!(near.recv(&mut [0]).unwrap_err().kind(), ErrorKind::ConnectionReset);
}

#[test]
fn pipes_tell_their_readers_of_the_end_and_their_writers() {
    let scene = Scene::new();
    let (near, mut far) = std::io::pipe().unwrap();
    scene.watch(&near, "reader either", || far.write_all(b"x").unwrap()).assert_exactly("reader either");
    scene.watch(&near, "reader either", || drop(far)).assert_exactly("reader writer either urgent");
    for is_full in [false, true] {
        let (far, mut near) = std::io::pipe().unwrap();
        if is_full {
            scene::unblock(&near);
            while near.write(&[0; 4096]).is_ok() {}
        }
        let all = "reader writer either errors";
        scene.watch(&near, all, || drop(far)).assert_exactly(all);
    }
}
