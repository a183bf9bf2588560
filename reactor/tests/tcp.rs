//! The promises of a TCP connection: bytes arrive, halves end separately, options stick.

use std::io::{self, ErrorKind, IoSlice, IoSliceMut};
use std::net::{Shutdown, SocketAddr};
use std::task::{Context, Waker};
use std::thread;
use std::time::Duration;
use wsrt_reactor::Interest;
use wsrt_reactor::net::{TcpListener, TcpStream};
use wsrt_reactor_testing::{Runtime, run};

/// A connected pair.
async fn pair() -> io::Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let client = TcpStream::connect(listener.local_addr()?).await?;
    let (server, _) = listener.accept().await?;
    Ok((client, server))
}

/// Bytes that differ enough for a mix-up to show.
fn pattern(length: usize) -> Vec<u8> {
    (0..length).map(|index| (index % 251) as u8).collect()
}

#[test]
fn an_echo_returns_more_than_the_buffers_hold() {
    let runtime = Runtime::new().unwrap();
    let sent = pattern(8 << 20);
    let (mut client, mut server) = runtime.block_on(pair()).unwrap();
    let received = thread::scope(|scope| {
        scope.spawn(|| {
            runtime.block_on(async {
                let mut buf = vec![0; 64 << 10];
                loop {
                    match server.read(&mut buf).await.unwrap() {
                        0 => break server.shutdown().await.unwrap(),
                        count => server.write_all(&buf[..count]).await.unwrap(),
                    }
                }
            });
        });
        let (mut reader, mut writer) = client.split();
        let (runtime, sent) = (&runtime, &sent);
        scope.spawn(move || {
            runtime.block_on(async {
                writer.write_all(sent).await.unwrap();
                writer.shutdown().await.unwrap();
            });
        });
        let mut received = Vec::new();
        runtime.block_on(reader.read_to_end(&mut received)).unwrap();
        received
    });
    assert!(received == sent, "{} of {} bytes, or not the same ones", received.len(), sent.len());
}

#[test]
fn messages_bounce_between_two_threads() {
    let runtime = Runtime::new().unwrap();
    let (mut client, mut server) = runtime.block_on(pair()).unwrap();
    thread::scope(|scope| {
        scope.spawn(|| {
            runtime.block_on(async {
                let mut message = [0; 8];
                for _ in 0..2000 {
                    server.read_exact(&mut message).await.unwrap();
                    server.write_all(&message).await.unwrap();
                }
            });
        });
        runtime.block_on(async {
            for round in 0..2000_u64 {
                client.write_all(&round.to_le_bytes()).await.unwrap();
                let mut answer = [0; 8];
                client.read_exact(&mut answer).await.unwrap();
                assert_eq!(u64::from_le_bytes(answer), round);
            }
        });
    });
}

#[test]
fn vectored_transfers_keep_the_order_of_their_buffers() {
    run(async {
        let (mut client, mut server) = pair().await.unwrap();
        let pieces = [IoSlice::new(b"one "), IoSlice::new(b""), IoSlice::new(b"two "), IoSlice::new(b"three")];
        assert_eq!(client.write_vectored(&pieces).await.unwrap(), 13);
        let (mut first, mut second) = ([0; 6], [0; 7]);
        let mut buffers = [IoSliceMut::new(&mut first), IoSliceMut::new(&mut second)];
        assert_eq!(server.read_vectored(&mut buffers).await.unwrap(), 13);
        assert_eq!((&first, &second), (b"one tw", b"o three"));
    });
}

#[test]
fn more_slices_than_one_call_takes_are_all_written() {
    run(async {
        let (mut client, mut server) = pair().await.unwrap();
        let pieces = vec![IoSlice::new(b"x"); 5000];
        let mut written = 0;
        while written < pieces.len() {
            // Each call is cut short by the number of slices, while the socket has room: no event
            // would come.
            written += client.write_vectored(&pieces[written..]).await.unwrap();
        }
        drop(client);
        let mut received = Vec::new();
        assert_eq!(server.read_to_end(&mut received).await.unwrap(), 5000);
    });
}

#[test]
fn a_peek_takes_nothing_out() {
    run(async {
        let (mut client, mut server) = pair().await.unwrap();
        client.write_all(b"twice").await.unwrap();
        let mut buf = [0; 16];
        // A peek comes back short and must not count as having drained the socket.
        assert_eq!(server.peek(&mut buf).await.unwrap(), 5);
        assert_eq!(server.peek(&mut buf).await.unwrap(), 5);
        assert_eq!(server.read(&mut buf).await.unwrap(), 5);
        assert_eq!(&buf[..5], b"twice");
    });
}

#[test]
fn the_end_of_a_stream_can_be_read_repeatedly() {
    run(async {
        let (mut client, mut server) = pair().await.unwrap();
        client.write_all(b"last").await.unwrap();
        drop(client);
        let mut buf = [0; 16];
        assert_eq!(server.read(&mut buf).await.unwrap(), 4);
        for _ in 0..3 {
            assert_eq!(server.read(&mut buf).await.unwrap(), 0);
        }
        assert_eq!(server.read_to_end(&mut Vec::new()).await.unwrap(), 0);
    });
}

#[test]
fn data_and_end_that_arrive_together_are_both_read() {
    run(async {
        for _ in 0..200 {
            let (mut client, mut server) = pair().await.unwrap();
            let mut buf = [0; 64];
            assert_eq!(server.try_read(&mut buf).unwrap_err().kind(), ErrorKind::WouldBlock);
            client.write_all(b"data").await.unwrap();
            drop(client);
            let mut received = Vec::new();
            server.read_to_end(&mut received).await.unwrap();
            assert_eq!(received, b"data");
        }
    });
}

#[test]
fn one_side_may_end_while_the_other_goes_on() {
    run(async {
        let (mut client, mut server) = pair().await.unwrap();
        client.shutdown().await.unwrap();
        client.shutdown().await.unwrap();
        assert_eq!(server.read(&mut [0; 4]).await.unwrap(), 0);
        server.write_all(b"still here").await.unwrap();
        server.shutdown_with(Shutdown::Both).unwrap();
        let mut text = String::new();
        client.read_to_string(&mut text).await.unwrap();
        assert_eq!(text, "still here");
    });
}

#[cfg(target_os = "linux")]
#[test]
fn what_comes_behind_urgent_data_is_read_without_another_event() -> io::Result<()> {
    run(async {
        let (mut near, far) = pair().await?;
        let far = far.into_std()?;
        let far = socket2::SockRef::from(&far);
        far.send(b"before")?;
        far.send_out_of_band(b"!")?;
        far.send(b"behind")?;
        let mut buf = [0; 64];
        while near.peek(&mut buf).await? < 6 {}
        // Events are reported in order: once the other connection's event has been reported, so
        // have all events of this one.
        let (other, mut its_peer) = pair().await?;
        assert_eq!(other.try_read(&mut buf).unwrap_err().kind(), ErrorKind::WouldBlock);
        its_peer.write_all(b"now").await?;
        other.readable().await?;
        let mut heard = Vec::new();
        while heard.len() < 12 {
            let count = near.read(&mut buf).await?;
            heard.extend_from_slice(&buf[..count]);
        }
        assert_eq!(heard, b"beforebehind");
        Ok(())
    })
}

#[test]
fn an_exact_read_that_meets_the_end_says_so() {
    run(async {
        let (mut client, mut server) = pair().await.unwrap();
        client.write_all(b"abc").await.unwrap();
        drop(client);
        let error = server.read_exact(&mut [0; 4]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
    });
}

#[test]
fn text_that_is_not_utf8_leaves_the_string_alone() {
    run(async {
        let (mut client, mut server) = pair().await.unwrap();
        client.write_all(&[0xff, 0xfe]).await.unwrap();
        drop(client);
        let mut text = String::from("before");
        let error = server.read_to_string(&mut text).await.unwrap_err();
        assert_eq!((error.kind(), text.as_str()), (ErrorKind::InvalidData, "before"));
    });
}

#[test]
fn dropping_the_owned_write_half_ends_the_stream() {
    run(async {
        let (client, mut server) = pair().await.unwrap();
        let (mut read, mut write) = client.into_split();
        write.write_all(b"bye").await.unwrap();
        drop(write);
        let mut received = Vec::new();
        server.read_to_end(&mut received).await.unwrap();
        assert_eq!(received, b"bye");
        server.write_all(b"and you").await.unwrap();
        drop(server);
        received.clear();
        read.read_to_end(&mut received).await.unwrap();
        assert_eq!(received, b"and you");
    });
}

#[test]
fn a_forgotten_write_half_leaves_the_stream_open() {
    run(async {
        let (client, server) = pair().await.unwrap();
        let (read, write) = client.into_split();
        write.forget();
        let error = server.try_read(&mut [0; 1]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::WouldBlock);
        drop(read);
        server.readable().await.unwrap();
        assert_eq!(server.try_read(&mut [0; 1]).unwrap(), 0, "with the last half the connection closes");
    });
}

#[test]
fn halves_are_reunited_with_their_own_kind_only() {
    run(async {
        let (client, mut server) = pair().await.unwrap();
        let (other, _peer) = pair().await.unwrap();
        let (read, write) = client.into_split();
        let (other_read, other_write) = other.into_split();
        let error = read.reunite(other_write).unwrap_err();
        assert!(error.to_string().contains("different"));
        let (read, other_write) = (error.0, error.1);
        assert!(other_write.reunite(other_read).is_ok());
        let mut client = write.reunite(read).unwrap();
        client.write_all(b"whole").await.unwrap();
        let mut buf = [0; 5];
        server.read_exact(&mut buf).await.unwrap();
        assert_eq!(&buf, b"whole");
    });
}

#[test]
fn sockets_come_from_and_go_back_to_std() {
    run(async {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let listener = TcpListener::from_std(listener).unwrap();
        let client = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let mut client = TcpStream::from_std(client).unwrap();
        let (server, _) = listener.accept().await.unwrap();
        client.write_all(b"std").await.unwrap();

        let server = server.into_std().unwrap();
        server.set_nonblocking(false).unwrap();
        let mut buf = [0; 3];
        io::Read::read_exact(&mut &server, &mut buf).unwrap();
        assert_eq!(&buf, b"std");

        let listener = listener.into_std().unwrap();
        let mut again = TcpListener::from_std(listener).unwrap();
        let _client = TcpStream::connect(again.local_addr().unwrap()).await.unwrap();
        again = TcpListener::from_std(again.into_std().unwrap()).unwrap();
        again.accept().await.expect("a connection made while it was elsewhere is found");
    });
}

#[test]
fn options_are_read_back_as_they_were_set() {
    run(async {
        let (client, _server) = pair().await.unwrap();
        for on in [true, false] {
            client.set_nodelay(on).unwrap();
            assert_eq!(client.nodelay().unwrap(), on);
            client.set_keepalive(on).unwrap();
            assert_eq!(client.keepalive().unwrap(), on);
        }
        client.set_linger(Some(Duration::from_secs(3))).unwrap();
        assert_eq!(client.linger().unwrap(), Some(Duration::from_secs(3)));
        client.set_linger(None).unwrap();
        assert_eq!(client.linger().unwrap(), None);
        client.set_ttl(42).unwrap();
        assert_eq!(client.ttl().unwrap(), 42);
        assert!(client.take_error().unwrap().is_none());
    });
}

#[test]
fn the_two_ends_agree_on_their_addresses() {
    run(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        listener.set_ttl(33).unwrap();
        assert_eq!(listener.ttl().unwrap(), 33);
        assert!(listener.take_error().unwrap().is_none());
        let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (server, peer): (_, SocketAddr) = listener.accept().await.unwrap();
        assert_eq!(client.local_addr().unwrap(), peer);
        assert_eq!(server.peer_addr().unwrap(), peer);
        assert_eq!(server.local_addr().unwrap(), client.peer_addr().unwrap());
    });
}

#[test]
fn a_reset_by_the_peer_fails_the_waiting_reader() {
    run(async {
        let (client, mut server) = pair().await.unwrap();
        assert!(server.try_read(&mut [0; 1]).is_err());
        client.set_linger(Some(Duration::ZERO)).unwrap();
        drop(client);
        let error = server.read(&mut [0; 1]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    });
}

#[test]
fn writing_to_a_full_socket_waits_for_the_reader() {
    let runtime = Runtime::new().unwrap();
    let (client, mut server) = runtime.block_on(pair()).unwrap();
    let chunk = pattern(64 << 10);
    let mut written = 0;
    let refused = loop {
        match client.try_write(&chunk) {
            Ok(count) => written += count,
            Err(error) => break error,
        }
    };
    assert_eq!(refused.kind(), ErrorKind::WouldBlock);
    thread::scope(|scope| {
        scope.spawn(|| runtime.block_on(client.writable()).unwrap());
        let mut received = vec![0; written];
        runtime.block_on(server.read_exact(&mut received)).unwrap();
    });
    assert!(client.try_write(&chunk).unwrap() > 0);
}

#[test]
fn an_operation_of_the_callers_own_runs_under_the_readiness() {
    run(async {
        let (mut client, server) = pair().await.unwrap();
        let mut cx = Context::from_waker(Waker::noop());
        // More than once if the event for room to write comes in between.
        while server.poll_read_ready(&mut cx).is_ready() {
            let would_block = || io::Result::<()>::Err(ErrorKind::WouldBlock.into());
            assert!(server.try_io(Interest::READABLE, would_block).is_err());
        }
        let not_run = || -> io::Result<()> { panic!("run while nothing is ready") };
        let error = server.try_io(Interest::READABLE, not_run).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::WouldBlock);
        client.write_all(b"x").await.unwrap();
        let ready = server.ready(Interest::READABLE).await.unwrap();
        assert!(ready.is_readable() && !ready.is_read_closed() && !ready.is_error());
        assert_eq!(server.try_io(Interest::READABLE, || Ok(7)).unwrap(), 7);
        assert!(server.ready(Interest::READABLE | Interest::WRITABLE).await.unwrap().is_writable());
    });
}

#[test]
fn an_ended_stream_is_reported_as_read_closed() {
    run(async {
        let (client, server) = pair().await.unwrap();
        let mut cx = Context::from_waker(Waker::noop());
        while server.poll_read_ready(&mut cx).is_ready() {
            assert_eq!(server.try_read(&mut [0; 1]).unwrap_err().kind(), ErrorKind::WouldBlock);
        }
        drop(client);
        let ready = server.ready(Interest::READABLE).await.unwrap();
        assert!(ready.is_readable() && ready.is_read_closed());
    });
}
