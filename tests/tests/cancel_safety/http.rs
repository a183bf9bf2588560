//! HTTP: servers, bodies of requests, connections and time limits.

use std::convert::Infallible;
use std::future::{Future, IntoFuture, ready};
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use http_body_util::BodyExt;
use hyper::{Request, Response, StatusCode};
use tower_layer::Layer;
use tower_service::Service;
use wsrt::net::{TcpListener, TcpStream};
use wsrt::runtime::Handle;
use wsrt::sync::{CancellationToken, mpsc};
use wsrt::test::cancel_at_each_await;
use wsrt_hyper::tower::{TimeoutAnswerLayer, TimeoutLayer};
use wsrt_hyper::{Connector, RequestBody, serve, serve_make_service};
use wsrt_tests::{LIMIT, Roll, listen};

use crate::{calls_have_returned, later, occupy_blocking_thread, run};

/// Hands each request over, and leaves it without an answer.
#[derive(Clone)]
struct HandsOver(mpsc::UnboundedSender<Request<RequestBody>>);

impl Service<Request<RequestBody>> for HandsOver {
    type Response = Response<String>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<String>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<RequestBody>) -> Self::Future {
        drop(self.0.send(request));
        Box::pin(std::future::pending())
    }
}

/// Makes the same service for each connection.
#[derive(Clone)]
struct Makes(HandsOver);

impl Service<SocketAddr> for Makes {
    type Response = HandsOver;
    type Error = io::Error;
    type Future = std::future::Ready<io::Result<HandsOver>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: SocketAddr) -> Self::Future {
        ready(Ok(self.0.clone()))
    }
}

/// Of `serve/builder::serve` and `serve/make_service::serve_make_service`: the listener is closed.
#[test]
fn a_dropped_server_listens_no_more() {
    type State = (Option<TcpListener>, SocketAddr, CancellationToken);
    async fn ends<F: Future<Output = io::Result<()>>>(serve: impl Fn(TcpListener, &CancellationToken) -> F) {
        let make = async || {
            let (listener, address) = listen().await.expect("there is a free port");
            let token = CancellationToken::new();
            let cancelling = token.clone();
            wsrt::spawn(async move {
                later().await;
                cancelling.cancel();
            });
            (Some(listener), address, token)
        };
        let operation = async |(listener, _, token): &mut State| serve(listener.take().expect("once"), token).await;
        let check = async |(_, address, _): State, _| {
            let error = TcpStream::connect(address).await.expect_err("it is closed");
            assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
        };
        cancel_at_each_await(make, operation, check).await;
    }
    run(async || {
        let service = HandsOver(mpsc::unbounded_channel().0);
        ends(|listener, token| serve(listener, service.clone()).with_shutdown_token(token).into_future()).await;
        let makes = Makes(service.clone());
        ends(|listener, token| serve_make_service(listener, makes.clone()).with_shutdown_token(token).into_future())
            .await;
    });
}

const BODY: &[&str] = &["a ", "body ", "in ", "pieces"];

/// Of `RequestBody`: no frame is lost.
#[test]
fn a_body_loses_no_frame() {
    type State = (RequestBody, Vec<u8>);
    run(async || {
        let make = async || {
            let (listener, address) = listen().await.expect("there is a free port");
            let (sender, mut requests) = mpsc::unbounded_channel();
            wsrt::spawn(serve(listener, HandsOver(sender)).into_future());
            wsrt::spawn(async move {
                let mut client = TcpStream::connect(address).await.expect("it listens");
                let length: usize = BODY.iter().map(|piece| piece.len()).sum();
                let head = format!("POST / HTTP/1.1\r\nhost: test\r\ncontent-length: {length}\r\n\r\n");
                client.write_all(head.as_bytes()).await.expect("it reads");
                for piece in BODY {
                    later().await;
                    client.write_all(piece.as_bytes()).await.expect("it reads");
                }
                client.read(&mut [0]).await
            });
            (requests.recv().await.expect("a request").into_body(), Vec::new())
        };
        let read = async |(body, bytes): &mut State| {
            while let Some(frame) = body.frame().await {
                bytes.extend(frame.expect("it is in time").into_data().expect("no trailers"));
            }
        };
        let check = async |mut state: State, _| {
            read(&mut state).await;
            assert_eq!(state.1, BODY.concat().as_bytes());
        };
        cancel_at_each_await(make, read, check).await;
    });
}

/// Of `Connector`: an attempt that was dropped leaves a closed connection, or none.
#[test]
fn an_abandoned_connection_is_closed() {
    run(async || {
        let make = async || {
            let listening = listen().await.expect("there is a free port");
            occupy_blocking_thread();
            listening
        };
        let connect = async |(_, address): &mut (TcpListener, SocketAddr)| {
            Connector::new()
                .call(format!("http://localhost:{}/", address.port()).parse().expect("a URI"))
                .await
                .map(drop)
        };
        let check = async |(listener, address): (TcpListener, SocketAddr), output: Option<io::Result<()>>| {
            calls_have_returned().await;
            // This connection comes after all attempts, and is open.
            let mut last = TcpStream::connect(address).await.expect("it listens");
            last.write_all(b"x").await.expect("it is open");
            let mut buffer = [0];
            while listener.accept().await.expect("it listens").0.read(&mut buffer).await.ok() != Some(1) {}
            assert!(output.is_none_or(|output| output.is_ok()));
        };
        cancel_at_each_await(make, connect, check).await;
    });
}

/// A service whose answers take a moment. The roll counts their drops.
#[derive(Clone)]
struct Slow(Roll);

impl Service<()> for Slow {
    type Response = u32;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<u32, Infallible>>>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, (): ()) -> Self::Future {
        let entry = self.0.entry(0);
        Box::pin(async move {
            later().await;
            drop(entry);
            Ok(7)
        })
    }
}

/// Of `Timeout`, `TimeoutFuture`, `TimeoutAnswer` and `AnswerFuture`: the service's future is
/// dropped where it waits.
#[test]
fn a_time_limit_drops_the_answer() {
    async fn drops<S: Service<()>>(layer: impl Fn(Slow) -> S) {
        let make = async || Slow(Roll::new(1));
        let operation = async |slow: &mut Slow| drop(layer(slow.clone()).call(()).await);
        let check = async |slow: Slow, _| slow.0.assert_each_dropped_once();
        cancel_at_each_await(make, operation, check).await;
    }
    run(async || {
        drops(|slow| TimeoutLayer::new(LIMIT).layer(slow)).await;
        drops(|slow| TimeoutAnswerLayer::new(LIMIT, || 0_u32).layer(slow)).await;
    });
}

/// Of `ResponseFuture`, of the debug pages: a recording that has begun ends, and makes room for
/// another one.
#[test]
fn a_recording_of_the_debug_pages_ends() {
    run(async || {
        let target = format!("/trace?seconds=0.01&runtime={}", Handle::current().id());
        let record = async |pages: &mut wsrt_debug::Service| {
            let request = Request::get(&target).body(()).expect("it is valid");
            pages.call(request).await.unwrap_or_else(|never| match never {}).status()
        };
        let check = async |mut pages: wsrt_debug::Service, output: Option<StatusCode>| {
            assert!(output.is_none_or(|status| status == StatusCode::OK));
            // Two can be recorded at a time.
            while record(&mut pages).await != StatusCode::OK {}
        };
        let make = async || wsrt_debug::Service::at("/");
        cancel_at_each_await(make, async |pages: &mut wsrt_debug::Service| record(pages).await, check).await;
    });
}
