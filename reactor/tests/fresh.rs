//! Sockets that have just come to be: what they claim, and what is tried all the same.

use std::future::{Future, poll_fn};
use std::io;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use wsrt_reactor::Interest;
use wsrt_reactor::net::{TcpListener, TcpSocket, TcpStream, UdpSocket};
use wsrt_reactor_testing::run;

const BOTH: [Interest; 2] = [Interest::READABLE, Interest::WRITABLE];

fn first_poll<F: Future>(future: F) -> Poll<F::Output> {
    pin!(future).poll(&mut Context::from_waker(Waker::noop()))
}

/// Neither direction counts as ready on its own account: nothing has been reported yet, for the netpoller has had no turn.
macro_rules! assert_claims_nothing {
    ($socket:expr) => {
        assert!(first_poll($socket.readable()).is_pending());
        assert!(first_poll($socket.writable()).is_pending());
        for interest in BOTH {
            assert!(first_poll($socket.ready(interest)).is_pending(), "{interest:?}");
        }
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

async fn tcp_pair() -> io::Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let near = TcpStream::connect(listener.local_addr()?).await?;
    let (far, _) = listener.accept().await?;
    Ok((near, far))
}

/// The system connects within one machine while it is asked to. That is why a connecting socket is tried at once: to wait for
/// the event would be a turn of the netpoller for each such connection, which costs more than two system calls.
#[cfg(target_os = "linux")]
#[test]
fn a_connection_within_the_machine_needs_no_turn_of_the_netpoller() {
    run(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        assert!(first_poll(TcpStream::connect(address)).is_ready());
        let socket = TcpSocket::new_v4()?;
        assert!(first_poll(socket.connect(address)).is_ready());
        io::Result::Ok(())
    })
    .unwrap();
}

#[test]
fn a_fresh_tcp_stream_claims_nothing() {
    run(async {
        let (near, far) = tcp_pair().await?;
        assert_claims_nothing!(far);
        assert_tells_the_truth!(far, assert_eq!(near.try_write(b"hello")?, 5));
        let (near, far) = tcp_pair().await?;
        assert!(first_poll(near.readable()).is_pending());
        assert_tells_the_truth!(near, assert_eq!(far.try_write(b"hello")?, 5));
        io::Result::Ok(())
    })
    .unwrap();
}

#[test]
fn what_a_fresh_tcp_stream_has_is_read_at_once() {
    run(async {
        let (near, mut far) = tcp_pair().await?;
        assert_eq!(near.try_write(b"hello")?, 5);
        let mut buf = [0; 16];
        assert!(matches!(first_poll(far.read(&mut buf)), Poll::Ready(Ok(5))));
        assert!(matches!(first_poll(far.write(b"and you")), Poll::Ready(Ok(7))));
        let (near, far) = tcp_pair().await?;
        assert_eq!(near.try_write(b"hello")?, 5);
        assert_eq!(far.try_read(&mut buf)?, 5, "a try is a try");
        io::Result::Ok(())
    })
    .unwrap();
}

#[test]
fn what_a_fresh_listener_has_is_accepted_at_once() {
    run(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let _near = TcpStream::connect(listener.local_addr()?).await?;
        assert!(first_poll(listener.accept()).is_ready());
        io::Result::Ok(())
    })
    .unwrap();
}

/// Code from tokio waits until a stream that is still connecting is writable.
#[test]
fn a_stream_that_is_still_connecting_does_not_count_as_writable() {
    run(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None)?;
        socket.set_nonblocking(true)?;
        let _ = socket.connect(&listener.local_addr()?.into());
        let stream = TcpStream::from_std(socket.into())?;
        assert!(first_poll(stream.writable()).is_pending());
        stream.writable().await?;
        assert!(stream.take_error()?.is_none() && stream.peer_addr().is_ok());
        io::Result::Ok(())
    })
    .unwrap();
}

#[test]
fn a_fresh_udp_socket_claims_nothing_and_is_tried() {
    run(async {
        let far = UdpSocket::bind("127.0.0.1:0").await?;
        let near = UdpSocket::bind("127.0.0.1:0").await?;
        let address = far.local_addr()?;
        assert_claims_nothing!(far);
        let mut cx = Context::from_waker(Waker::noop());
        assert!(far.poll_recv_ready(&mut cx).is_pending() && far.poll_send_ready(&mut cx).is_pending());
        assert!(matches!(first_poll(near.send_to(b"hello", address)), Poll::Ready(Ok(5))));
        assert!(matches!(first_poll(far.recv(&mut [0; 16])), Poll::Ready(Ok(5))));
        let far = UdpSocket::bind("127.0.0.1:0").await?;
        let address = far.local_addr()?;
        assert_tells_the_truth!(far, assert_eq!(near.try_send_to(b"hello", address)?, 5));
        io::Result::Ok(())
    })
    .unwrap();
}

#[cfg(unix)]
mod unix {
    use super::*;
    use wsrt_reactor::net::{UnixDatagram, UnixListener, UnixStream};

    #[test]
    fn a_fresh_pair_of_unix_streams_claims_nothing_and_is_tried() {
        run(async {
            let (near, far) = UnixStream::pair()?;
            assert_claims_nothing!(near);
            poll_fn(|cx| {
                assert!(near.poll_read_ready(cx).is_pending() && near.poll_write_ready(cx).is_pending());
                Poll::Ready(())
            })
            .await;
            assert_tells_the_truth!(near, assert_eq!(far.try_write(b"hello")?, 5));
            let (mut near, mut far) = UnixStream::pair()?;
            assert!(matches!(first_poll(near.write(b"hello")), Poll::Ready(Ok(5))));
            assert!(matches!(first_poll(far.read(&mut [0; 16])), Poll::Ready(Ok(5))));
            io::Result::Ok(())
        })
        .unwrap();
    }

    #[test]
    fn fresh_unix_streams_with_an_address_claim_nothing_and_are_tried() {
        let path = std::env::temp_dir().join(format!("wsrt-fresh-{}", std::process::id()));
        let outcome = run(async {
            let listener = UnixListener::bind(&path)?;
            let (near, (far, _)) = (UnixStream::connect(&path).await?, listener.accept().await?);
            assert_claims_nothing!(far);
            assert!(first_poll(near.readable()).is_pending());
            assert_tells_the_truth!(far, assert_eq!(near.try_write(b"hello")?, 5));
            let (near, (mut far, _)) = (UnixStream::connect(&path).await?, listener.accept().await?);
            assert_eq!(near.try_write(b"hello")?, 5);
            assert!(matches!(first_poll(far.read(&mut [0; 16])), Poll::Ready(Ok(5))));
            assert_tells_the_truth!(near, assert_eq!(far.try_write(b"hello")?, 5));
            io::Result::Ok(())
        });
        let _ = std::fs::remove_file(&path);
        outcome.unwrap();
    }

    #[test]
    fn fresh_unix_datagram_sockets_claim_nothing_and_are_tried() {
        run(async {
            let (near, far) = UnixDatagram::pair()?;
            assert_claims_nothing!(near);
            assert_tells_the_truth!(near, assert_eq!(far.try_send(b"hello")?, 5));
            let (near, far) = UnixDatagram::pair()?;
            assert!(matches!(first_poll(near.send(b"hello")), Poll::Ready(Ok(5))));
            assert!(matches!(first_poll(far.recv(&mut [0; 16])), Poll::Ready(Ok(5))));
            io::Result::Ok(())
        })
        .unwrap();
    }

    #[test]
    fn fresh_pipes_claim_nothing() {
        run(async {
            let (sender, receiver) = wsrt_reactor::net::unix::pipe::pipe()?;
            assert!(first_poll(receiver.readable()).is_pending());
            assert!(first_poll(sender.writable()).is_pending());
            sender.writable().await?;
            assert!(first_poll(receiver.readable()).is_pending());
            assert_eq!(sender.try_write(b"hello")?, 5);
            receiver.readable().await?;
            io::Result::Ok(())
        })
        .unwrap();
    }
}
