//! `wsrt_hyper::serve` serves each client that behaves, gives up on those that do not, and ends
//! in good order.

mod drains;
mod listeners;
mod make_services;
mod overload;

use std::convert::Infallible;
use std::future::{Future, IntoFuture, ready};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream as Client};
use std::os::unix::net::UnixStream as UnixClient;
use std::pin::Pin;
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll};
use std::thread;
use std::time::{Duration, Instant};

use http_body_util::{BodyExt, Empty};
use hyper::body::Bytes;
use hyper::{Request, Response, StatusCode, header};
use tokio::sync::{Notify, oneshot};
use wsrt::net::unix::UCred;
use wsrt::net::{TcpListener, TcpStream, UnixListener};
use wsrt::runtime::{Builder, Runtime};
use wsrt::task::JoinHandle;
use wsrt_hyper::{ConnectInfo, RequestBody, TokioIo, WsrtExecutor, serve};
use wsrt_tests::{Directory, LIMIT, within_a_minute};

type Answer = Pin<Box<dyn Future<Output = Result<Response<String>, Infallible>> + Send>>;

/// Found out in a handshake.
#[derive(Clone)]
struct Found(String);

/// A tower service, as axum's router is one.
#[derive(Clone, Default)]
struct Paths {
    /// Answers to `/held` wait for this.
    release: Arc<Notify>,
    /// Told of each request for `/held`.
    held: Arc<Notify>,
}

impl tower_service::Service<Request<RequestBody>> for Paths {
    type Response = Response<String>;
    type Error = Infallible;
    type Future = Answer;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<RequestBody>) -> Answer {
        match request.uri().path() {
            "/peer" => {
                let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().expect("every request has it");
                Box::pin(ready(Ok(Response::new(peer.0.to_string()))))
            }
            "/user" => {
                let user = request.extensions().get::<ConnectInfo<UCred>>().expect("every request has it");
                Box::pin(ready(Ok(Response::new(user.0.pid().unwrap_or_default().to_string()))))
            }
            "/found" => {
                let found = request.extensions().get::<Found>().expect("every request has it");
                Box::pin(ready(Ok(Response::new(found.0.clone()))))
            }
            "/version" => Box::pin(ready(Ok(Response::new(format!("{:?}", request.version()))))),
            "/task" => Box::pin(async { Ok(Response::new(wsrt::task::try_id().is_some().to_string())) }),
            "/deadline" => Box::pin(async {
                let own = wsrt::time::deadline();
                let inherited = wsrt::spawn(async { wsrt::time::deadline() }).await.expect("no panic");
                Ok(Response::new(format!("{} {}", own.is_some(), own == inherited)))
            }),
            "/panic" => panic!("as the test wants"),
            "/held" => {
                let Self { release, held } = self.clone();
                Box::pin(async move {
                    held.notify_one();
                    release.notified().await;
                    Ok(Response::new("released".into()))
                })
            }
            "/echo" => Box::pin(ready(Ok(upgraded_to_echo(request)))),
            other => Box::pin(ready(Ok(Response::new(other.into())))),
        }
    }
}

fn upgraded_to_echo(mut request: Request<RequestBody>) -> Response<String> {
    let upgrade = hyper::upgrade::on(&mut request);
    wsrt::spawn(async move {
        let upgraded = TokioIo::new(upgrade.await.expect("the client upgrades"));
        let (mut read, mut write) = tokio::io::split(upgraded);
        tokio::io::copy(&mut read, &mut write).await.expect("the client reads");
    });
    let mut response = Response::new(String::new());
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    response.headers_mut().insert(header::UPGRADE, header::HeaderValue::from_static("echo"));
    response.headers_mut().insert(header::CONNECTION, header::HeaderValue::from_static("upgrade"));
    response
}

/// A server that ends when the test signals it.
struct Server {
    runtime: Runtime,
    address: SocketAddr,
    paths: Paths,
    end: Option<oneshot::Sender<()>>,
    running: Option<JoinHandle<io::Result<()>>>,
}

type Serving = wsrt_hyper::Serve<TcpListener, Paths>;

impl Server {
    fn start() -> Self {
        Self::start_with(|serving| serving)
    }

    fn start_with(configure: impl FnOnce(Serving) -> Serving) -> Self {
        Self::start_any(|listener, paths, end| {
            configure(serve(listener, paths)).with_graceful_shutdown(end).into_future()
        })
    }

    fn start_any(
        serving: impl FnOnce(
            TcpListener,
            Paths,
            Pin<Box<dyn Future<Output = ()> + Send>>,
        ) -> Pin<Box<dyn Future<Output = io::Result<()>> + Send>>,
    ) -> Self {
        let runtime = Runtime::new().expect("a runtime is to be had");
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("there is a free port");
        let address = listener.local_addr().expect("it is bound");
        let paths = Paths::default();
        let (end, ended) = oneshot::channel();
        let serving = serving(listener, paths.clone(), Box::pin(async move { drop(ended.await) }));
        let running = Some(runtime.spawn(serving));
        Self { runtime, address, paths, end: Some(end), running }
    }

    fn connect(&self) -> Client {
        let client = Client::connect(self.address).expect("the server listens");
        client.set_read_timeout(Some(LIMIT)).expect("sockets have timeouts");
        client
    }

    /// Tells it to end.
    fn end(&mut self) {
        drop(self.end.take());
    }

    /// Waits until its future is ready.
    fn wait(&mut self) {
        let running = self.running.take().expect("it is waited for once");
        self.runtime.block_on(running).expect("no panic").expect("no error");
    }
}

fn get(client: &mut (impl Read + Write), path: &str) -> String {
    ask(client, path);
    read_answer(client)
}

fn ask(client: &mut impl Write, path: &str) {
    write!(client, "GET {path} HTTP/1.1\r\nHost: test\r\n\r\n").expect("the server reads");
}

/// The body of an answer with a known length.
fn read_answer(client: &mut impl Read) -> String {
    let mut reader = BufReader::with_capacity(1, client);
    let mut length = 0;
    loop {
        let mut line = String::new();
        assert_ne!(reader.read_line(&mut line).expect("the server answers"), 0, "the server has closed the connection");
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length: ") {
            length = value.trim().parse().expect("a number");
        }
        if line == "\r\n" {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("as long as it says");
    String::from_utf8(body).expect("text")
}

/// Waits until the server has closed the connection.
fn await_close(mut client: Client) {
    let mut rest = Vec::new();
    match client.read_to_end(&mut rest) {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
        Err(error) => panic!("the server keeps the connection: {error}"),
    }
}

/// A request of HTTP/2, on a connection of its own.
async fn get_by_http2(address: SocketAddr, path: &str) -> String {
    let stream = TcpStream::connect(address).await.expect("the server listens");
    let (mut sender, connection) =
        hyper::client::conn::http2::handshake(WsrtExecutor, stream).await.expect("the server speaks HTTP/2");
    let connection = wsrt::spawn(connection);
    let request = Request::get(format!("http://test{path}")).body(Empty::<Bytes>::new()).expect("a good request");
    let answer = sender.send_request(request).await.expect("the server answers");
    let body = answer.into_body().collect().await.expect("to the end").to_bytes();
    drop(sender);
    connection.await.expect("no panic").expect("no error");
    String::from_utf8(body.to_vec()).expect("text")
}

/// A client has one thread: with more, hyper fails a request if the server goes away while its
/// sender, which has lost its core, is not back from sending it.
fn begin_held_request_of_http2(address: SocketAddr) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let client = Builder::new_current_thread().build().expect("a runtime is to be had");
        client.block_on(get_by_http2(address, "/held"))
    })
}

#[test]
fn both_http_versions_share_one_port_and_run_as_tasks() {
    within_a_minute(|| {
        let server = Server::start();
        let mut client = server.connect();
        assert_eq!(get(&mut client, "/version"), "HTTP/1.1");
        assert_eq!(get(&mut client, "/task"), "true");
        let address = server.address;
        assert_eq!(server.runtime.block_on(get_by_http2(address, "/version")), "HTTP/2.0");
        assert_eq!(server.runtime.block_on(get_by_http2(address, "/task")), "true");
    });
}

#[test]
fn a_request_timeout_is_the_deadline_of_the_service() {
    within_a_minute(|| {
        for (limit, sees) in [(None, "false true"), (Some(LIMIT), "true true")] {
            let server = Server::start_with(|serving| serving.with_request_timeout(limit));
            assert_eq!(get(&mut server.connect(), "/deadline"), sees);
            assert_eq!(server.runtime.block_on(get_by_http2(server.address, "/deadline")), sees);
        }
    });
}

#[test]
fn a_request_names_its_sender() {
    within_a_minute(|| {
        let server = Server::start();
        let mut client = server.connect();
        let own = client.local_addr().expect("it is connected").to_string();
        assert_eq!(get(&mut client, "/peer"), own);
        assert_eq!(get(&mut client, "/peer"), own, "the second one too");
    });
}

#[test]
fn a_unix_socket_is_served_and_names_its_peer() {
    within_a_minute(|| {
        let directory = Directory::new();
        let path = directory.path("socket");
        let runtime = Runtime::new().expect("a runtime is to be had");
        let guard = runtime.enter();
        let listener = UnixListener::bind(&path).expect("the path is ours");
        runtime.spawn(serve(listener, Paths::default()).into_future());
        drop(guard);
        let mut client = UnixClient::connect(&path).expect("the server listens");
        client.set_read_timeout(Some(LIMIT)).expect("sockets have timeouts");
        assert_eq!(get(&mut client, "/user"), std::process::id().to_string());
    });
}

#[test]
fn an_upgraded_connection_outlives_the_end_of_the_server() {
    within_a_minute(|| {
        let mut server = Server::start();
        let mut client = server.connect();
        write!(client, "GET /echo HTTP/1.1\r\nHost: test\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n")
            .expect("the server reads");
        read_answer(&mut client);
        server.end();
        server.wait();
        client.write_all(b"no longer HTTP").expect("the task reads");
        client.shutdown(Shutdown::Write).expect("it is open");
        let mut echoed = String::new();
        client.read_to_string(&mut echoed).expect("the task answers");
        assert_eq!(echoed, "no longer HTTP");
    });
}

#[test]
fn a_shutdown_answers_open_requests_and_refuses_new_ones() {
    within_a_minute(|| {
        let mut server = Server::start();
        let (mut open, mut idle, silent) = (server.connect(), server.connect(), server.connect());
        assert_eq!(get(&mut idle, "/x"), "/x");
        ask(&mut open, "/held");
        server.runtime.block_on(server.paths.held.notified());

        server.end();
        await_close(idle);
        await_close(silent);
        while Client::connect(server.address).is_ok() {
            thread::yield_now();
        }
        assert!(!server.running.as_ref().expect("it runs").is_finished(), "a request is open");
        server.paths.release.notify_one();
        assert_eq!(read_answer(&mut open), "released");
        await_close(open);
        server.wait();
    });
}

#[test]
fn open_requests_of_http2_are_answered_at_the_end_too() {
    within_a_minute(|| {
        let mut server = Server::start();
        let address = server.address;
        let answer = begin_held_request_of_http2(address);
        server.runtime.block_on(server.paths.held.notified());
        server.end();
        server.paths.release.notify_one();
        assert_eq!(answer.join().expect("no panic"), "released");
        server.wait();
    });
}

#[test]
fn requests_open_beyond_the_shutdown_timeout_are_cut_off() {
    within_a_minute(|| {
        let mut server = Server::start_with(|serving| serving.with_shutdown_timeout(Duration::from_millis(50)));
        let mut client = server.connect();
        ask(&mut client, "/held");
        server.runtime.block_on(server.paths.held.notified());
        server.end();
        server.wait();
        await_close(client);
    });
}

#[test]
fn dropping_the_future_closes_the_listener_and_ends_connections_cleanly() {
    within_a_minute(|| {
        let mut server = Server::start();
        let (mut open, idle) = (server.connect(), server.connect());
        ask(&mut open, "/held");
        server.runtime.block_on(server.paths.held.notified());
        server.running.take().expect("it runs").abort();
        await_close(idle);
        while Client::connect(server.address).is_ok() {
            thread::yield_now();
        }
        server.paths.release.notify_one();
        assert_eq!(read_answer(&mut open), "released");
        await_close(open);
    });
}

/// Clients that send nothing, and clients that break off in the midst of a head, in either HTTP.
#[test]
fn clients_slow_to_send_their_first_request_are_dropped() {
    const HTTP2_AND_SILENCE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
    within_a_minute(|| {
        let (told, tells) = mpsc::channel();
        // Long enough for the patient one on a busy machine.
        let limit = Duration::from_millis(500);
        let server = Server::start_with(move |serving| {
            serving.with_first_request_timeout(limit).on_connection_error(move |error| {
                told.send(error.to_string()).expect("the test listens");
            })
        });
        let mut patient = server.connect();
        assert_eq!(get(&mut patient, "/x"), "/x");
        for opening in [b"" as &[u8], b"P", b"GET / HTTP/1.1\r\nHost: te", HTTP2_AND_SILENCE] {
            let began = Instant::now();
            let mut client = server.connect();
            client.write_all(opening).expect("the server reads");
            await_close(client);
            assert!(began.elapsed() >= limit, "given its time");
            assert_eq!(tells.recv_timeout(LIMIT).as_deref(), Ok("the first request took too long"));
        }
        assert_eq!(get(&mut patient, "/y"), "/y", "only the first request is limited so");
    });
}

#[test]
fn a_client_that_dawdles_does_not_outlast_the_server() {
    within_a_minute(|| {
        let mut server = Server::start_with(|serving| {
            serving.with_first_request_timeout(Duration::from_secs(1)).configure_http(|http| {
                http.http1().header_read_timeout(None);
            })
        });
        let mut dawdler = server.connect();
        dawdler.write_all(b"GET /late HTTP/1.1\r\n").expect("the server reads");
        assert_eq!(get(&mut server.connect(), "/x"), "/x", "so the dawdler's connection was accepted");
        server.end();
        server.wait();
        await_close(dawdler);
    });
}

#[test]
fn a_requestless_connection_at_the_end_is_no_error() {
    within_a_minute(|| {
        let (told, tells) = mpsc::channel();
        let mut server = Server::start_with(|serving| {
            serving.on_connection_error(move |error| told.send(error.to_string()).expect("the test listens"))
        });
        let idle = server.connect();
        assert_eq!(get(&mut server.connect(), "/x"), "/x", "so the idle connection was accepted");
        server.end();
        server.wait();
        await_close(idle);
        drop(server);
        assert_eq!(tells.iter().collect::<Vec<_>>(), [""; 0]);
    });
}

#[test]
fn a_panic_of_the_service_ends_only_its_connection() {
    within_a_minute(|| {
        let mut server = Server::start();
        let (mut fatal, mut other) = (server.connect(), server.connect());
        assert_eq!(get(&mut other, "/x"), "/x");
        ask(&mut fatal, "/panic");
        await_close(fatal);
        assert_eq!(get(&mut other, "/y"), "/y");
        server.end();
        server.wait();
    });
}
