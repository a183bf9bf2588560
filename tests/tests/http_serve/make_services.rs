//! Servers that make a service for each connection.

use std::convert::Infallible;
use std::future::{Future, IntoFuture, ready};
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::mpsc;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::{Request, Response};
use wsrt::sync::mpsc as async_mpsc;
use wsrt_hyper::{RequestBody, serve_make_service};
use wsrt_tests::{LIMIT, within_a_minute};

use crate::{Server, await_close, get};

/// Answers each request with the address for which it was made.
#[derive(Clone)]
struct Named(SocketAddr);

impl tower_service::Service<Request<RequestBody>> for Named {
    type Response = Response<String>;
    type Error = Infallible;
    type Future = std::future::Ready<Result<Response<String>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Request<RequestBody>) -> Self::Future {
        ready(Ok(Response::new(format!("made for {}", self.0))))
    }
}

#[derive(Clone, Copy)]
enum Manner {
    Makes,
    Refuses,
    NeverMakes,
}

/// Makes services, or does not: the first connection and those after it are treated in order.
#[derive(Clone)]
struct Maker {
    manners: std::sync::Arc<std::sync::Mutex<Vec<Manner>>>,
    /// Told of each call.
    calls: async_mpsc::UnboundedSender<()>,
}

impl tower_service::Service<SocketAddr> for Maker {
    type Response = Named;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Named>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, peer: SocketAddr) -> Self::Future {
        let manner = self.manners.lock().expect("no panic").pop().unwrap_or(Manner::Makes);
        let _ = self.calls.send(());
        match manner {
            Manner::Makes => Box::pin(ready(Ok(Named(peer)))),
            Manner::Refuses => Box::pin(ready(Err(io::Error::other("not for you")))),
            Manner::NeverMakes => Box::pin(std::future::pending()),
        }
    }
}

fn start(first: Manner) -> (Server, mpsc::Receiver<String>, async_mpsc::UnboundedReceiver<()>) {
    let (told, tells) = mpsc::channel();
    let (calls, called) = async_mpsc::unbounded_channel();
    let maker = Maker { manners: std::sync::Arc::new(std::sync::Mutex::new(vec![first])), calls };
    let server = Server::start_any(|listener, _, end| {
        serve_make_service(listener, maker)
            .with_first_request_timeout(Duration::from_secs(2))
            .on_connection_error(move |error| told.send(error.to_string()).expect("the test listens"))
            .with_graceful_shutdown(end)
            .into_future()
    });
    (server, tells, called)
}

#[test]
fn each_connection_has_a_service_made_for_its_peer() {
    within_a_minute(|| {
        let (mut server, _tells, _called) = start(Manner::Makes);
        let (mut one, mut two) = (server.connect(), server.connect());
        for client in [&mut one, &mut two] {
            let own = format!("made for {}", client.local_addr().expect("it is connected"));
            assert_eq!(get(client, "/x"), own);
            assert_eq!(get(client, "/y"), own, "the second one too");
        }
        drop((one, two));
        server.end();
        server.wait();
    });
}

#[test]
fn a_peer_without_a_service_is_closed_others_are_served() {
    within_a_minute(|| {
        for (manner, report) in [(Manner::Refuses, "not for you"), (Manner::NeverMakes, "the handshake took too long")]
        {
            let (server, tells, mut called) = start(manner);
            let without = server.connect();
            server.runtime.block_on(called.recv()).expect("a connection came");
            let mut with = server.connect();
            assert!(get(&mut with, "/x").starts_with("made for "));
            await_close(without);
            assert_eq!(tells.recv_timeout(LIMIT).as_deref(), Ok(report));
        }
    });
}
