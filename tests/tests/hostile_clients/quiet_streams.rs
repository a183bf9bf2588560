//! The limits for clients end no healthy exchange: not one in which the service is silent, nor a
//! dialogue, nor one with a slow client.

use std::convert::Infallible;
use std::future::{Future, IntoFuture, poll_fn};
use std::io::{Read, Write};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::thread;
use std::time::Duration;

use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Empty, Full};
use hyper::body::{Body, Bytes, Frame};
use hyper::{Method, Request, Response};
use tokio::sync::Notify;
use wsrt::net::TcpListener;
use wsrt::runtime::Runtime;
use wsrt_hyper::{BoxError, RequestBody, TokioIo, serve};
use wsrt_tests::{runtime_with, within_a_minute};

use crate::frames::{DATA, END_HEADERS, END_STREAM, HEADERS, push_length, request};
use crate::http2_client::Client;
use crate::limits::connect;

const SHORT: Duration = Duration::from_millis(100);
/// The silence of a healthy exchange: many times the limits.
const SILENCE: Duration = Duration::from_secs(1);

type AnyBody = UnsyncBoxBody<Bytes, BoxError>;

/// Some exchanges that last.
#[derive(Clone, Default)]
struct Exchanges {
    /// Answers wait for this.
    release: Arc<Notify>,
}

impl Exchanges {
    async fn answer(self, mut request: Request<RequestBody>) -> Result<Response<AnyBody>, BoxError> {
        let full = |text: &'static str| Full::from(text).map_err(|never: Infallible| match never {}).boxed_unsync();
        if request.method() == Method::CONNECT {
            let upgrade = hyper::upgrade::on(&mut request);
            wsrt::spawn(async move {
                let (mut read, mut write) = tokio::io::split(TokioIo::new(upgrade.await.expect("the client agrees")));
                let _ = tokio::io::copy(&mut read, &mut write).await;
            });
            return Ok(Response::new(Empty::new().map_err(|never: Infallible| match never {}).boxed_unsync()));
        }
        let body = match request.uri().path() {
            "/stream" => Events { release: Box::pin(async move { self.release.notified().await }) }.boxed_unsync(),
            "/poll" => {
                // The request's body first, as a handler with JSON does.
                request.into_body().collect().await?;
                self.release.notified().await;
                full("released")
            }
            "/echo" => request.into_body().boxed_unsync(),
            "/length" => {
                let length = request.into_body().collect().await?.to_bytes().len();
                Full::from(length.to_string()).map_err(|never: Infallible| match never {}).boxed_unsync()
            }
            _ => full("hello"),
        };
        Ok(Response::new(body))
    }
}

/// One event, when it is released.
struct Events {
    release: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl Body for Events {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        self.release.as_mut().poll(context).map(|()| {
            self.release = Box::pin(poll_fn(|_| Poll::Pending));
            Some(Ok(Frame::data(Bytes::from_static(b"released"))))
        })
    }
}

impl tower_service::Service<Request<RequestBody>> for Exchanges {
    type Response = Response<AnyBody>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<RequestBody>) -> Self::Future {
        Box::pin(self.clone().answer(request))
    }
}

/// Serves with `limit` for all waits for clients.
fn start(limit: Duration) -> (Runtime, SocketAddr, Exchanges) {
    let (runtime, exchanges) = (runtime_with(2), Exchanges::default());
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("there is a free port");
    let address = listener.local_addr().expect("it is bound");
    let serving =
        serve(listener, exchanges.clone()).with_body_timeout(limit).with_write_timeout(limit).with_idle_timeout(limit);
    runtime.handle().spawn(serving.into_future());
    (runtime, address, exchanges)
}

/// Reads until the text comes.
fn read_until(stream: &mut impl Read, text: &str) {
    let mut read = Vec::new();
    while !read.windows(text.len()).any(|bytes| bytes == text.as_bytes()) {
        let mut buffer = [0; 1000];
        let count = stream.read(&mut buffer).expect("the server answers");
        assert_ne!(count, 0, "closed after {:?}", String::from_utf8_lossy(&read));
        read.extend_from_slice(&buffer[..count]);
    }
}

#[test]
fn a_service_may_be_silent_in_either_http() {
    within_a_minute(|| {
        let (_runtime, address, exchanges) = start(SHORT);
        for path in ["/stream", "/poll"] {
            let mut first = connect(address);
            write!(first, "POST {path} HTTP/1.1\r\nHost: test\r\nContent-Length: 1\r\n\r\nx")
                .expect("the server reads");
            let mut second = Client::connect(address);
            second.begin(&request("POST", path));
            second.send(DATA, END_STREAM, 1, b"x");
            thread::sleep(SILENCE);
            exchanges.release.notify_waiters();
            read_until(&mut first, "released");
            assert_eq!(second.wait_for_data(), b"released");
        }
    });
}

#[test]
fn a_dialogue_may_be_silent() {
    within_a_minute(|| {
        let (_runtime, address, _) = start(SHORT);
        let mut client = Client::connect(address);
        client.begin(&request("POST", "/echo"));
        client.wait_for(HEADERS);
        for word in [b"one", b"two"] {
            thread::sleep(SILENCE);
            client.send(DATA, 0, 1, word);
            assert_eq!(client.wait_for_data(), word);
        }
    });
}

/// A WebSocket on a stream of HTTP/2.
#[test]
fn a_tunnel_may_be_silent() {
    within_a_minute(|| {
        let (_runtime, address, _) = start(SHORT);
        let mut client = Client::connect(address);
        // `:scheme: http`, `:path: /`; the others are spelled out, two with a name of the table.
        let mut block = vec![0x86, 0x84];
        for (name, value) in [(2, "CONNECT"), (1, "test")] {
            block.push(name);
            push_length(&mut block, value.len());
            block.extend_from_slice(value.as_bytes());
        }
        block.push(0);
        for text in [":protocol", "websocket"] {
            push_length(&mut block, text.len());
            block.extend_from_slice(text.as_bytes());
        }
        client.begin(&block);
        client.wait_for(HEADERS);
        thread::sleep(SILENCE);
        client.send(DATA, 0, 1, b"no longer HTTP");
        assert_eq!(client.wait_for_data(), b"no longer HTTP");
    });
}

/// Each pause is an eighth of the limit, so that others may hold the client up for long; all of
/// them together are longer than it.
#[test]
fn a_slow_upload_arrives() {
    const PIECES: usize = 12;
    within_a_minute(|| {
        let (_runtime, address, _) = start(Duration::from_secs(2));
        let mut first = connect(address);
        let length = PIECES * 1000;
        write!(first, "POST /length HTTP/1.1\r\nHost: test\r\nContent-Length: {length}\r\n\r\n").expect("it reads");
        let mut second = Client::connect(address);
        second.begin(&request("POST", "/length"));
        for _ in 0..PIECES {
            thread::sleep(Duration::from_millis(250));
            first.write_all(&[b'x'; 1000]).expect("the server reads");
            assert!(second.send(DATA, 0, 1, &[b'x'; 1000]), "the server reads");
        }
        second.send(DATA, END_STREAM, 1, &[]);
        read_until(&mut first, "\r\n\r\n12000");
        assert_eq!(second.wait_for_data(), b"12000");
    });
}

/// A window of a kilobyte, which the client opens anew each time.
#[test]
fn a_slow_download_arrives() {
    use crate::frames::{SETTINGS, WINDOW_UPDATE};
    within_a_minute(|| {
        let (_runtime, address, _) = start(Duration::from_secs(2));
        let mut client = Client::connect(address);
        client.send(SETTINGS, 0, 0, &[0, 4, 0, 0, 4, 0]);
        client.send(HEADERS, END_HEADERS, 1, &request("POST", "/echo"));
        client.send(DATA, END_STREAM, 1, &[b'x'; 12 << 10]);
        let mut read = 0;
        while read < 12 << 10 {
            thread::sleep(Duration::from_millis(250));
            read += client.wait_for_data().len();
            client.send(WINDOW_UPDATE, 0, 1, &1024_u32.to_be_bytes());
        }
    });
}
