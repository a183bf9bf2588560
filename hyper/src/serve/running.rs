//! A server's life, from the first accept to the last answer.

use std::future::{Future, IntoFuture};
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;

use hyper::body::Body;
use hyper::{Request, Response};
use tower_service::Service;
use wsrt::runtime::Handle;
use wsrt::task::Builder;

use super::accepting::accept;
use super::builder::Signal;
use super::connection_limit::ConnectionLimit;
use super::load_shedding::Admission;
use super::make_service::{ServiceSource, SharedService};
use super::race::unless;
use super::shutdown::ShutdownSender;
use super::wake_times::TimedWakes;
use super::{Handshake, Listener, MakeService, RequestBody, Serve, connection};
use crate::BoxError;

/// The future of a server.
type Running = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

impl<L, S, H> Serve<L, S, H> {
    /// Gives each connection a clone of the one service.
    fn shared(self) -> Serve<L, SharedService<S>, H> {
        let Self { listener, service, handshake, terms, accept_errors, on_connection_error, signal, called_at } = self;
        let service = SharedService(service);
        Serve { listener, service, handshake, terms, accept_errors, on_connection_error, signal, called_at }
    }
}

async fn run<L, O, H, S, B>(mut server: Serve<L, O, H>) -> io::Result<()>
where
    L: Listener,
    H: Handshake<L::Io>,
    O: ServiceSource<L::Addr, Service = S>,
    S: Service<Request<RequestBody>, Response = Response<B>, Error: Into<BoxError>, Future: Send + 'static>,
    S: Clone + Send + 'static,
    B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
{
    let mut asked_to_end = pin!(asked_to_end(server.signal.take()));
    let shutdown = ShutdownSender::new();
    let admission = server.terms.shed_after.map(Admission::new);
    let times = admission.as_ref().map(Admission::times);
    // The listener is dropped, and so closed, with this future.
    let accepting = TimedWakes::new(accept_for_ever(server, admission, &shutdown), times);
    unless(asked_to_end.as_mut(), accepting).await;
    shutdown.begin();
    shutdown.all_have_ended().await;
    Ok(())
}

/// Waits for the user's signal, or until the runtime is drained.
async fn asked_to_end(signal: Option<Signal>) {
    let draining = match Handle::try_current() {
        Ok(handle) => handle.shutdown_token(),
        Err(_) => panic!("wsrt: `serve` was awaited outside a wsrt runtime: await it in a task, or in `block_on`"),
    };
    match signal {
        Some(signal) => _ = draining.run_until_cancelled(signal).await,
        None => draining.cancelled().await,
    }
}

async fn accept_for_ever<L, O, H, S, B>(server: Serve<L, O, H>, admission: Option<Admission>, shutdown: &ShutdownSender)
where
    L: Listener,
    H: Handshake<L::Io>,
    O: ServiceSource<L::Addr, Service = S>,
    S: Service<Request<RequestBody>, Response = Response<B>, Error: Into<BoxError>, Future: Send + 'static>,
    S: Clone + Send + 'static,
    B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
{
    let Serve { mut listener, service: origin, handshake, accept_errors, on_connection_error, called_at, .. } = server;
    let terms = Arc::new(server.terms);
    let limit = ConnectionLimit::new(terms.max_connections);
    if let Some(bytes) = terms.unsent_limit {
        listener.limit_unsent(bytes);
    }
    loop {
        let slot = limit.take().await;
        let accepted = accept(&mut listener, &accept_errors).await;
        let (handshake, origin, terms) = (handshake.clone(), origin.clone(), Arc::clone(&terms));
        let admission = admission.as_ref().map(Admission::of_accepted);
        let times = admission.as_ref().map(Admission::times);
        let serving = connection::serve(accepted, handshake, origin, terms, admission, shutdown.subscribe());
        let hook = on_connection_error.clone();
        let connection = async move {
            if let (Err(error), Some(hook)) = (serving.await, hook) {
                hook(&*error);
            }
            drop(slot);
        };
        // Stall reports name the place where the user called `serve`.
        drop(Builder::new().__spawned_at(called_at).spawn(TimedWakes::new(connection, times)));
    }
}

impl<L, S, H, B> IntoFuture for Serve<L, S, H>
where
    L: Listener,
    H: Handshake<L::Io>,
    S: Service<Request<RequestBody>, Response = Response<B>, Error: Into<BoxError>, Future: Send + 'static>,
    S: Clone + Send + 'static,
    B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
{
    type Output = io::Result<()>;
    type IntoFuture = Running;

    fn into_future(self) -> Running {
        Box::pin(run(self.shared()))
    }
}

impl<L, M, H, S, B> IntoFuture for Serve<L, MakeService<M>, H>
where
    L: Listener,
    H: Handshake<L::Io>,
    M: Service<L::Addr, Response = S, Error: Into<BoxError>, Future: Send + 'static> + Clone + Send + 'static,
    S: Service<Request<RequestBody>, Response = Response<B>, Error: Into<BoxError>, Future: Send + 'static>,
    S: Clone + Send + 'static,
    B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
{
    type Output = io::Result<()>;
    type IntoFuture = Running;

    fn into_future(self) -> Running {
        Box::pin(run(self))
    }
}
