//! UDP: datagrams stay whole, reach their receiver, and wake every waiting task.

use bytes::BytesMut;
use std::future::poll_fn;
use std::io::{self, ErrorKind};
use std::mem::MaybeUninit;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket as StdSocket};
use std::sync::mpsc;
use std::task::{Context, Poll, Waker};
use std::thread;
use tokio::io::ReadBuf;
use wsrt_reactor::Interest;
use wsrt_reactor::net::UdpSocket;
use wsrt_reactor_testing::{Runtime, block_on, run};

async fn bound() -> UdpSocket {
    UdpSocket::bind("127.0.0.1:0").await.unwrap()
}

fn address(socket: &UdpSocket) -> SocketAddr {
    socket.local_addr().unwrap()
}

#[test]
fn a_datagram_arrives_whole_and_once_by_any_method() {
    run(async {
        let (near, far) = (bound().await, bound().await);
        near.connect(address(&far)).await.unwrap();
        far.connect(address(&near)).await.unwrap();
        assert_eq!(near.peer_addr().unwrap(), address(&far));
        let mut buf = [0; 16];

        assert_eq!(near.send(b"one").await.unwrap(), 3);
        assert_eq!(far.recv(&mut buf).await.unwrap(), 3);
        assert_eq!(&buf[..3], b"one");

        assert_eq!(near.try_send(b"two").unwrap(), 3);
        assert_eq!(far.recv_from(&mut buf).await.unwrap(), (3, address(&near)));

        assert_eq!(poll_fn(|cx| near.poll_send(cx, b"three")).await.unwrap(), 5);
        let mut room = ReadBuf::new(&mut buf);
        room.put_slice(b"it is ");
        poll_fn(|cx| far.poll_recv(cx, &mut room)).await.unwrap();
        assert_eq!(room.filled(), b"it is three");

        assert_eq!(poll_fn(|cx| near.poll_send_to(cx, b"four", address(&far))).await.unwrap(), 4);
        let mut room = ReadBuf::new(&mut buf);
        let from = poll_fn(|cx| far.poll_recv_from(cx, &mut room)).await.unwrap();
        assert_eq!((room.filled(), from), (&b"four"[..], address(&near)));

        near.send(b"bare").await.unwrap();
        let mut memory = [const { MaybeUninit::uninit() }; 16];
        let mut rest = &mut memory[..];
        poll_fn(|cx| far.poll_recv(cx, &mut rest)).await.unwrap();
        assert_eq!(rest.len(), 12, "it begins behind the datagram");

        let mut grown = BytesMut::with_capacity(64);
        near.send(b"five ").await.unwrap();
        assert_eq!(far.recv_buf(&mut grown).await.unwrap(), 5);
        near.send(b"six").await.unwrap();
        assert_eq!(far.recv_buf_from(&mut grown).await.unwrap(), (3, address(&near)));
        assert_eq!(&grown[..], b"five six");

        assert_eq!(far.try_recv(&mut buf).unwrap_err().kind(), ErrorKind::WouldBlock);
        assert_eq!(far.try_recv_buf(&mut grown).unwrap_err().kind(), ErrorKind::WouldBlock);
        near.send(b"").await.unwrap();
        assert_eq!(far.recv(&mut buf).await.unwrap(), 0, "an empty datagram is one");
    });
}

#[test]
fn what_was_peeked_at_is_still_there() {
    run(async {
        let (near, far) = (bound().await, bound().await);
        near.send_to(b"look", address(&far)).await.unwrap();
        let mut buf = [0; 16];
        assert_eq!(far.peek(&mut buf).await.unwrap(), 4);
        assert_eq!(far.peek_from(&mut buf).await.unwrap(), (4, address(&near)));
        assert_eq!(far.peek_sender().await.unwrap(), address(&near));
        assert_eq!(far.try_peek(&mut buf).unwrap(), 4);
        assert_eq!(far.try_peek_from(&mut buf).unwrap(), (4, address(&near)));
        assert_eq!(far.try_peek_sender().unwrap(), address(&near));
        assert_eq!(poll_fn(|cx| far.poll_peek_sender(cx)).await.unwrap(), address(&near));
        let mut room = ReadBuf::new(&mut buf);
        poll_fn(|cx| far.poll_peek(cx, &mut room)).await.unwrap();
        assert_eq!(room.filled().len(), 4);
        assert_eq!(far.recv_from(&mut buf).await.unwrap(), (4, address(&near)));
        assert_eq!(far.try_peek_sender().unwrap_err().kind(), ErrorKind::WouldBlock);
    });
}

#[test]
fn a_datagrams_excess_is_cut_off_and_the_next_intact() {
    run(async {
        let (near, far) = (bound().await, bound().await);
        near.send_to(b"too long", address(&far)).await.unwrap();
        near.send_to(b"ok", address(&far)).await.unwrap();
        let mut buf = [0; 3];
        assert_eq!(far.recv(&mut buf).await.unwrap(), 3);
        assert_eq!(&buf, b"too");
        assert_eq!(far.recv(&mut buf).await.unwrap(), 2);
        assert_eq!(&buf[..2], b"ok");
    });
}

#[test]
fn any_number_of_tasks_wait_and_each_gets_a_datagram() {
    const WAITERS: usize = 8;
    let runtime = Runtime::new().unwrap();
    let socket = runtime.block_on(bound());
    let sender = StdSocket::bind("127.0.0.1:0").unwrap();
    thread::scope(|scope| {
        let (waiting, all_wait) = mpsc::channel();
        let waiters: Vec<_> = (0..WAITERS)
            .map(|index| {
                let (socket, waiting) = (&socket, waiting.clone());
                scope.spawn(move || {
                    let mut buf = [0; 8];
                    let mut announced = Some(waiting);
                    let mut announce = |is_pending| {
                        if let (true, Some(waiting)) = (is_pending, announced.take()) {
                            waiting.send(()).unwrap();
                        }
                    };
                    // Half of them wait as futures, half as polls through a shared reference.
                    if index % 2 == 0 {
                        let mut receiving = std::pin::pin!(socket.recv(&mut buf));
                        block_on(poll_fn(|cx| {
                            let answer = receiving.as_mut().poll(cx);
                            announce(answer.is_pending());
                            answer
                        }))
                        .unwrap()
                    } else {
                        let mut room = ReadBuf::new(&mut buf);
                        block_on(poll_fn(|cx| {
                            let answer = socket.poll_recv_from(cx, &mut room);
                            announce(answer.is_pending());
                            answer
                        }))
                        .unwrap();
                        room.filled().len()
                    }
                })
            })
            .collect();
        (0..WAITERS).for_each(|_| all_wait.recv().unwrap());
        for _ in 0..WAITERS {
            sender.send_to(b"x", address(&socket)).unwrap();
        }
        assert!(waiters.into_iter().all(|waiter| waiter.join().unwrap() == 1));
    });
}

#[test]
fn a_connected_socket_hears_its_peer_only() {
    run(async {
        let (near, far, third) = (bound().await, bound().await, bound().await);
        far.connect(address(&near)).await.unwrap();
        third.send_to(b"psst", address(&far)).await.unwrap();
        near.send_to(b"hello", address(&far)).await.unwrap();
        let mut buf = [0; 8];
        assert_eq!(far.recv_from(&mut buf).await.unwrap(), (5, address(&near)));
        assert_eq!(far.try_recv(&mut buf).unwrap_err().kind(), ErrorKind::WouldBlock);
    });
}

#[test]
fn addresses_of_the_sockets_own_family_are_preferred() {
    run(async {
        let (near, far) = (bound().await, bound().await);
        let port = address(&far).port();
        let of_both: [SocketAddr; 2] = [format!("[::1]:{port}").parse().unwrap(), address(&far)];
        near.send_to(b"list", of_both).await.unwrap();
        near.send_to(b"name", ("localhost", port)).await.unwrap();
        let mut buf = [0; 8];
        assert_eq!(far.recv(&mut buf).await.unwrap(), 4);
        assert_eq!(&buf[..4], b"list");
        assert_eq!(far.recv(&mut buf).await.unwrap(), 4);
        assert_eq!(&buf[..4], b"name");
        let none: &[SocketAddr] = &[];
        assert_eq!(near.send_to(b"", none).await.unwrap_err().kind(), ErrorKind::InvalidInput);
    });
}

#[test]
fn an_unreachable_port_is_an_error_the_socket_survives() {
    run(async {
        let near = bound().await;
        // On an address that no other test binds: another test could get the port first.
        let closed = StdSocket::bind("127.0.77.1:0").unwrap().local_addr().unwrap();
        near.connect(closed).await.unwrap();
        near.send(b"anybody?").await.unwrap();
        let error = near.recv(&mut [0; 8]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ConnectionRefused);

        let far = bound().await;
        near.connect(address(&far)).await.unwrap();
        near.send(b"hello").await.unwrap();
        assert_eq!(far.recv(&mut [0; 8]).await.unwrap(), 5);
    });
}

#[test]
fn binding_a_taken_port_is_the_systems_error() {
    run(async {
        let taken = address(&bound().await);
        let holder = StdSocket::bind(taken).unwrap();
        let error = UdpSocket::bind(taken).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AddrInUse);
        assert_eq!(error.raw_os_error(), StdSocket::bind(taken).unwrap_err().raw_os_error());
        drop(holder);
    });
}

#[test]
fn a_standard_socket_converts_both_ways() {
    run(async {
        let far = UdpSocket::from_std(StdSocket::bind("127.0.0.1:0").unwrap()).unwrap();
        let near = bound().await.into_std().unwrap();
        near.send_to(b"hello", address(&far)).unwrap();
        assert_eq!(far.recv(&mut [0; 8]).await.unwrap(), 5);
        assert_eq!(near.recv(&mut [0; 8]).unwrap_err().kind(), ErrorKind::WouldBlock, "still non-blocking");
        let far = UdpSocket::try_from(far.into_std().unwrap()).unwrap();
        near.send_to(b"again", address(&far)).unwrap();
        assert_eq!(far.recv(&mut [0; 8]).await.unwrap(), 5);
    });
}

#[test]
fn a_callers_own_operation_waits_as_the_sockets_do() {
    let runtime = Runtime::new().unwrap();
    let socket = runtime.block_on(bound());
    let receive = || socket2::SockRef::from(&socket).recv(&mut [std::mem::MaybeUninit::uninit(); 8]);
    let error = socket.try_io(Interest::READABLE, receive).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WouldBlock);
    thread::scope(|scope| {
        let waiting = scope.spawn(|| block_on(socket.async_io(Interest::READABLE, receive)));
        StdSocket::bind("127.0.0.1:0").unwrap().send_to(b"hello", address(&socket)).unwrap();
        assert_eq!(waiting.join().unwrap().unwrap(), 5);
    });
}

#[test]
fn readiness_is_reported_in_both_directions() {
    run(async {
        let (near, far) = (bound().await, bound().await);
        near.writable().await.unwrap();
        poll_fn(|cx| near.poll_send_ready(cx)).await.unwrap();
        assert!(near.ready(Interest::WRITABLE).await.unwrap().is_writable());
        let mut cx = Context::from_waker(Waker::noop());
        while far.poll_recv_ready(&mut cx).is_ready() {
            assert_eq!(far.try_recv(&mut []).unwrap_err().kind(), ErrorKind::WouldBlock);
        }
        near.send_to(b"x", address(&far)).await.unwrap();
        far.readable().await.unwrap();
        assert!(matches!(far.poll_recv_ready(&mut cx), Poll::Ready(Ok(()))));
    });
}

#[test]
fn options_are_those_of_the_system() {
    run(async {
        let socket = bound().await;
        assert!(!socket.broadcast().unwrap());
        socket.set_broadcast(true).unwrap();
        assert!(socket.broadcast().unwrap());
        socket.set_ttl(9).unwrap();
        assert_eq!(socket.ttl().unwrap(), 9);
        socket.set_multicast_ttl_v4(3).unwrap();
        assert_eq!(socket.multicast_ttl_v4().unwrap(), 3);
        socket.set_multicast_loop_v4(false).unwrap();
        assert!(!socket.multicast_loop_v4().unwrap());
        socket.set_tos_v4(0x20).unwrap();
        assert_eq!(socket.tos_v4().unwrap(), 0x20);
        socket.set_recv_buffer_size(40_000).unwrap();
        assert!(socket.recv_buffer_size().unwrap() >= 40_000);
        assert!(socket.take_error().unwrap().is_none());

        let socket = UdpSocket::bind("[::1]:0").await.unwrap();
        socket.set_multicast_loop_v6(false).unwrap();
        assert!(!socket.multicast_loop_v6().unwrap());
        socket.set_multicast_hops_v6(5).unwrap();
        assert_eq!(socket.multicast_hops_v6().unwrap(), 5);
    });
}

#[test]
fn a_multicast_group_is_heard_from_joining_to_leaving() {
    run(async {
        const GROUP: Ipv4Addr = Ipv4Addr::new(239, 255, 71, 3);
        let member = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        member.join_multicast_v4(GROUP, Ipv4Addr::LOCALHOST).unwrap();
        let sender = bound().await;
        sender.set_multicast_if_v4(Ipv4Addr::LOCALHOST).unwrap();
        assert_eq!(sender.multicast_if_v4().unwrap(), Ipv4Addr::LOCALHOST);
        sender.send_to(b"all", (GROUP, address(&member).port())).await.unwrap();
        let mut buf = [0; 8];
        assert_eq!(member.recv_from(&mut buf).await.unwrap(), (3, address(&sender)));
        member.leave_multicast_v4(GROUP, Ipv4Addr::LOCALHOST).unwrap();
        let error = member.leave_multicast_v4(GROUP, Ipv4Addr::LOCALHOST).unwrap_err();
        assert!(error.raw_os_error().is_some(), "it was left: {error}");
        let error = member.join_multicast_v4(Ipv4Addr::LOCALHOST, Ipv4Addr::LOCALHOST).unwrap_err();
        assert!(error.raw_os_error().is_some(), "no group: {error}");
    });
}

#[test]
fn after_shutdown_waiting_is_an_error() -> io::Result<()> {
    let runtime = Runtime::new()?;
    let socket = runtime.block_on(bound());
    runtime.shut_down();
    let error = block_on(socket.recv(&mut [0; 1])).unwrap_err();
    assert!(error.to_string().contains("shut down"), "{error}");
    Ok(())
}
