//! One connection: its handshake, its requests, and its end.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::{Body, Incoming};
use hyper::http::Extensions;
use hyper::{Request, Response};
use hyper_util::service::TowerToHyperService;
use tower_service::Service;

use super::ending::Ending;
use super::guarded::Guarded;
use super::make_service::Origin;
use super::race::{unless, within};
use super::request_limit::Answering;
use super::{BoxError, ConnectInfo, Handshake, HttpBuilder};
use crate::time::{Sleep, sleep};

/// The settings that all connections of a server share.
#[derive(Debug)]
pub(super) struct Terms {
    pub(super) http: HttpBuilder,
    /// How long the handshake may take, and then the first request's headers; `None` is without a
    /// limit.
    pub(super) first_request_timeout: Option<Duration>,
    /// How long the service may take to answer a request; `None` is without a limit.
    pub(super) request_timeout: Option<Duration>,
    /// How long a write may wait for the client; `None` is without a limit.
    pub(super) write_timeout: Option<Duration>,
    /// How many bytes the system may keep unsent for a connection; `None` is its own limit.
    pub(super) unsent_limit: Option<u32>,
    /// How many connections may be open at a time; `None` is without a limit.
    pub(super) max_connections: Option<usize>,
    /// How long open requests may take once the server shuts down; `None` is without a limit.
    pub(super) shutdown_timeout: Option<Duration>,
}

/// Speaks HTTP with one client until it disconnects, violates the protocol or exceeds a time limit,
/// or until the server shuts down and all requests are answered.
///
/// # Errors
///
/// Returns an error in all of these cases but the first and the last. An error response has been
/// sent where that is possible.
pub(super) async fn serve<Stream, H, O, S, A, B>(
    (stream, peer): (Stream, A),
    handshake: H,
    origin: O,
    terms: Arc<Terms>,
    mut ending: Ending,
) -> Result<(), BoxError>
where
    H: Handshake<Stream>,
    O: Origin<A, Service = S>,
    S: Service<Request<Incoming>, Response = Response<B>, Error: Into<BoxError>, Future: Send + 'static>,
    S: Clone + Send + 'static,
    A: Clone + Send + Sync + 'static,
    B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
{
    let mut ended = pin!(ending.begun());
    let shaking = async {
        let (io, extensions) = handshake.shake_hands_and_extend(stream).await?;
        Ok::<_, BoxError>((io, extensions, origin.service(peer.clone()).await?))
    };
    let shaking = within(terms.first_request_timeout, shaking);
    let Some(shaken) = unless(ended.as_mut(), shaking).await else { return Ok(()) };
    let (io, extensions, service) = shaken.ok_or("the handshake took too long")??;

    let begun = Arc::new(OnceLock::new());
    let (service, limit) = (TowerToHyperService::new(service), terms.request_timeout);
    let service = Announced { service, peer, extensions, begun: Arc::clone(&begun), limit };
    let io = Guarded::new(io, terms.write_timeout);
    let mut connection = pin!(terms.http.serve_connection_with_upgrades(io, service));
    // hyper limits how long a request's headers take once it knows the version of HTTP. It waits
    // for that, and for the first request of HTTP/2, without a limit.
    let mut limit = pin!(terms.first_request_timeout.map(sleep));
    let serving = poll_fn(|context| poll_serving(connection.as_mut(), limit.as_mut(), &begun, context));
    if let Some(served) = unless(ended, serving).await {
        return served;
    }
    connection.as_mut().graceful_shutdown();
    let finishing = poll_fn(|context| poll_serving(connection.as_mut(), limit.as_mut(), &begun, context));
    let finished = within(terms.shutdown_timeout, finishing).await;
    if begun.get().is_none() {
        // There was no request, so none is left without an answer, even if hyper returns an error.
        return Ok(());
    }
    finished.unwrap_or_else(|| Err("open requests outlasted the server".into()))
}

/// Polls the connection, and the time limit for its first request.
fn poll_serving(
    connection: Pin<&mut impl Future<Output = Result<(), BoxError>>>,
    mut limit: Pin<&mut Option<Sleep>>,
    begun: &OnceLock<()>,
    context: &mut Context<'_>,
) -> Poll<Result<(), BoxError>> {
    if let Poll::Ready(served) = connection.poll(context) {
        return Poll::Ready(served);
    }
    if begun.get().is_some() {
        limit.set(None);
    }
    let dawdles = limit.as_pin_mut().is_some_and(|limit| limit.poll(context).is_ready());
    if dawdles { Poll::Ready(Err("the first request took too long".into())) } else { Poll::Pending }
}

/// A service that adds the peer's address and the handshake's findings to its requests, limits how
/// long answers take, and records that the first request has arrived.
struct Announced<S, A> {
    service: TowerToHyperService<S>,
    peer: A,
    /// Of the handshake; empty as a rule.
    extensions: Extensions,
    /// Whether a request has arrived. Set and read by the connection's task.
    begun: Arc<OnceLock<()>>,
    /// How long an answer may take.
    limit: Option<Duration>,
}

impl<S, A> hyper::service::Service<Request<Incoming>> for Announced<S, A>
where
    S: Service<Request<Incoming>, Error: Into<BoxError>> + Clone,
    A: Clone + Send + Sync + 'static,
{
    type Response = S::Response;
    type Error = BoxError;
    type Future = Answering<<TowerToHyperService<S> as hyper::service::Service<Request<Incoming>>>::Future>;

    fn call(&self, mut request: Request<Incoming>) -> Self::Future {
        let _ = self.begun.set(());
        request.extensions_mut().insert(ConnectInfo(self.peer.clone()));
        if !self.extensions.is_empty() {
            request.extensions_mut().extend(self.extensions.clone());
        }
        Answering::new(self.service.call(request), self.limit)
    }
}
