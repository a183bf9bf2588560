//! Listeners of a user's own, and handshakes ahead of HTTP.

use std::future::IntoFuture;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use wsrt::net::{TcpListener, TcpStream};
use wsrt_hyper::{Listener, serve};
use wsrt_tests::{LIMIT, within_a_minute};

use crate::{Found, Server, await_close, get};

/// Fails as the system does when a process has as many files open as it may, and then recovers.
struct OutOfFiles {
    inner: TcpListener,
    failures: usize,
    accepts: Arc<AtomicUsize>,
}

impl Listener for OutOfFiles {
    type Io = TcpStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> io::Result<(TcpStream, SocketAddr)> {
        self.accepts.fetch_add(1, Relaxed);
        if self.failures > 0 {
            self.failures -= 1;
            return Err(io::Error::from_raw_os_error(24));
        }
        self.inner.accept().await
    }
}

#[test]
fn accepting_goes_on_after_failures_and_reports_each() {
    within_a_minute(|| {
        let (told, tells) = mpsc::channel();
        let accepts = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&accepts);
        let began = Instant::now();
        let server = Server::start_any(|inner, paths, end| {
            serve(OutOfFiles { inner, failures: 4, accepts: counted }, paths)
                .on_accept_error(move |error| told.send(error.raw_os_error()).expect("the test listens"))
                .with_graceful_shutdown(end)
                .into_future()
        });
        let mut client = server.connect();
        assert_eq!(get(&mut client, "/x"), "/x");
        assert!(began.elapsed() >= 4 * Duration::from_millis(50), "a pause after each");
        // Four that failed, the client's, and the one that waits.
        while accepts.load(Relaxed) < 6 {
            thread::yield_now();
        }
        assert_eq!(get(&mut client, "/y"), "/y");
        assert_eq!(accepts.load(Relaxed), 6);
        assert_eq!(tells.try_iter().collect::<Vec<_>>(), [Some(24); 4]);
    });
}

#[test]
fn a_slow_handshake_holds_up_no_other_and_is_dropped() {
    within_a_minute(|| {
        let (told, tells) = mpsc::channel();
        let mut server = Server::start_any(|listener, paths, end| {
            serve(listener, paths)
                .with_first_request_timeout(Duration::from_secs(1))
                .with_handshake(|mut stream: TcpStream| async move {
                    let mut password = [0; 6];
                    stream.read_exact(&mut password).await?;
                    if &password == b"sesame" { Ok(stream) } else { Err(io::Error::other("wrong password")) }
                })
                .on_connection_error(move |error| told.send(error.to_string()).expect("the test listens"))
                .with_graceful_shutdown(end)
                .into_future()
        });
        let dawdling = server.connect();
        let mut good = server.connect();
        good.write_all(b"sesame").expect("the server reads");
        assert_eq!(get(&mut good, "/x"), "/x");
        await_close(dawdling);
        assert_eq!(tells.recv_timeout(LIMIT).as_deref(), Ok("the handshake took too long"));

        let mut bad = server.connect();
        bad.write_all(b"simsim").expect("the server reads");
        await_close(bad);
        assert_eq!(tells.recv_timeout(LIMIT).as_deref(), Ok("wrong password"));

        // At the end the server waits for no handshake.
        let shaking = server.connect();
        drop(good);
        server.end();
        server.wait();
        await_close(shaking);
    });
}

#[test]
fn each_request_carries_the_findings_of_its_handshake() {
    within_a_minute(|| {
        let server = Server::start_any(|listener, paths, end| {
            serve(listener, paths)
                .with_handshake(|mut stream: TcpStream| async move {
                    stream.read_exact(&mut [0; 6]).await?;
                    Ok(stream)
                })
                .with_connection_extensions(|stream, extensions| {
                    extensions.insert(Found(format!("from {}", stream.peer_addr().expect("it is connected"))));
                })
                .with_graceful_shutdown(end)
                .into_future()
        });
        let (mut one, mut other) = (server.connect(), server.connect());
        for client in [&mut one, &mut other] {
            client.write_all(b"sesame").expect("the server reads");
            let own = format!("from {}", client.local_addr().expect("it is connected"));
            assert_eq!(get(client, "/found"), own);
            assert_eq!(get(client, "/found"), own, "the second one too");
            assert_eq!(get(client, "/peer"), own["from ".len()..], "its address as well");
        }
    });
}
