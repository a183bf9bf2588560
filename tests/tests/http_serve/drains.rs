//! A drain of the runtime ends its servers in good order, without a signal of their own.

use std::future::IntoFuture;
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::Duration;

use wsrt::runtime::{Drained, Runtime};
use wsrt::sync::CancellationToken;
use wsrt::time::Instant;
use wsrt_hyper::serve;
use wsrt_tests::{LIMIT, within_a_minute};

use crate::{Server, Serving, ask, await_close, begin_held_request_of_http2, get, read_answer};

/// A server that nothing but a drain ends.
fn start_with(configure: impl FnOnce(Serving) -> Serving) -> Server {
    Server::start_any(|listener, paths, _| configure(serve(listener, paths)).into_future())
}

fn start() -> Server {
    start_with(|serving| serving)
}

/// Drains the server's runtime, on a thread of its own.
fn drain(server: &Server) -> thread::JoinHandle<Drained> {
    let handle = server.runtime.handle().clone();
    thread::spawn(move || handle.block_on(handle.drain(Instant::now() + LIMIT)))
}

fn await_refusal(address: SocketAddr) {
    while TcpStream::connect(address).is_ok() {
        thread::yield_now();
    }
}

#[test]
fn a_drain_answers_open_requests_and_closes_the_rest() {
    within_a_minute(|| {
        let mut server = start();
        let (mut open, mut idle, silent) = (server.connect(), server.connect(), server.connect());
        assert_eq!(get(&mut idle, "/x"), "/x");
        ask(&mut open, "/held");
        server.runtime.block_on(server.paths.held.notified());

        let draining = drain(&server);
        await_close(idle);
        await_close(silent);
        await_refusal(server.address);
        assert!(!draining.is_finished(), "a request is open");
        server.paths.release.notify_one();
        assert_eq!(read_answer(&mut open), "released");
        await_close(open);
        let drained = draining.join().expect("no panic");
        assert!(drained.is_complete(), "{drained}");
        server.wait();
    });
}

#[test]
fn a_drain_answers_open_requests_of_http2() {
    within_a_minute(|| {
        let mut server = start();
        let address = server.address;
        let answer = begin_held_request_of_http2(address);
        server.runtime.block_on(server.paths.held.notified());
        let draining = drain(&server);
        await_refusal(address);
        server.paths.release.notify_one();
        assert_eq!(answer.join().expect("no panic"), "released");
        let drained = draining.join().expect("no panic");
        assert!(drained.is_complete(), "{drained}");
        server.wait();
    });
}

#[test]
fn the_shutdown_timeout_holds_for_a_drain() {
    within_a_minute(|| {
        let server = start_with(|serving| serving.with_shutdown_timeout(Duration::from_millis(50)));
        let mut client = server.connect();
        ask(&mut client, "/held");
        server.runtime.block_on(server.paths.held.notified());
        let drained = drain(&server).join().expect("no panic");
        assert!(drained.is_complete(), "{drained}");
        await_close(client);
    });
}

#[test]
fn a_token_that_fires_without_a_drain_ends_the_server() {
    within_a_minute(|| {
        let mut server = start();
        assert_eq!(get(&mut server.connect(), "/x"), "/x");
        server.runtime.handle().shutdown_token().cancel();
        server.wait();
        await_refusal(server.address);
        let other = server.runtime.spawn(async { 7 });
        assert_eq!(server.runtime.block_on(other).ok(), Some(7), "the runtime goes on");
    });
}

#[test]
fn a_token_of_the_callers_ends_its_server() {
    within_a_minute(|| {
        let token = CancellationToken::new();
        let child = token.child_token();
        let mut server =
            Server::start_any(|listener, paths, _| serve(listener, paths).with_shutdown_token(&child).into_future());
        assert_eq!(get(&mut server.connect(), "/x"), "/x");
        token.cancel();
        server.wait();
        await_refusal(server.address);
        assert!(!server.runtime.handle().shutdown_token().is_cancelled(), "the runtime goes on");
    });
}

#[test]
fn a_drain_ends_a_server_that_its_thread_awaits() {
    within_a_minute(|| {
        let runtime = Runtime::new().expect("a runtime is to be had");
        let listener = runtime.block_on(wsrt::net::TcpListener::bind("127.0.0.1:0")).expect("there is a free port");
        let address = listener.local_addr().expect("it is bound");
        let handle = runtime.handle().clone();
        let draining = thread::spawn(move || {
            let mut idle = TcpStream::connect(address).expect("the server listens");
            assert_eq!(get(&mut idle, "/x"), "/x");
            let drained = handle.block_on(handle.drain(Instant::now() + LIMIT));
            await_close(idle);
            drained
        });
        runtime.block_on(serve(listener, crate::Paths::default()).into_future()).expect("no error");
        let drained = draining.join().expect("no panic");
        assert!(drained.is_complete(), "{drained}");
    });
}
