//! Peers that read slowly, say nothing, vanish, or end half a connection are their own connection's
//! trouble and no other's.

use std::convert::Infallible;
use std::error::Error;
use std::future::{Future, poll_fn};
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use tokio_test::task::spawn;
use tokio_test::{assert_ready_err, assert_ready_ok};
use wsrt::net::{TcpListener, TcpSocket, TcpStream};
use wsrt::runtime::Builder;
use wsrt::time::timeout;
use wsrt_hyper::TokioIo;
use wsrt_tests::{echo, in_a_process_with_files, listen, on_two_processors, pair, text_of, within_a_minute};

/// Goes back and forth `count` times over a connection of its own, beside whatever else goes on.
async fn others_are_served(count: usize) -> io::Result<()> {
    let (mut client, server) = pair().await?;
    let serving = wsrt::spawn(echo(server));
    for _ in 0..count {
        client.write_all(b"ping").await?;
        client.read_exact(&mut [0; 4]).await?;
    }
    drop(client);
    serving.await?
}

#[test]
fn a_slow_reader_holds_up_its_own_writer_only() {
    on_two_processors(async {
        const LENGTH: usize = 16 << 20;
        let (mut slow, mut server) = pair().await?;
        let written = Arc::new(AtomicUsize::new(0));
        let progress = Arc::clone(&written);
        let writing = wsrt::spawn(async move {
            let piece = vec![7; 64 << 10];
            for _ in 0..LENGTH / piece.len() {
                server.write_all(&piece).await?;
                progress.fetch_add(piece.len(), Relaxed);
            }
            io::Result::Ok(())
        });
        others_are_served(200).await?;
        // The buffers of the system are full long before the end.
        let stuck_at = written.load(Relaxed);
        assert!(stuck_at < LENGTH, "nobody has read, and all is written");
        let mut received = 0;
        let mut crumb = [0; 1000];
        while received < LENGTH {
            let count = slow.read(&mut crumb).await?;
            assert!(crumb[..count].iter().all(|&byte| byte == 7) && count > 0);
            received += count;
        }
        writing.await??;
        Ok(())
    });
}

#[test]
fn a_reset_in_mid_write_is_the_writers_error_alone() {
    on_two_processors(async {
        let (mut client, mut server) = pair().await?;
        let writing = wsrt::spawn(async move {
            let piece = vec![7; 1 << 20];
            loop {
                server.write_all(&piece).await?;
            }
            #[expect(unreachable_code, reason = "names the type of the error")]
            io::Result::Ok(())
        });
        client.read_exact(&mut [0; 100]).await?;
        client.set_zero_linger()?;
        drop(client);
        let error = writing.await?.expect_err("the peer is gone");
        assert!(matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe), "{error}");
        others_are_served(50).await
    });
}

#[test]
fn a_silent_peers_wait_ends_and_its_connection_lives() {
    on_two_processors(async {
        let (mut silent, mut server) = pair().await?;
        let limit = Duration::from_millis(30);
        let heard = timeout(limit, server.read(&mut [0; 1])).await;
        assert!(heard.is_err(), "it has said nothing");
        others_are_served(50).await?;
        // The timeout ends the wait, and not the connection.
        silent.write_all(b"late").await?;
        let mut heard = [0; 4];
        server.read_exact(&mut heard).await?;
        server.write_all(b"too late").await?;
        drop(server);
        let mut answer = String::new();
        silent.read_to_string(&mut answer).await?;
        assert_eq!(answer, "too late");
        Ok(())
    });
}

#[test]
fn a_half_closed_connection_goes_on_the_other_way() {
    on_two_processors(async {
        let (client, mut server) = pair().await?;
        let (mut read, write) = client.into_split();
        drop(write);
        assert_eq!(server.read(&mut [0; 1]).await?, 0);
        assert_eq!(server.read(&mut [0; 1]).await?, 0, "the end stays the end");
        for piece in 0..100_u8 {
            server.write_all(&[piece; 1000]).await?;
        }
        drop(server);
        let mut received = Vec::new();
        read.read_to_end(&mut received).await?;
        let expected: Vec<u8> = (0..100).flat_map(|piece| [piece; 1000]).collect();
        assert!(received == expected, "the bytes differ");
        Ok(())
    });
}

#[test]
fn a_client_that_leaves_the_queue_harms_no_listener() {
    on_two_processors(async {
        let (listener, address) = listen().await?;
        for _ in 0..20 {
            let hasty = TcpStream::connect(address).await?;
            hasty.set_zero_linger()?;
        }
        let mut patient = TcpStream::connect(address).await?;
        let serving = wsrt::spawn(async move {
            loop {
                // Some systems report those that have gone, some hand them out.
                let Ok((stream, _)) = listener.accept().await else { continue };
                wsrt::spawn(echo(stream));
            }
        });
        patient.write_all(b"ping").await?;
        patient.read_exact(&mut [0; 4]).await?;
        serving.abort();
        Ok(())
    });
}

/// An address that neither accepts nor refuses: its queue is full, so that the system drops further
/// connections.
async fn silent_place() -> io::Result<(TcpListener, TcpStream, SocketAddr)> {
    let socket = TcpSocket::new_v4()?;
    socket.bind("127.0.0.1:0".parse().expect("a literal"))?;
    let listener = socket.listen(0)?;
    let address = listener.local_addr()?;
    let queued = TcpStream::connect(address).await?;
    Ok((listener, queued, address))
}

#[cfg(target_os = "linux")]
#[test]
fn an_unanswering_address_costs_a_quarter_of_a_second() {
    on_two_processors(async {
        let (_full, _queued, silent) = silent_place().await?;
        let (_listener, address) = listen().await?;
        let began = Instant::now();
        let stream = TcpStream::connect([silent, address]).await?;
        assert_eq!(stream.peer_addr()?, address);
        assert!(began.elapsed() >= Duration::from_millis(250), "{:?}", began.elapsed());
        Ok(())
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_runtime_can_end_while_a_connect_is_under_way() {
    within_a_minute(|| {
        let runtime = Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
        let (announce, under_way) = channel();
        let connecting = runtime.spawn(async move {
            let (_full, _queued, silent) = silent_place().await.expect("the network works");
            let mut connecting = pin!(TcpStream::connect([silent, silent]));
            poll_fn(|cx| {
                let answer = connecting.as_mut().poll(cx);
                announce.send(answer.is_pending()).expect("the test listens");
                answer
            })
            .await
        });
        assert!(under_way.recv().expect("the task is alive"), "nobody answers there");
        drop(runtime);
        let outcome = wsrt::runtime::Runtime::new().expect("a runtime").block_on(connecting);
        assert!(outcome.is_err_and(|error| error.is_cancelled()));
    });
}

/// In a process of its own: the limit holds for all of it.
#[cfg(target_os = "linux")]
#[test]
fn a_server_out_of_descriptors_keeps_its_clients() {
    let test = "a_server_out_of_descriptors_keeps_its_clients";
    let output = in_a_process_with_files(test, "64", || {
        on_two_processors(async {
            let (listener, address) = listen().await?;
            let refusals = Arc::new(AtomicUsize::new(0));
            let counted = Arc::clone(&refusals);
            wsrt::spawn(async move {
                loop {
                    match listener.accept().await {
                        Ok((stream, _)) => drop(wsrt::spawn(echo(stream))),
                        Err(error) => {
                            // The connection is neither accepted nor lost: it waits in the queue.
                            assert!(error.to_string().contains("open files"), "{error}");
                            counted.fetch_add(1, Relaxed);
                            wsrt::time::sleep(Duration::from_millis(1)).await;
                        }
                    }
                }
            });
            let mut there = TcpStream::connect(address).await?;
            there.write_all(b"ping").await?;
            there.read_exact(&mut [0; 4]).await?;

            let mut newcomer = TcpSocket::new_v4()?.connect(address).await?;
            newcomer.write_all(b"ping").await?;
            newcomer.read_exact(&mut [0; 4]).await?;
            // From here on a descriptor can be opened only after another was closed.
            let socket = TcpSocket::new_v4()?;
            let files = exhaust_descriptors();
            let mut late = socket.connect(address).await?;
            late.write_all(b"late").await?;
            while refusals.load(Relaxed) < 3 {
                there.write_all(b"ping").await?;
                there.read_exact(&mut [0; 4]).await?;
            }
            drop(files);
            let mut answer = [0; 4];
            late.read_exact(&mut answer).await?;
            assert_eq!(&answer, b"late");
            Ok(())
        });
    });
    text_of(&output);
}

/// Opens files until the system refuses.
#[cfg(target_os = "linux")]
fn exhaust_descriptors() -> Vec<std::fs::File> {
    let mut files = Vec::new();
    loop {
        match std::fs::File::open("/dev/null") {
            Ok(file) => files.push(file),
            Err(error) => {
                assert!(error.to_string().contains("open files"), "{error}");
                return files;
            }
        }
    }
}

/// Serves HTTP to a peer given by the bytes that it sends and those that it expects.
fn serve(peer: tokio_test::io::Mock) -> impl Future<Output = hyper::Result<()>> {
    let answer = async |request: Request<Incoming>| Ok::<_, Infallible>(Response::new(request.uri().path().to_owned()));
    http1::Builder::new().auto_date_header(false).serve_connection(TokioIo::new(peer), service_fn(answer))
}

#[test]
fn a_request_in_crumbs_is_answered_when_it_is_whole() {
    let mut peer = tokio_test::io::Builder::new();
    for crumb in b"GET /crumbs HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n" {
        peer.read(&[*crumb]);
    }
    peer.write(b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 7\r\n\r\n/crumbs");
    assert_ready_ok!(spawn(serve(peer.build())).poll());
}

#[test]
fn a_peer_that_stops_mid_header_is_a_numbered_error() {
    const ECONNRESET: i32 = 104;
    let reset = io::Error::from_raw_os_error(ECONNRESET);
    let peer = tokio_test::io::Builder::new().read(b"GET / HTTP/1.1\r\nho").read_error(reset).build();
    let error = assert_ready_err!(spawn(serve(peer)).poll());
    let of_system = error.source().and_then(|source| source.downcast_ref::<io::Error>());
    assert_eq!(of_system.and_then(io::Error::raw_os_error), Some(ECONNRESET), "{error:?}");
}
