//! Sockets: neither bytes, datagrams, connections nor readiness are lost.

use std::io::{self, IoSlice, IoSliceMut};
use std::net::SocketAddr;
use std::time::Duration;

use wsrt::io::Interest;
use wsrt::net::{TcpListener, TcpStream, UdpSocket, lookup_host};
use wsrt::task::{JoinHandle, consume_budget};
use wsrt::test::cancel_at_each_await;
use wsrt::time::timeout;
use wsrt_tests::{listen, pair};

use crate::{calls_have_returned, later, occupy_blocking_thread, run};

const TEXT: &[u8] = b"a text in several pieces";

/// Two ends of a connection; a peer writes the text to the other one, and ends.
async fn connected() -> (TcpStream, Vec<u8>) {
    let (ours, mut theirs) = pair().await.expect("a connection");
    wsrt::spawn(async move {
        for piece in TEXT.chunks(5) {
            later().await;
            theirs.write_all(piece).await.expect("the reader is there");
        }
    });
    (ours, Vec::new())
}

/// Spends the budget of a poll, so that the next operation waits for another poll.
async fn spend_budget() {
    for _ in 0..128 {
        consume_budget().await;
    }
}

async fn read_rest((stream, bytes): &mut (TcpStream, Vec<u8>)) {
    stream.read_to_end(bytes).await.expect("the writer is there");
}

/// Checks that what was read and what is left are the text.
async fn check_text(mut state: (TcpStream, Vec<u8>)) {
    read_rest(&mut state).await;
    assert_eq!(state.1, TEXT);
}

/// Of `stream/methods::read`, `stream/methods::read_vectored`, `stream/methods::read_to_end` and
/// `stream/methods::peek`.
#[test]
fn no_byte_that_is_read_is_lost() {
    type State = (TcpStream, Vec<u8>);
    async fn reads(operation: impl AsyncFn(&mut TcpStream, &mut [u8]) -> io::Result<usize>) {
        let operation = async |(stream, bytes): &mut State| {
            let mut buffer = [0; 3];
            while let Ok(count @ 1..) = operation(stream, &mut buffer).await {
                bytes.extend(&buffer[..count]);
            }
        };
        cancel_at_each_await(connected, operation, async |state: State, _| check_text(state).await).await;
    }
    run(async || {
        reads(async |stream, buffer| stream.read(buffer).await).await;
        reads(async |stream, buffer| stream.read_vectored(&mut [IoSliceMut::new(buffer)]).await).await;
        reads(async |stream, buffer| {
            let count = stream.peek(buffer).await?;
            stream.try_read(&mut buffer[..count])
        })
        .await;
        let check = async |state: State, _| check_text(state).await;
        cancel_at_each_await(connected, async |state: &mut State| read_rest(state).await, check).await;
    });
}

/// Of `stream/methods::read_exact` and `stream/methods::read_to_string`, which are not cancel safe:
/// the bytes so far are lost, and the next ones follow.
#[test]
fn reads_of_several_pieces_lose_those_before() {
    type State = (TcpStream, Vec<u8>);
    run(async || {
        let check = async |mut state: State, _| {
            read_rest(&mut state).await;
            assert!(TEXT.ends_with(&state.1));
        };
        let operation = async |(stream, _): &mut State| stream.read_exact(&mut [0; 12]).await;
        cancel_at_each_await(connected, operation, check).await;
        let operation = async |(stream, _): &mut State| stream.read_to_string(&mut String::new()).await;
        cancel_at_each_await(connected, operation, check).await;
    });
}

/// A stream whose buffers are full, with the bytes that were accepted, and a peer that later reads
/// and at last returns how many bytes have come.
async fn full() -> (TcpStream, usize, JoinHandle<usize>) {
    let (ours, mut theirs) = pair().await.expect("a connection");
    let mut accepted = 0;
    // The system may find more room a moment later.
    while timeout(Duration::from_millis(5), ours.writable()).await.is_ok() {
        while let Ok(count) = ours.try_write(&[0; 1 << 16]) {
            accepted += count;
        }
    }
    let received = wsrt::spawn(async move {
        later().await;
        let mut bytes = Vec::new();
        theirs.read_to_end(&mut bytes).await.expect("the writer is there")
    });
    (ours, accepted, received)
}

/// Of `stream/methods::write`, `stream/methods::write_vectored`, `stream/methods::flush`,
/// `stream/methods::shutdown` and `stream/methods::write_all`. A `write_all` may have written some
/// of its bytes.
#[test]
fn bytes_that_were_not_accepted_are_not_written() {
    type State = (TcpStream, usize, JoinHandle<usize>);
    const MORE: &[u8] = &[0; 1 << 20];
    async fn writes(operation: impl AsyncFn(&mut TcpStream) -> io::Result<usize>, may_be_part: bool) {
        let operation = async |(stream, accepted, _): &mut State| {
            *accepted += operation(stream).await.expect("the reader is there");
        };
        let check = async |(mut stream, accepted, received): State, output: Option<()>| {
            // The operation may have done so before.
            let _ = stream.shutdown().await;
            drop(stream);
            let received = received.await.expect("no panic");
            if may_be_part && output.is_none() {
                assert!((accepted..=accepted + MORE.len()).contains(&received));
            } else {
                assert_eq!(received, accepted);
            }
        };
        cancel_at_each_await(full, operation, check).await;
    }
    run(async || {
        writes(async |stream| stream.write(MORE).await, false).await;
        writes(async |stream| stream.write_vectored(&[IoSlice::new(MORE)]).await, false).await;
        writes(
            async |stream| {
                stream.write_all(MORE).await?;
                Ok(MORE.len())
            },
            true,
        )
        .await;
        writes(
            async |stream| {
                stream.writable().await?;
                stream.flush().await?;
                stream.shutdown().await?;
                Ok(0)
            },
            false,
        )
        .await;
    });
}

/// Of `net/waits` (`readable` and `writable`), `net/waits::ready`, `net/waits::async_io`,
/// `Evented::ready` and `Evented::io`, which they call.
#[test]
fn no_readiness_is_lost() {
    type State = (TcpStream, Vec<u8>);
    run(async || {
        let check = async |state: State, _| {
            state.0.readable().await.expect("it is open");
            check_text(state).await;
        };
        cancel_at_each_await(connected, async |(stream, _): &mut State| drop(stream.readable().await), check).await;
        let operation = async |(stream, _): &mut State| drop(stream.ready(Interest::READABLE).await);
        cancel_at_each_await(connected, operation, check).await;
        let operation = async |(stream, bytes): &mut State| {
            let mut buffer = [0; 64];
            let read = || stream.try_read(&mut buffer);
            let count = stream.async_io(Interest::READABLE, read).await.expect("it is open");
            bytes.extend(&buffer[..count]);
        };
        cancel_at_each_await(connected, operation, check).await;
        let check = async |(mut stream, accepted, received): (TcpStream, usize, JoinHandle<usize>), _| {
            stream.writable().await.expect("it is open");
            stream.shutdown().await.expect("it is open");
            drop(stream);
            assert_eq!(received.await.expect("no panic"), accepted);
        };
        cancel_at_each_await(full, async |(stream, ..): &mut (TcpStream, _, _)| stream.writable().await, check).await;
    });
}

/// A listener to which a peer connects three times.
pub(crate) async fn three_callers() -> TcpListener {
    let (listener, address) = listen().await.expect("there is a free port");
    wsrt::spawn(async move {
        for _ in 0..3 {
            later().await;
            drop(TcpStream::connect(address).await.expect("it listens"));
        }
    });
    listener
}

/// Of `TcpListener::accept`.
#[test]
fn no_connection_is_lost() {
    type State = (TcpListener, u32);
    run(async || {
        let make = async || (three_callers().await, 0);
        let accept = async |(listener, accepted): &mut State| {
            while *accepted < 3 {
                listener.accept().await.expect("it listens");
                *accepted += 1;
            }
        };
        // It hangs if a connection was lost.
        cancel_at_each_await(make, accept, async |mut state: State, _| accept(&mut state).await).await;
    });
}

/// Of `TcpStream::connect`, whose attempts over loopback succeed at once: it is dropped while it
/// waits for the name. Attempts that take their time are dropped in a simulation, by
/// `executor/tests/simulation/cancellations.rs`.
#[test]
fn a_name_comes_before_the_attempt() {
    run(async || {
        let make = async || {
            let listening = listen().await.expect("there is a free port");
            occupy_blocking_thread();
            listening
        };
        let operation = async |(_, address): &mut (TcpListener, SocketAddr)| {
            TcpStream::connect(("localhost", address.port())).await.expect("it listens")
        };
        let check = async |(listener, address): (TcpListener, SocketAddr), output: Option<TcpStream>| {
            calls_have_returned().await;
            let last = TcpStream::connect(address).await.expect("it listens");
            let peer = last.local_addr().expect("it is bound");
            let attempts = u32::from(output.is_some());
            for attempt in 0..=attempts {
                let (_, accepted) = listener.accept().await.expect("it listens");
                assert_eq!(accepted == peer, attempt == attempts);
            }
        };
        cancel_at_each_await(make, operation, check).await;
    });
}

/// Of `TcpListener::bind`, `UdpSocket::bind` and `net/lookup::lookup_host`, which wait for a name.
#[test]
fn no_socket_stays_bound() {
    async fn binds<T>(bind: impl AsyncFn(u16) -> io::Result<T>) {
        let make = async || {
            let address = listen().await.expect("there is a free port").1;
            occupy_blocking_thread();
            address.port()
        };
        let operation = async |port: &mut u16| drop(bind(*port).await.expect("it is free"));
        let check = async |port: u16, _| {
            calls_have_returned().await;
            drop(bind(port).await.expect("it is still free"));
        };
        cancel_at_each_await(make, operation, check).await;
    }
    run(async || {
        binds(async |port| TcpListener::bind(("localhost", port)).await).await;
        binds(async |port| UdpSocket::bind(("localhost", port)).await).await;
        binds(async |port| lookup_host(("localhost", port)).await.map(Iterator::count)).await;
    });
}

/// Two datagram sockets that are not connected.
async fn unconnected() -> (UdpSocket, UdpSocket) {
    let bind = async || UdpSocket::bind("127.0.0.1:0").await.expect("there is a free port");
    (bind().await, bind().await)
}

/// Two datagram sockets that are connected to each other.
async fn sockets() -> (UdpSocket, UdpSocket) {
    let (ours, theirs) = unconnected().await;
    ours.connect(theirs.local_addr().expect("it is bound")).await.expect("it is there");
    theirs.connect(ours.local_addr().expect("it is bound")).await.expect("it is there");
    (ours, theirs)
}

/// Of `UdpSocket::connect` and `UdpSocket::send_to`, which wait for a name: before that, nothing
/// has happened.
#[test]
fn a_name_comes_before_the_effect() {
    run(async || {
        let make = async || {
            let (ours, theirs) = unconnected().await;
            let port = theirs.local_addr().expect("it is bound").port();
            occupy_blocking_thread();
            (ours, theirs, port)
        };
        type State = (UdpSocket, UdpSocket, u16);
        let operation = async |(ours, _, port): &mut State| ours.connect(("localhost", *port)).await;
        let check = async |(ours, ..): State, output: Option<_>| {
            calls_have_returned().await;
            assert_eq!(ours.peer_addr().is_ok(), output.is_some());
        };
        cancel_at_each_await(make, operation, check).await;
        let operation = async |(ours, _, port): &mut State| ours.send_to(b"x", ("localhost", *port)).await;
        let check = async |(ours, theirs, port): State, output: Option<_>| {
            calls_have_returned().await;
            ours.send_to(b"last", ("127.0.0.1", port)).await.expect("it is there");
            let mut buffer = [0; 8];
            let mut received = Vec::new();
            while received.last() != Some(&4) {
                received.push(theirs.recv(&mut buffer).await.expect("it is bound"));
            }
            assert_eq!(received.len(), if output.is_some() { 2 } else { 1 });
        };
        cancel_at_each_await(make, operation, check).await;
    });
}

/// Receives the datagrams of a peer, and continues after each cancellation.
async fn receives(receive: impl AsyncFn(&UdpSocket) -> io::Result<u8>) {
    type State = (UdpSocket, Vec<u8>);
    let make = async || {
        let (ours, theirs) = sockets().await;
        wsrt::spawn(async move {
            for number in 0..3 {
                later().await;
                theirs.send(&[number]).await.expect("it is there");
            }
        });
        (ours, Vec::new())
    };
    let take = async |(socket, numbers): &mut State| {
        while numbers.len() < 3 {
            numbers.push(receive(socket).await.expect("it is there"));
        }
    };
    let check = async |mut state: State, _| {
        take(&mut state).await;
        assert_eq!(state.1, [0, 1, 2]);
    };
    cancel_at_each_await(make, take, check).await;
}

/// Of `datagram/methods::recv`, `datagram/methods::recv_buf`, `datagram/methods::recv_from` and
/// `datagram/methods::recv_buf_from`.
#[test]
fn no_datagram_is_lost() {
    run(async || {
        receives(async |socket| {
            let mut buffer = [0];
            socket.recv(&mut buffer).await?;
            Ok(buffer[0])
        })
        .await;
        receives(async |socket| {
            let mut buffer = Vec::with_capacity(1);
            socket.recv_buf(&mut buffer).await?;
            Ok(buffer[0])
        })
        .await;
        receives(async |socket| {
            let mut buffer = [0];
            socket.recv_from(&mut buffer).await?;
            Ok(buffer[0])
        })
        .await;
        receives(async |socket| {
            let mut buffer = Vec::with_capacity(1);
            socket.recv_buf_from(&mut buffer).await?;
            Ok(buffer[0])
        })
        .await;
    });
}

/// Of `datagram/methods::peek`, `datagram/methods::peek_from` and `datagram/methods::peek_sender`.
#[test]
fn a_look_at_a_datagram_takes_nothing() {
    /// Takes the datagram that was looked at.
    fn take(socket: &UdpSocket) -> io::Result<u8> {
        let mut buffer = [0];
        socket.try_recv(&mut buffer)?;
        Ok(buffer[0])
    }
    run(async || {
        receives(async |socket| {
            socket.peek(&mut [0]).await?;
            take(socket)
        })
        .await;
        receives(async |socket| {
            socket.peek_from(&mut [0]).await?;
            take(socket)
        })
        .await;
        receives(async |socket| {
            socket.peek_sender().await?;
            take(socket)
        })
        .await;
    });
}

/// Of `datagram/methods::send`.
#[test]
fn a_datagram_is_sent_once_or_not_at_all() {
    type State = (UdpSocket, UdpSocket, u8);
    run(async || {
        let make = async || {
            let (ours, theirs) = sockets().await;
            (ours, theirs, 0)
        };
        let operation = async |(ours, _, sent): &mut State| {
            spend_budget().await;
            for _ in 0..3 {
                ours.send(b"x").await.expect("it is there");
                *sent += 1;
            }
        };
        let check = async |(ours, theirs, sent): State, _| {
            ours.send(b"last").await.expect("it is there");
            let (mut received, mut buffer) = (0, [0; 8]);
            while theirs.recv(&mut buffer).await.expect("it is there") == 1 {
                received += 1;
            }
            assert_eq!(received, sent);
        };
        cancel_at_each_await(make, operation, check).await;
    });
}
