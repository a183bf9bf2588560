//! A standard error that cannot be written stops no task: only wsrt's reports are lost.
#![cfg(unix)]

use std::convert::Infallible;
use std::future::{IntoFuture, Ready, pending, ready};
use std::io;
use std::net::SocketAddr;
use std::sync::mpsc::{Sender, channel};
use std::task::{Context, Poll};

use http_body_util::Empty;
use hyper::body::Bytes;
use hyper::{Request, Response};
use wsrt::net::TcpStream;
use wsrt::runtime::{Builder, Runtime};
use wsrt_hyper::{Listener, RequestBody, serve};
use wsrt_tests::{Gate, LIMIT, Manner, eventually, in_a_process_whose_errors_nobody_reads};

#[test]
fn stalls_are_watched_for_after_one_was_reported() {
    let output = in_a_process_whose_errors_nobody_reads("stalls_are_watched_for_after_one_was_reported", || {
        let runtime = Builder::new_multi_thread().worker_threads(1).build().expect("a runtime");
        for count in 1..=2 {
            let gate = Gate::new();
            let hold = gate.hold();
            let stuck = runtime.spawn(async move { hold.wait(Manner::Asleep) });
            let is_counted = || runtime.metrics().snapshot().stall_count() >= count;
            eventually("a poll that lasts is not counted", is_counted);
            gate.open();
            runtime.block_on(stuck).expect("no panic");
        }
        drop(runtime);
    });
    assert!(output.status.success(), "{}", output.status);
}

/// Has no descriptors left once, and then nothing to accept.
struct Exhausted {
    has_failed: bool,
    accepts: Sender<()>,
}

impl Listener for Exhausted {
    type Io = TcpStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> io::Result<(TcpStream, SocketAddr)> {
        self.accepts.send(()).expect("the test waits");
        if !std::mem::replace(&mut self.has_failed, true) {
            return Err(io::Error::other("out of everything"));
        }
        pending().await
    }
}

#[derive(Clone)]
struct Empties;

impl tower_service::Service<Request<RequestBody>> for Empties {
    type Response = Response<Empty<Bytes>>;
    type Error = Infallible;
    type Future = Ready<Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Request<RequestBody>) -> Self::Future {
        ready(Ok(Response::new(Empty::new())))
    }
}

#[test]
fn a_server_goes_on_when_it_cannot_complain() {
    let output = in_a_process_whose_errors_nobody_reads("a_server_goes_on_when_it_cannot_complain", || {
        let (accepts, accepting) = channel();
        let runtime = Runtime::new().expect("a runtime");
        let server = serve(Exhausted { has_failed: false, accepts }, Empties);
        drop(runtime.spawn(server.into_future()));
        for _ in 0..2 {
            accepting.recv_timeout(LIMIT).expect("it accepts again");
        }
    });
    assert!(output.status.success(), "{}", output.status);
}
