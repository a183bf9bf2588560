//! A server that sheds load refuses what has waited for too long, keeps the connections of the
//! requests that it refuses, and serves again once the load is gone.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream as Client};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll};
use std::thread;
use std::time::Duration;

use http_body_util::Empty;
use hyper::body::Bytes;
use hyper::client::conn::http2::{self, SendRequest};
use hyper::{Request, Response, StatusCode, header};
use tokio::sync::oneshot;
use wsrt::net::{TcpListener, TcpStream};
use wsrt::runtime::{Builder, Handle, Runtime};
use wsrt_hyper::{RequestBody, WsrtExecutor, serve};
use wsrt_tests::{LIMIT, within_a_minute};

use crate::await_close;

const WORK: Duration = Duration::from_millis(1);
const WAIT: Duration = Duration::from_millis(2);
/// So many requests at a time take four times the limit.
const CROWD: usize = 8;
const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: test\r\n\r\n";

/// A service each of whose requests has the only thread for a while.
#[derive(Clone, Default)]
struct Works {
    calls: Arc<AtomicUsize>,
}

impl tower_service::Service<Request<RequestBody>> for Works {
    type Response = Response<String>;
    type Error = Infallible;
    type Future = Ready<Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Request<RequestBody>) -> Self::Future {
        thread::sleep(WORK);
        self.calls.fetch_add(1, Relaxed);
        ready(Ok(Response::new("done".into())))
    }
}

/// A server on one thread, which nothing relieves of a request that takes long.
struct Busy {
    address: SocketAddr,
    handle: Handle,
    works: Works,
    end: Option<oneshot::Sender<()>>,
    thread: Option<thread::JoinHandle<io::Result<()>>>,
}

impl Busy {
    fn start(limit: Option<Duration>) -> Self {
        let (tell, told) = mpsc::channel();
        let (end, ended) = oneshot::channel::<()>();
        let works = Works::default();
        let service = works.clone();
        let thread = thread::spawn(move || {
            let runtime = Builder::new_current_thread().build().expect("a runtime is to be had");
            runtime.block_on(async {
                let listener = TcpListener::bind("127.0.0.1:0").await?;
                tell.send((listener.local_addr()?, Handle::current())).expect("the test listens");
                let server = serve(listener, service).with_load_shedding(limit);
                server.with_graceful_shutdown(async { drop(ended.await) }).await
            })
        });
        let (address, handle) = told.recv_timeout(LIMIT).expect("the server starts");
        Self { address, handle, works, end: Some(end), thread: Some(thread) }
    }

    fn connect(&self) -> Client {
        let client = Client::connect(self.address).expect("the server listens");
        client.set_read_timeout(Some(LIMIT)).expect("sockets have timeouts");
        // A request is several writes: Nagle's algorithm would delay the second by 40 ms.
        client.set_nodelay(true).expect("it is TCP");
        client
    }

    /// Sends a request over a new connection, or over another while the server refuses connections.
    fn connect_and_ask(&self) -> (Client, String) {
        loop {
            let mut client = self.connect();
            if let Some(head) = head_of_answer(&mut client) {
                return (client, head);
            }
        }
    }

    fn shed_requests(&self) -> u64 {
        self.handle.metrics().snapshot().shed_request_count()
    }

    fn shed_connections(&self) -> u64 {
        self.handle.metrics().snapshot().shed_connection_count()
    }

    fn end(mut self) {
        drop(self.end.take());
        self.thread.take().expect("it ends once").join().expect("no panic").expect("no error");
    }
}

/// Sends a request, and returns the head of its answer. Returns `None` if the server closes the
/// connection instead.
fn head_of_answer(client: &mut Client) -> Option<String> {
    client.write_all(REQUEST).ok()?;
    let mut reader = BufReader::with_capacity(1, client);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        match reader.read_line(&mut head) {
            Ok(0) => return None,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return None,
            Err(error) => panic!("the server neither answers nor closes: {error}"),
        }
    }
    head.make_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.expect("every answer has a length")];
    reader.read_exact(&mut body).expect("as long as it says");
    Some(head)
}

fn is_served(head: &str) -> bool {
    head.starts_with("http/1.1 200 ")
}

/// What clients have seen.
#[derive(Default)]
struct Seen {
    served: AtomicUsize,
    refused: AtomicUsize,
}

impl Seen {
    fn note(&self, is_served: bool) -> bool {
        let count = if is_served { &self.served } else { &self.refused };
        count.fetch_add(1, Relaxed);
        is_served
    }

    fn any_refused(&self) -> bool {
        self.refused.load(Relaxed) > 0
    }
}

#[test]
fn a_refused_request_is_answered_and_its_connection_stays() {
    within_a_minute(|| {
        let (server, seen) = (Busy::start(Some(WAIT)), Seen::default());
        // Asks until somebody is refused, and then until it is served.
        let client = || {
            let (mut client, mut head) = server.connect_and_ask();
            while !(seen.note(is_served(&head)) && seen.any_refused()) {
                if !is_served(&head) {
                    assert!(head.starts_with("http/1.1 503 ") && head.contains("\r\nretry-after: 1\r\n"), "{head}");
                }
                head = head_of_answer(&mut client).expect("a connection that has had an answer stays");
            }
        };
        thread::scope(|scope| {
            for _ in 0..CROWD {
                scope.spawn(client);
            }
        });
        // The load is gone, but on a busy machine one request may be late by itself.
        while !seen.note(is_served(&server.connect_and_ask().1)) {}
        assert_eq!(server.works.calls.load(Relaxed), seen.served.load(Relaxed), "of which the service knows");
        assert_eq!(server.shed_requests(), seen.refused.load(Relaxed) as u64);
        server.end();
    });
}

#[test]
fn requests_of_http2_are_refused_too() {
    within_a_minute(|| {
        let (server, seen) = (Busy::start(Some(WAIT)), Arc::new(Seen::default()));
        let address = server.address;
        Runtime::new().expect("a runtime is to be had").block_on(async {
            let request = || Request::get("http://test/").body(Empty::<Bytes>::new()).expect("a good request");
            // On a busy machine the connection may be late by itself, and refused.
            let (sender, connection) = loop {
                let stream = TcpStream::connect(address).await.expect("the server listens");
                let handshake = http2::handshake(WsrtExecutor, stream).await;
                let Ok((mut sender, connection)) = handshake else { continue };
                let connection = wsrt::spawn(connection);
                if let Ok(answer) = sender.send_request(request()).await {
                    seen.note(answer.status() == StatusCode::OK);
                    break (sender, connection);
                }
            };
            let ask = |mut sender: SendRequest<_>, seen: Arc<Seen>| async move {
                loop {
                    let answer = sender.send_request(request()).await.expect("the server answers");
                    if seen.note(answer.status() == StatusCode::OK) && seen.any_refused() {
                        break;
                    }
                    if answer.status() != StatusCode::OK {
                        assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
                        assert_eq!(answer.headers()[header::RETRY_AFTER], "1");
                    }
                }
            };
            let asking: Vec<_> = (0..CROWD).map(|_| wsrt::spawn(ask(sender.clone(), Arc::clone(&seen)))).collect();
            for task in asking {
                task.await.expect("no panic");
            }
            drop(sender);
            connection.await.expect("no panic").expect("no error");
        });
        assert_eq!(server.works.calls.load(Relaxed), seen.served.load(Relaxed));
        assert_eq!(server.shed_requests(), seen.refused.load(Relaxed) as u64);
        server.end();
    });
}

/// Each of a crowd of clients has a connection for each request.
#[test]
fn a_new_connection_that_waits_too_long_is_closed() {
    within_a_minute(|| {
        let server = Busy::start(Some(WAIT));
        thread::scope(|scope| {
            for _ in 0..CROWD {
                scope.spawn(|| {
                    while server.shed_connections() == 0 {
                        let mut client = server.connect();
                        // The answer, or the end of the connection.
                        let _ = write!(client, "GET / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n");
                        await_close(client);
                    }
                });
            }
        });
        // The load is gone, but on a busy machine one request may be late by itself.
        while !is_served(&server.connect_and_ask().1) {}
        server.end();
    });
}

#[test]
fn a_server_that_is_not_asked_to_sheds_nothing() {
    within_a_minute(|| {
        let server = Busy::start(None);
        thread::scope(|scope| {
            for _ in 0..CROWD {
                let mut client = server.connect();
                let mut is_answered = move || head_of_answer(&mut client).as_deref().is_some_and(is_served);
                scope.spawn(move || (0..40).for_each(|_| assert!(is_answered())));
            }
        });
        assert_eq!((server.shed_requests(), server.shed_connections()), (0, 0));
        server.end();
    });
}

#[test]
#[should_panic(expected = "a limit of zero would shed all that has to wait")]
fn a_limit_of_zero_is_refused() {
    let runtime = Runtime::new().expect("a runtime is to be had");
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("there is a free port");
    let _server = serve(listener, Works::default()).with_load_shedding(Duration::ZERO);
}
