//! Sockets that a program binds by std, and hands over or uses by its own calls, are those of its
//! host.

use std::io::{self, ErrorKind};
use std::net::{self, SocketAddr};
use std::os::fd::AsRawFd;
use std::ptr::{null, null_mut};
use std::time::Duration;

use wsrt::net::{TcpListener, TcpStream, UdpSocket};
use wsrt::sim;
use wsrt::time::{sleep, timeout};

use super::network::{ask, connect, echo_by, kind};

const MILLI: Duration = Duration::from_millis(1);

/// Two hosts listen at one port, each at its own address, which the system does not have.
#[test]
fn hosts_listen_by_std_at_addresses_of_their_own() {
    let run = |seed| {
        sim::run(seed, |sim| async move {
            for (name, own) in [("one", "10.0.0.2:7"), ("two", "10.0.0.3:7")] {
                sim.host(name, move || async move {
                    let bound = net::TcpListener::bind(own)?;
                    assert_eq!(bound.local_addr()?, own.parse().expect("an address"));
                    // By another of its descriptors.
                    let listener = TcpListener::from_std(bound.try_clone()?)?;
                    assert_eq!(listener.local_addr()?, bound.local_addr()?);
                    echo_by(listener).await
                });
            }
            for (name, ip) in [("one:7", "10.0.0.2"), ("two:7", "10.0.0.3")] {
                let mut stream = connect(name).await;
                assert_eq!(stream.peer_addr().expect("it is connected").ip().to_string(), ip);
                assert_eq!(ask(&mut stream, name).await.expect("it answers"), name);
            }
            sim.record()
        })
    };
    for seed in 0..20 {
        assert_eq!(run(seed), run(seed), "seed {seed}");
    }
}

#[test]
fn an_address_is_taken_until_its_socket_is_closed() {
    sim::run(1, |_| async {
        let by_std = |at: SocketAddr| net::TcpListener::bind(at);
        let bound = by_std(([0; 4], 0).into()).expect("a port is free");
        let at = bound.local_addr().expect("it is bound");
        assert!(at.port() >= 49_152, "a port of the host's: {at}");
        assert_eq!(kind(by_std(at)), Some(ErrorKind::AddrInUse));
        assert_eq!(kind(TcpListener::bind(at).await), Some(ErrorKind::AddrInUse));
        assert_eq!(kind(by_std(([93, 184, 215, 14], 80).into())), Some(ErrorKind::AddrNotAvailable));
        drop(bound);
        let listener = TcpListener::from_std(by_std(at).expect("it is free again")).expect("it is the host's");
        assert_eq!(kind(by_std(at)), Some(ErrorKind::AddrInUse));
        drop(listener);
        TcpListener::bind(at).await.expect("it is free again");
    });
}

#[test]
fn connections_wait_for_a_listener_to_be_handed_over() {
    sim::run(1, |_| async {
        let bound = net::TcpListener::bind("127.0.0.1:7").expect("it is free");
        let mut early = connect("127.0.0.1:7").await;
        let listener = TcpListener::from_std(bound).expect("it is the host's");
        wsrt::spawn(echo_by(listener));
        assert_eq!(ask(&mut early, "hello").await.expect("it answers"), "hello");
        let closed = net::TcpListener::bind("127.0.0.1:8").expect("it is free");
        drop(closed);
        assert_eq!(kind(TcpStream::connect("127.0.0.1:8").await), Some(ErrorKind::ConnectionRefused));
    });
}

#[test]
fn a_crash_takes_the_sockets_that_std_has_bound() {
    sim::run(1, |sim| async move {
        sim.host("server", async || {
            let bound = net::TcpListener::bind("0.0.0.0:7")?;
            let datagrams = net::UdpSocket::bind("0.0.0.0:7")?;
            let listener = TcpListener::from_std(bound)?;
            echo_by(listener).await.and(datagrams.local_addr().map(drop))
        });
        for _ in 0..3 {
            let mut stream = connect("server:7").await;
            assert_eq!(ask(&mut stream, "hello").await.expect("it answers"), "hello");
            sim.crash("server");
            sleep(MILLI).await;
            sim.restart("server");
        }
    });
}

/// By socket2, whose sockets have more options than the runtime's.
#[test]
fn a_socket_that_is_bound_may_listen_or_connect_later() {
    sim::run(1, |_| async {
        let bound = |at: SocketAddr| {
            let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None)?;
            socket.bind(&at.into())?;
            wsrt::net::TcpSocket::from_std(socket.into())
        };
        let at = SocketAddr::from(([127, 0, 0, 1], 7));
        let socket = bound(at).expect("it is free");
        assert_eq!(socket.local_addr().expect("it is bound"), at);
        assert_eq!(kind(TcpStream::connect(at).await), Some(ErrorKind::ConnectionRefused), "it does not listen");
        wsrt::spawn(echo_by(socket.listen(8).expect("it is free")));
        let from = SocketAddr::from(([127, 0, 0, 1], 9));
        let mut stream = bound(from).expect("it is free").connect(at).await.expect("it listens");
        assert_eq!(stream.local_addr().expect("it is connected"), from);
        assert_eq!(ask(&mut stream, "hello").await.expect("it answers"), "hello");
    });
}

#[test]
fn datagrams_go_by_sockets_that_std_has_bound() {
    sim::run(1, |sim| async move {
        sim.host("echo", async || {
            let socket = UdpSocket::from_std(net::UdpSocket::bind("0.0.0.0:9")?)?;
            let mut buf = [0; 64];
            loop {
                let (count, from) = socket.recv_from(&mut buf).await?;
                socket.send_to(&buf[..count], from).await?;
            }
            #[expect(unreachable_code, reason = "it names the type of the errors above")]
            io::Result::Ok(())
        });
        sleep(MILLI).await;
        let socket = net::UdpSocket::bind("0.0.0.0:0").expect("a port is free");
        socket.connect("10.0.0.2:9").expect("there is a host");
        assert_eq!(socket.peer_addr().expect("it is connected"), SocketAddr::from(([10, 0, 0, 2], 9)));
        let socket = UdpSocket::from_std(socket).expect("it is the host's");
        socket.send(b"hello").await.expect("it is sent");
        let mut buf = [0; 64];
        let count = timeout(100 * MILLI, socket.recv(&mut buf)).await.expect("it comes back").expect("it is read");
        assert_eq!(&buf[..count], b"hello");
    });
}

/// A program may use the calls of std, and those on a descriptor, in place of the runtime's.
#[test]
fn datagrams_go_by_the_systems_calls() {
    sim::run(1, |_| async {
        let one = net::UdpSocket::bind("127.0.0.1:0").expect("a port is free");
        let other = UdpSocket::bind("127.0.0.1:0").await.expect("a port is free");
        let (of_one, of_other) = (one.local_addr().expect("it is bound"), other.local_addr().expect("it is bound"));
        let mut buf = [0; 64];
        assert_eq!(kind(one.recv_from(&mut buf)), Some(ErrorKind::WouldBlock), "no call waits");

        assert_eq!(one.send_to(b"to you", of_other).expect("it is sent"), 6);
        other.readable().await.expect("the runtime is there");
        let by_descriptor = socket2::SockRef::from(&other);
        assert_eq!(by_descriptor.local_addr().expect("it is bound").as_socket(), Some(of_other));
        let mut room = [std::mem::MaybeUninit::uninit(); 3];
        let (count, from) = by_descriptor.peek_from(&mut room).expect("it is there");
        assert_eq!((count, from.as_socket()), (3, Some(of_one)));
        assert_eq!(other.try_recv_from(&mut buf).expect("it is still there"), (6, of_one));
        assert_eq!(&buf[..6], b"to you");

        let pieces = [io::IoSlice::new(b"and "), io::IoSlice::new(b"back")];
        assert_eq!(by_descriptor.send_to_vectored(&pieces, &of_one.into()).expect("it is sent"), 8);
        sleep(MILLI).await;
        one.connect(of_other).expect("it is there");
        assert_eq!(one.recv(&mut buf).expect("it has come"), 8);
        assert_eq!(&buf[..8], b"and back");
        assert_eq!(one.send(b"bye").expect("it is sent"), 3);
        sleep(MILLI).await;
        assert_eq!(other.try_recv_from(&mut buf).expect("it has come"), (3, of_one));
        let error = one.send_to(&[0; 65_508], of_other).expect_err("it is too long");
        assert_eq!(error.raw_os_error(), Some(libc::EMSGSIZE));
    });
}

/// Sends `bytes` to the peer, cut into datagrams of this length, as quinn-udp asks the system to.
fn send_in_segments(socket: &net::UdpSocket, bytes: &[u8], length: u16) -> isize {
    let mut piece = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
    let mut control = [0_u64; 4];
    // SAFETY: all of it may be zero: numbers, and pointers that may be null.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    (message.msg_iov, message.msg_iovlen) = (&raw mut piece, 1);
    // SAFETY: it computes a length.
    let room = unsafe { libc::CMSG_SPACE(2) };
    (message.msg_control, message.msg_controllen) = (control.as_mut_ptr().cast(), room as usize);
    // SAFETY: it computes an address in the room.
    let header = unsafe { libc::CMSG_FIRSTHDR(&raw const message) };
    // SAFETY: the room for one is there, and is aligned.
    let header = unsafe { &mut *header };
    (header.cmsg_level, header.cmsg_type) = (libc::SOL_UDP, libc::UDP_SEGMENT);
    // SAFETY: it computes a length.
    header.cmsg_len = unsafe { libc::CMSG_LEN(2) } as usize;
    // SAFETY: it computes an address behind the header.
    let data = unsafe { libc::CMSG_DATA(header) };
    // SAFETY: there is room for two bytes.
    unsafe { data.cast::<u16>().write_unaligned(length) };
    // SAFETY: the message refers to what lives until the end of the call.
    unsafe { libc::sendmsg(socket.as_raw_fd(), &raw const message, 0) }
}

/// Receives as many datagrams as there are, up to eight, in one call.
fn receive_many(socket: &net::UdpSocket) -> Vec<Vec<u8>> {
    let mut rooms = [[0_u8; 16]; 8];
    let mut pieces = rooms.each_mut().map(|room| libc::iovec { iov_base: room.as_mut_ptr().cast(), iov_len: 16 });
    // SAFETY: all of them may be zero: numbers, and pointers that may be null.
    let mut messages: [libc::mmsghdr; 8] = unsafe { std::mem::zeroed() };
    for (message, piece) in messages.iter_mut().zip(&mut pieces) {
        (message.msg_hdr.msg_iov, message.msg_hdr.msg_iovlen) = (piece, 1);
    }
    // SAFETY: the messages refer to rooms that live until the end of the call.
    let count = unsafe { libc::recvmmsg(socket.as_raw_fd(), messages.as_mut_ptr(), 8, 0, std::ptr::null_mut()) };
    let lengths = messages[..usize::try_from(count).expect("some have come")].iter().map(|message| message.msg_len);
    lengths.zip(rooms).map(|(length, room)| room[..length as usize].to_vec()).collect()
}

#[test]
fn one_call_sends_or_receives_many_datagrams() {
    sim::run(1, |_| async {
        let one = net::UdpSocket::bind("127.0.0.1:0").expect("a port is free");
        let other = net::UdpSocket::bind("127.0.0.1:0").expect("a port is free");
        one.connect(other.local_addr().expect("it is bound")).expect("it is there");
        assert_eq!(send_in_segments(&one, b"abcdefghijk", 4), 11);
        sleep(MILLI).await;
        let mut came = receive_many(&other);
        came.sort();
        assert_eq!(came, [b"abcd".to_vec(), b"efgh".to_vec(), b"ijk".to_vec()]);
        assert_eq!(kind(other.recv(&mut [0; 4])), Some(ErrorKind::WouldBlock), "they have come once");
    });
}

#[test]
fn full_buffers_take_a_cut_up_message_whole() {
    for seed in 0..10 {
        sim::run(seed, |sim| async move {
            sim.host("node", || async {
                let one = net::UdpSocket::bind("127.0.0.1:0")?;
                let other = UdpSocket::bind("127.0.0.1:0").await?;
                one.connect(other.local_addr()?)?;
                sleep(100 * MILLI).await;
                while send_in_segments(&one, b"abcdefghijk", 4) == -1 {
                    assert_eq!(io::Error::last_os_error().kind(), ErrorKind::WouldBlock);
                    sleep(MILLI).await;
                }
                let mut came = Vec::new();
                for _ in 0..3 {
                    let mut buf = [0; 8];
                    let count = timeout(1_000 * MILLI, other.recv(&mut buf)).await.expect("it is sent whole")?;
                    came.push(buf[..count].to_vec());
                }
                came.sort();
                assert_eq!(came, [b"abcd".to_vec(), b"efgh".to_vec(), b"ijk".to_vec()]);
                io::Result::Ok(())
            });
            sim.fill_buffers("node");
            sleep(5_000 * MILLI).await;
        });
    }
}

#[test]
fn sockets_of_other_threads_are_the_systems() {
    let elsewhere = || net::TcpListener::bind("127.0.0.1:0").expect("the system has a port");
    sim::run(1, |_| async move {
        let foreign = std::thread::spawn(elsewhere).join().expect("it does not panic");
        let at = foreign.local_addr().expect("it is bound");
        assert_eq!(kind(TcpStream::connect(at).await), Some(ErrorKind::ConnectionRefused), "it is of no host");
        assert_eq!(kind(TcpListener::from_std(foreign)), Some(ErrorKind::Unsupported));
    });
    let here = elsewhere();
    let at = here.local_addr().expect("it is bound");
    let stream = net::TcpStream::connect(at).expect("it is the system's");
    assert_eq!(stream.local_addr().expect("it is connected"), here.accept().expect("it has come").1);
}

/// It would wait for the system's network, and the simulation with it.
#[test]
fn a_stream_of_stds_connects_to_nothing() {
    let listener = net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let of_system = listener.local_addr().expect("it is bound");
    sim::run(1, move |sim| async move {
        sim.host("server", || async { echo_by(TcpListener::bind("0.0.0.0:7").await?).await });
        drop(connect("server:7").await);
        for at in [of_system, ([10, 0, 0, 2], 7).into()] {
            assert_eq!(kind(net::TcpStream::connect(at)), Some(ErrorKind::Unsupported), "{at}");
            let timed = net::TcpStream::connect_timeout(&at, MILLI);
            assert_eq!(kind(timed), Some(ErrorKind::Unsupported), "{at}");
        }
    });
    net::TcpStream::connect(of_system).expect("outside simulations it is the system's");
}

/// C programs send and receive nothing at no address, and fill messages with such pieces.
#[test]
fn datagrams_of_no_bytes_need_no_address() {
    sim::run(1, |_| async {
        let one = net::UdpSocket::bind("127.0.0.1:7").expect("it is free");
        let other = net::UdpSocket::bind("127.0.0.1:8").expect("it is free");
        one.connect("127.0.0.1:8").expect("it is the host's");
        // SAFETY: no bytes are asked for.
        assert_eq!(unsafe { libc::send(one.as_raw_fd(), null(), 0, 0) }, 0);
        let mut word = *b"word";
        let empty = || libc::iovec { iov_base: null_mut(), iov_len: 0 };
        let mut pieces = [empty(), libc::iovec { iov_base: word.as_mut_ptr().cast(), iov_len: 4 }, empty()];
        // SAFETY: all of it may be zero: numbers, and pointers that may be null.
        let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
        (message.msg_iov, message.msg_iovlen) = (pieces.as_mut_ptr(), pieces.len());
        // SAFETY: the message has its pieces, of which one has bytes.
        assert_eq!(unsafe { libc::sendmsg(one.as_raw_fd(), &raw const message, 0) }, 4);
        sleep(MILLI).await;
        // SAFETY: no room is asked for.
        assert_eq!(unsafe { libc::recv(other.as_raw_fd(), null_mut(), 0, 0) }, 0);
        word = *b"____";
        // SAFETY: as above.
        assert_eq!(unsafe { libc::recvmsg(other.as_raw_fd(), &raw mut message, 0) }, 4);
        assert_eq!(&word, b"word");
    });
}
