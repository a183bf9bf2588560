//! `hyper::client`: a pool of connections on wsrt's sockets, whose timers are wsrt's.

use std::collections::HashSet;
use std::convert::Infallible;
use std::future::{Ready, ready};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::SocketAddr;
use std::task::{Context, Poll};
use std::thread;
use std::time::Duration;

use http_body_util::{BodyExt, Empty};
use hyper::body::Bytes;
use hyper::{Request, Response, Uri};
use wsrt::net::TcpListener;
use wsrt::task::JoinSet;
use wsrt_hyper::{Client, ClientBuilder, ConnectInfo, Connector, RequestBody, client, serve};
use wsrt_tests::{two_processors, within_a_minute};

/// Answers with the version of HTTP and the client's address.
#[derive(Clone)]
struct Mirror;

impl tower_service::Service<Request<RequestBody>> for Mirror {
    type Response = Response<String>;
    type Error = Infallible;
    type Future = Ready<Result<Response<String>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<RequestBody>) -> Self::Future {
        let ConnectInfo(peer) = request.extensions().get::<ConnectInfo<SocketAddr>>().expect("every request has it");
        ready(Ok(Response::new(format!("{:?} {peer}", request.version()))))
    }
}

type Requests = Client<Connector, Empty<Bytes>>;

fn build(builder: &ClientBuilder) -> Requests {
    builder.build(Connector::new())
}

/// Starts a server, and returns its URL.
async fn start() -> Uri {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("there is a free port");
    let url = format!("http://{}/", listener.local_addr().expect("it is bound"));
    wsrt::spawn(serve(listener, Mirror).into_future());
    url.parse().expect("a URL")
}

async fn get(client: &Requests, url: &Uri) -> String {
    let response = client.get(url.clone()).await.expect("the server answers");
    let body = response.into_body().collect().await.expect("to the end").to_bytes();
    String::from_utf8(body.to_vec()).expect("text")
}

#[test]
fn a_connection_serves_one_request_after_another() {
    within_a_minute(|| {
        two_processors().block_on(async {
            let (url, client) = (start().await, build(&client()));
            let mut seen = HashSet::new();
            // A connection comes back to the pool a moment after its answer, so that the next
            // request may still open another.
            for _ in 0..1000 {
                let answer = get(&client, &url).await;
                assert!(answer.starts_with("HTTP/1.1 127.0.0.1:"), "{answer}");
                if !seen.insert(answer) {
                    return;
                }
            }
            panic!("a thousand requests, and as many connections");
        });
    });
}

#[test]
fn http2_requests_share_one_connection_at_once() {
    within_a_minute(|| {
        two_processors().block_on(async {
            let (url, client) = (start().await, build(client().http2_only(true)));
            // hyper-util's pool looks for a connection, and then for one that is being made: two of
            // many first requests may connect.
            let first = get(&client, &url).await;
            let mut requests = JoinSet::new();
            for _ in 0..50 {
                let (url, client) = (url.clone(), client.clone());
                requests.spawn(async move { get(&client, &url).await });
            }
            let answers: HashSet<String> = requests.join_all().await.into_iter().collect();
            assert!(first.starts_with("HTTP/2.0 127.0.0.1:"), "{first}");
            assert_eq!(answers, HashSet::from([first]));
        });
    });
}

#[test]
fn an_idle_connection_is_closed_by_the_pool_s_timer() {
    within_a_minute(|| {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("there is a free port");
        let url = format!("http://{}/", listener.local_addr().expect("it is bound")).parse().expect("a URL");
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("the client connects");
            let mut lines = BufReader::new(stream.try_clone().expect("a descriptor is free")).lines();
            while lines.next().is_some_and(|line| !line.expect("the client asks").is_empty()) {}
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").expect("the client reads");
            // The end of the connection: the client keeps its own end until its pool drops it.
            stream.read(&mut [0; 1]).expect("closed in good order")
        });
        let runtime = two_processors();
        let client = build(client().pool_idle_timeout(Duration::from_millis(20)));
        assert_eq!(runtime.block_on(get(&client, &url)), "ok");
        assert_eq!(server.join().expect("no panic"), 0);
        drop(client);
    });
}

/// On Linux a listener whose queue is full answers no further attempt to connect.
#[cfg(target_os = "linux")]
#[wsrt::test(start_paused = true)]
async fn connecting_has_a_time_limit() {
    use std::io::ErrorKind;

    use tower_service::Service;
    use wsrt::net::{TcpSocket, TcpStream};
    use wsrt::time::{Instant, timeout};

    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind("127.0.0.1:0".parse().expect("an address")).expect("there is a free port");
    let listener = socket.listen(1).expect("it is bound");
    let address = listener.local_addr().expect("it is bound");
    let mut queued = Vec::new();
    while let Ok(connected) = timeout(Duration::from_secs(1), TcpStream::connect(address)).await {
        queued.push(connected.expect("the queue has room"));
        assert!(queued.len() < 100, "the queue has no end");
    }

    let limit = Duration::from_secs(10);
    let began = Instant::now();
    let url = format!("http://{address}/").parse().expect("a URL");
    let error = Connector::new().with_connect_timeout(limit).call(url).await.expect_err("none is accepted");
    assert_eq!((error.kind(), began.elapsed()), (ErrorKind::TimedOut, limit));
}
