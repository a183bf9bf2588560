//! New sockets: the readiness that they report, and the operations that are tried all the same.

use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use wsrt_reactor::net::{TcpListener, TcpSocket, TcpStream, UdpSocket};
use wsrt_reactor::{Interest, Netpoller, context};
use wsrt_reactor_testing::{Directory, ThreadPerJob, run};

fn first_poll<F: Future>(future: F) -> Poll<F::Output> {
    pin!(future).poll(&mut Context::from_waker(Waker::noop()))
}

/// The output of a future at its first poll.
fn at_once<T>(future: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    match first_poll(future) {
        Poll::Ready(outcome) => outcome,
        Poll::Pending => panic!("it waits for an event"),
    }
}

/// Runs `test` inside a runtime whose netpoller has no turn: nothing is ever reported.
fn without_a_turn(test: impl FnOnce() -> io::Result<()>) {
    let netpoller = Netpoller::new().unwrap();
    let _entered =
        context::enter(Some(context::ReactorContext::new(netpoller.handle().clone(), Arc::new(ThreadPerJob))));
    test().unwrap();
}

macro_rules! assert_claims_nothing {
    ($socket:expr) => {
        assert!(first_poll($socket.readable()).is_pending());
        assert!(first_poll($socket.writable()).is_pending());
        for interest in [Interest::READABLE, Interest::WRITABLE, Interest::READABLE | Interest::WRITABLE] {
            assert!(first_poll($socket.ready(interest)).is_pending(), "{interest:?}");
        }
    };
}

/// It is taken for ready until a transfer finds otherwise. Its registration brings one event
/// (writable), and a transfer during which that event arrives takes nothing back: the second does.
macro_rules! assert_is_assumed_ready {
    ($socket:expr) => {
        let ready = at_once($socket.ready(Interest::READABLE | Interest::WRITABLE))?;
        assert!(ready.is_readable() && ready.is_writable(), "{ready:?}");
        let refused = || $socket.try_read(&mut [0; 1]).unwrap_err().kind();
        assert_eq!(refused(), io::ErrorKind::WouldBlock);
        if first_poll($socket.readable()).is_ready() {
            assert_eq!(refused(), io::ErrorKind::WouldBlock);
        }
        assert!(first_poll($socket.readable()).is_pending());
        at_once($socket.writable())?;
    };
}

/// It is found writable and not readable, and readable once something has come.
macro_rules! assert_tells_the_truth {
    ($socket:expr, $send:expr) => {
        let socket = &$socket;
        let ready = socket.ready(Interest::READABLE | Interest::WRITABLE).await?;
        assert!(ready.is_writable() && !ready.is_readable(), "{ready:?}");
        assert!(first_poll(socket.readable()).is_pending());
        $send;
        socket.readable().await?;
        assert!(socket.ready(Interest::READABLE).await?.is_readable());
    };
}

fn standard_pair() -> io::Result<(std::net::TcpStream, std::net::TcpStream)> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    let near = std::net::TcpStream::connect(listener.local_addr()?)?;
    let (far, _) = listener.accept()?;
    Ok((near, far))
}

/// The system connects within one machine while it is asked to. That is why a connecting socket is
/// tried at once: to wait for the event would be a turn of the netpoller for each such connection,
/// which costs more than two system calls.
#[cfg(target_os = "linux")]
#[test]
fn a_local_connection_needs_no_turn_of_the_netpoller() {
    without_a_turn(|| {
        let listener = at_once(TcpListener::bind("127.0.0.1:0"))?;
        let address = listener.local_addr()?;
        let near = at_once(TcpStream::connect(address))?;
        assert!(first_poll(near.readable()).is_pending());
        at_once(TcpSocket::new_v4()?.connect(address))?;
        Ok(())
    });
}

#[test]
fn a_fresh_tcp_stream_claims_nothing_and_is_tried() {
    without_a_turn(|| {
        let (near, far) = standard_pair()?;
        let (mut near, mut far) = (TcpStream::from_std(near)?, TcpStream::from_std(far)?);
        assert_claims_nothing!(near);
        let mut buf = [0; 16];
        assert_eq!(at_once(near.write(b"hello"))?, 5);
        assert_eq!(at_once(far.read(&mut buf))?, 5);
        assert_eq!(far.try_write(b"and you")?, 7);
        assert_eq!(near.try_read(&mut buf)?, 7, "a try is a try");
        Ok(())
    });
}

#[test]
fn connected_and_accepted_tcp_streams_tell_the_truth() {
    run(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        for _ in 0..2 {
            let near = TcpStream::connect(listener.local_addr()?).await?;
            let (far, _) = listener.accept().await?;
            assert_is_assumed_ready!(far);
            assert_tells_the_truth!(near, assert_eq!(far.try_write(b"hello")?, 5));
            assert_tells_the_truth!(far, assert_eq!(near.try_write(b"hello")?, 5));
        }
        io::Result::Ok(())
    })
    .unwrap();
}

#[test]
fn a_fresh_listener_accepts_and_its_streams_need_no_event() {
    without_a_turn(|| {
        let listener = at_once(TcpListener::bind("127.0.0.1:0"))?;
        let _near = std::net::TcpStream::connect(listener.local_addr()?)?;
        let (far, _) = at_once(listener.accept())?;
        assert_is_assumed_ready!(far);
        Ok(())
    });
}

/// Code from tokio waits until a stream that is still connecting is writable.
#[test]
fn a_connecting_stream_does_not_count_as_writable() {
    let connecting = |listener: &std::net::TcpListener| {
        let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None)?;
        socket.set_nonblocking(true)?;
        // Whatever the system answers: that it continues, for one.
        let _ = socket.connect(&listener.local_addr()?.into());
        TcpStream::from_std(socket.into())
    };
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    without_a_turn(|| {
        assert!(first_poll(connecting(&listener)?.writable()).is_pending());
        Ok(())
    });
    run(async {
        let stream = connecting(&listener)?;
        stream.writable().await?;
        assert!(stream.take_error()?.is_none() && stream.peer_addr().is_ok());
        io::Result::Ok(())
    })
    .unwrap();
}

#[test]
fn a_fresh_udp_socket_claims_nothing_and_is_tried() {
    without_a_turn(|| {
        let (near, far) = (at_once(UdpSocket::bind("127.0.0.1:0"))?, at_once(UdpSocket::bind("127.0.0.1:0"))?);
        let address = far.local_addr()?;
        assert_claims_nothing!(far);
        let mut cx = Context::from_waker(Waker::noop());
        assert!(far.poll_recv_ready(&mut cx).is_pending() && far.poll_send_ready(&mut cx).is_pending());
        assert_eq!(at_once(near.send_to(b"hello", address))?, 5);
        assert_eq!(at_once(far.recv(&mut [0; 16]))?, 5);
        Ok(())
    });
    run(async {
        let (near, far) = (UdpSocket::bind("127.0.0.1:0").await?, UdpSocket::bind("127.0.0.1:0").await?);
        let address = far.local_addr()?;
        assert_tells_the_truth!(far, assert_eq!(near.try_send_to(b"hello", address)?, 5));
        io::Result::Ok(())
    })
    .unwrap();
}

#[cfg(unix)]
mod unix {
    use super::*;
    use wsrt_reactor::net::unix::pipe::pipe;
    use wsrt_reactor::net::{UnixDatagram, UnixListener, UnixStream};

    #[test]
    fn a_fresh_unix_pair_is_writable_and_is_tried() {
        without_a_turn(|| {
            let (mut near, mut far) = UnixStream::pair()?;
            let mut cx = Context::from_waker(Waker::noop());
            assert!(near.poll_read_ready(&mut cx).is_pending() && near.poll_write_ready(&mut cx).is_ready());
            assert_eq!(at_once(near.write(b"hello"))?, 5);
            assert_eq!(at_once(far.read(&mut [0; 16]))?, 5);
            Ok(())
        });
        run(async {
            let (near, far) = UnixStream::pair()?;
            assert_tells_the_truth!(near, assert_eq!(far.try_write(b"hello")?, 5));
            io::Result::Ok(())
        })
        .unwrap();
    }

    #[test]
    fn accepted_unix_streams_need_no_event() {
        let directory = Directory::new();
        let path = directory.path("socket");
        without_a_turn(|| {
            let listener = UnixListener::bind(&path)?;
            let near = at_once(UnixStream::connect(&path))?;
            let (mut far, _) = at_once(listener.accept())?;
            assert!(first_poll(near.readable()).is_pending());
            assert_eq!(near.try_write(b"hello")?, 5);
            at_once(far.readable())?;
            assert_eq!(at_once(far.read(&mut [0; 16]))?, 5);
            std::fs::remove_file(&path)
        });
        run(async {
            let listener = UnixListener::bind(&path)?;
            let (near, (far, _)) = (UnixStream::connect(&path).await?, listener.accept().await?);
            assert_is_assumed_ready!(far);
            assert_tells_the_truth!(far, assert_eq!(near.try_write(b"hello")?, 5));
            assert_tells_the_truth!(near, assert_eq!(far.try_write(b"hello")?, 5));
            std::fs::remove_file(&path)
        })
        .unwrap();
    }

    #[test]
    fn fresh_unix_datagram_pairs_are_writable_and_are_tried() {
        without_a_turn(|| {
            let (near, far) = UnixDatagram::pair()?;
            assert!(first_poll(near.readable()).is_pending());
            at_once(near.writable())?;
            assert_eq!(at_once(near.send(b"hello"))?, 5);
            assert_eq!(at_once(far.recv(&mut [0; 16]))?, 5);
            Ok(())
        });
        run(async {
            let (near, far) = UnixDatagram::pair()?;
            assert_tells_the_truth!(near, assert_eq!(far.try_send(b"hello")?, 5));
            io::Result::Ok(())
        })
        .unwrap();
    }

    #[test]
    fn fresh_pipes_claim_nothing() {
        without_a_turn(|| {
            let (sender, receiver) = pipe()?;
            assert!(first_poll(receiver.readable()).is_pending());
            assert!(first_poll(sender.writable()).is_pending());
            Ok(())
        });
        run(async {
            let (sender, receiver) = pipe()?;
            sender.writable().await?;
            assert!(first_poll(receiver.readable()).is_pending());
            assert_eq!(sender.try_write(b"hello")?, 5);
            receiver.readable().await
        })
        .unwrap();
    }
}
