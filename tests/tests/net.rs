//! TCP connections: each waiter of a socket is woken, nothing is lost when a wait is dropped, and
//! errors are the system's.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use wsrt::net::{TcpListener, TcpStream, lookup_host};
use wsrt::task::{JoinSet, yield_now};
use wsrt::time::timeout;
use wsrt_tests::{
    echo, in_a_process_with_many_files, listen, on_two_processors, open_file_limit, pair, text_of, two_processors,
    within_a_minute,
};

/// Makes `count` connections to an echo server, all open at the same time, and has each go back and
/// forth.
async fn echo_over(count: usize) -> io::Result<()> {
    let (listener, address) = listen().await?;
    wsrt::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.expect("there are enough file descriptors");
            wsrt::spawn(echo(stream));
        }
    });
    let mut clients = Vec::new();
    for _ in 0..count {
        clients.push(TcpStream::connect(address).await?);
    }
    let mut talks = JoinSet::new();
    for (number, mut client) in clients.into_iter().enumerate() {
        talks.spawn(async move {
            for round in 0..5_u64 {
                let message = (number as u64 * 1_000 + round).to_be_bytes();
                client.write_all(&message).await?;
                let mut answer = [0; 8];
                client.read_exact(&mut answer).await?;
                assert_eq!(answer, message);
            }
            io::Result::Ok(())
        });
    }
    for talk in talks.join_all().await {
        talk?;
    }
    Ok(())
}

#[test]
fn a_thousand_connections_echo_at_once() {
    let test = "a_thousand_connections_echo_at_once";
    let output = in_a_process_with_many_files(test, || {
        // Two ends each, and some for everything else.
        let count = 1_000.min((open_file_limit() - 50) / 2);
        assert!(count >= 400, "the system allows too few files: {}", open_file_limit());
        within_a_minute(move || two_processors().run(echo_over(count)).expect("the network works"));
    });
    text_of(&output);
}

#[test]
fn any_number_of_tasks_may_wait_for_one_socket() {
    on_two_processors(async {
        let (mut writer, reader) = pair().await?;
        let reader = Arc::new(reader);
        assert_eq!(reader.try_read(&mut [0]).expect_err("nothing was sent").kind(), io::ErrorKind::WouldBlock);
        let mut waiters = JoinSet::new();
        for _ in 0..50 {
            let reader = Arc::clone(&reader);
            waiters.spawn(async move { reader.readable().await });
        }
        yield_now().await;
        writer.write_all(b"x").await?;
        for woken in waiters.join_all().await {
            woken?;
        }
        assert_eq!(reader.try_read(&mut [0; 8])?, 1);
        Ok(())
    });
}

#[test]
fn readers_and_writers_of_one_socket_wake_independently() {
    on_two_processors(async {
        let (near, far) = pair().await?;
        let (near, far) = (Arc::new(near), Arc::new(far));
        near.writable().await?;
        assert!(
            timeout(Duration::from_millis(20), async {
                // Readiness to write is no readiness to read.
                loop {
                    near.readable().await.expect("the socket is fine");
                    if near.try_read(&mut [0]).is_ok() {
                        return;
                    }
                }
            })
            .await
            .is_err()
        );
        far.try_write(b"x")?;
        near.readable().await?;
        assert_eq!(near.try_read(&mut [0; 2])?, 1);
        Ok(())
    });
}

#[test]
fn a_refused_connection_is_the_systems_error() {
    on_two_processors(async {
        // On an address that no other test listens on: one could be given the port meanwhile.
        let listener = TcpListener::bind("127.0.77.1:0").await?;
        let address = listener.local_addr()?;
        drop(listener);
        let error = TcpStream::connect(address).await.expect_err("nobody listens there any more");
        assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
        assert_eq!(error.raw_os_error(), std::net::TcpStream::connect(address).expect_err("as above").raw_os_error());
        Ok(())
    });
}

#[test]
fn connect_tries_each_address_in_turn() {
    on_two_processors(async {
        let (closed, nobody) = listen().await?;
        drop(closed);
        let (listener, somebody) = listen().await?;
        let stream = TcpStream::connect(&[nobody, somebody][..]).await?;
        assert_eq!(stream.peer_addr()?, somebody);
        let (_, peer) = listener.accept().await?;
        assert_eq!(peer, stream.local_addr()?);
        Ok(())
    });
}

#[test]
fn host_names_are_looked_up() {
    on_two_processors(async {
        let (listener, address) = listen().await?;
        let connecting = wsrt::spawn(TcpStream::connect(("localhost", address.port())));
        listener.accept().await?;
        connecting.await??;
        let found: Vec<_> = lookup_host("localhost:80").await?.collect();
        assert!(
            !found.is_empty() && found.iter().all(|found| found.ip().is_loopback() && found.port() == 80),
            "{found:?}"
        );
        Ok(())
    });
}

#[test]
fn a_host_that_cannot_be_found_is_named() {
    on_two_processors(async {
        let error = TcpStream::connect("no-such-host.invalid:80").await.expect_err("the name is reserved for this");
        assert!(error.to_string().contains("no-such-host.invalid"), "{error}");
        let error = TcpStream::connect("127.0.0.1").await.expect_err("the port is missing");
        assert!(error.to_string().contains("127.0.0.1"), "{error}");
        Ok(())
    });
}

#[test]
fn an_accept_that_is_given_up_loses_no_connection() {
    on_two_processors(async {
        let (listener, address) = listen().await?;
        let connecting = wsrt::spawn(async move {
            let mut streams = Vec::new();
            for _ in 0..200 {
                streams.push(TcpStream::connect(address).await?);
            }
            io::Result::Ok(streams)
        });
        let mut accepted = Vec::new();
        while accepted.len() < 200 {
            if let Ok(connection) = timeout(Duration::from_micros(30), listener.accept()).await {
                accepted.push(connection?);
            }
        }
        assert_eq!(connecting.await??.len(), 200);
        Ok(())
    });
}

#[test]
fn several_tasks_may_accept_from_one_listener() {
    on_two_processors(async {
        let (listener, address) = listen().await?;
        let listener = Arc::new(listener);
        let mut acceptors = JoinSet::new();
        for _ in 0..20 {
            let listener = Arc::clone(&listener);
            acceptors.spawn(async move { listener.accept().await.map(|(_, peer)| peer) });
        }
        let mut clients = Vec::new();
        for _ in 0..20 {
            clients.push(TcpStream::connect(address).await?.local_addr()?);
        }
        let mut peers = Vec::new();
        for peer in acceptors.join_all().await {
            peers.push(peer?);
        }
        peers.sort_unstable();
        clients.sort_unstable();
        assert_eq!(peers, clients);
        Ok(())
    });
}

#[test]
fn sockets_come_from_the_standard_library_and_go_back() {
    on_two_processors(async {
        let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        let listener = TcpListener::from_std(listener)?;
        let client = std::net::TcpStream::connect(listener.local_addr()?)?;
        client.set_nonblocking(true)?;
        let mut client = TcpStream::from_std(client)?;
        let (mut served, _) = listener.accept().await?;
        client.write_all(b"to and fro").await?;
        served.read_exact(&mut [0; 3]).await?;
        let mut served = served.into_std()?;
        served.set_nonblocking(false)?;
        let mut rest = [0; 7];
        io::Read::read_exact(&mut served, &mut rest)?;
        assert_eq!(&rest, b"and fro");
        listener.into_std()?.local_addr()?;
        Ok(())
    });
}
