//! Each limit of `serve` takes effect: a client beyond it is closed, or waits.

use std::future::{Future, IntoFuture};
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::pin::Pin;
use std::sync::mpsc::{Receiver, channel};
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::{Request, Response};
use wsrt::net::TcpListener;
use wsrt::runtime::Runtime;
use wsrt_hyper::{BoxError, RequestBody, Serve, serve};
use wsrt_tests::{LIMIT, runtime_with, within_a_minute};

const SHORT: Duration = Duration::from_millis(100);

pub(crate) type Serving = Serve<TcpListener, Bodies>;

/// Reads the request's body first, and skips its errors for `/careless`; the answer is large for
/// `/large`.
#[derive(Clone)]
pub(crate) struct Bodies;

impl tower_service::Service<Request<RequestBody>> for Bodies {
    type Response = Response<Full<Bytes>>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<RequestBody>) -> Self::Future {
        Box::pin(async move {
            let is_large = request.uri().path() == "/large";
            let is_careless = request.uri().path() == "/careless";
            let mut body = request.into_body();
            if is_careless {
                while body.frame().await.is_some() {}
            } else {
                body.collect().await?;
            }
            Ok(Response::new(Full::new(Bytes::from_static(if is_large { &[b'x'; 32 << 20] } else { b"hello" }))))
        })
    }
}

/// Starts a server with the settings that `configure` makes, and a channel of its connections'
/// errors.
pub(crate) fn start(configure: impl FnOnce(Serving) -> Serving) -> (Runtime, SocketAddr, Receiver<String>) {
    let runtime = runtime_with(2);
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("there is a free port");
    let address = listener.local_addr().expect("it is bound");
    let (report, reports) = channel();
    let serving = configure(serve(listener, Bodies)).on_connection_error(move |error| {
        // The cause is the last of the sources.
        let causes = std::iter::successors(error.source(), |cause| cause.source());
        let cause = causes.last().map_or_else(|| error.to_string(), ToString::to_string);
        let _ = report.send(cause);
    });
    let guard = runtime.enter();
    runtime.spawn(serving.into_future());
    drop(guard);
    (runtime, address, reports)
}

pub(crate) fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).expect("the server listens");
    stream.set_read_timeout(Some(LIMIT)).expect("sockets have timeouts");
    stream
}

/// Waits until the server has closed the connection.
fn await_close(mut stream: TcpStream) {
    match stream.read_to_end(&mut Vec::new()) {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
        Err(error) => panic!("the server keeps the connection: {error}"),
    }
}

pub(crate) fn ask(stream: &mut TcpStream) {
    stream.write_all(b"GET / HTTP/1.1\r\nHost: test\r\n\r\n").expect("the server reads");
}

pub(crate) fn read_hello(stream: &mut TcpStream) {
    let mut read = Vec::new();
    while !read.ends_with(b"hello") {
        let mut buffer = [0; 1000];
        let count = stream.read(&mut buffer).expect("the server answers");
        assert_ne!(count, 0, "the server closed the connection");
        read.extend_from_slice(&buffer[..count]);
    }
}

#[test]
fn a_body_that_takes_too_long_ends_its_connection() {
    within_a_minute(|| {
        let (_runtime, address, reports) = start(|serving| serving.with_request_timeout(SHORT));
        let mut slow = connect(address);
        slow.write_all(b"POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 9\r\n\r\nslow").expect("the server reads");
        await_close(slow);
        assert_eq!(reports.recv_timeout(LIMIT).as_deref(), Ok("the request took too long"));
        let mut good = connect(address);
        ask(&mut good);
        read_hello(&mut good);
    });
}

#[test]
fn a_client_that_reads_nothing_is_closed() {
    within_a_minute(|| {
        let (_runtime, address, reports) = start(|serving| serving.with_write_timeout(SHORT));
        let mut deaf = connect(address);
        deaf.write_all(b"GET /large HTTP/1.1\r\nHost: test\r\n\r\n").expect("the server reads");
        assert_eq!(reports.recv_timeout(LIMIT).as_deref(), Ok("the client took nothing for too long"));
    });
}

#[test]
fn a_client_that_reads_slowly_gets_its_answer() {
    within_a_minute(|| {
        // Each pause is an eighth of the limit, so that others may hold the client up for long.
        let (_runtime, address, _reports) = start(|serving| serving.with_write_timeout(Duration::from_secs(2)));
        let mut slow = connect(address);
        slow.write_all(b"GET /large HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n").expect("the server reads");
        let (mut buffer, mut read) = (vec![0; 4 << 20], 0);
        loop {
            // All of them together are longer than the limit.
            std::thread::sleep(Duration::from_millis(250));
            match slow.read(&mut buffer).expect("the server goes on") {
                0 => break,
                count => read += count,
            }
        }
        assert!(read > 32 << 20, "cut off after {read} bytes");
    });
}

#[test]
fn connections_beyond_the_limit_wait_for_a_place() {
    within_a_minute(|| {
        let (runtime, address, _reports) = start(|serving| serving.with_max_connections(2));
        let (mut first, mut second) = (connect(address), connect(address));
        for stream in [&mut first, &mut second] {
            ask(stream);
            read_hello(stream);
        }
        let mut third = connect(address);
        ask(&mut third);
        third.set_read_timeout(Some(SHORT)).expect("sockets have timeouts");
        assert_eq!(third.read(&mut [0; 1]).map_err(|error| error.kind()), Err(ErrorKind::WouldBlock));
        // The accept loop and two connections.
        assert_eq!(runtime.metrics().num_alive_tasks(), 3);
        drop(first);
        third.set_read_timeout(Some(LIMIT)).expect("sockets have timeouts");
        read_hello(&mut third);
    });
}

#[test]
#[should_panic(expected = "the limit has to be 1 or more")]
fn a_limit_of_no_connections_is_refused() {
    let (_runtime, _address, _reports) = start(|serving| serving.with_max_connections(0));
}
