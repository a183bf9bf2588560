//! One connection: its handshake, its requests, and when it is given up.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::{Body, Incoming};
use hyper::{Request, Response};
use hyper_util::service::TowerToHyperService;
use tower_service::Service;

use super::ending::Ending;
use super::race::{unless, within};
use super::{BoxError, ConnectInfo, Handshake, HttpBuilder};
use crate::time::{Sleep, sleep};

/// What all connections of a server share.
#[derive(Debug)]
pub(super) struct Terms {
    pub(super) http: HttpBuilder,
    /// How long the handshake may take, and then the first request's headers; `None` for as long as
    /// they like.
    pub(super) first_request_timeout: Option<Duration>,
    /// How long open requests may take once the server ends; `None` for as long as they like.
    pub(super) shutdown_timeout: Option<Duration>,
}

/// Speaks HTTP with one client until it leaves, breaks the rules or dawdles, or until the server
/// ends and all is answered.
///
/// # Errors
///
/// In all of these cases but the first and the last. The client has been told what can be told.
pub(super) async fn serve<Stream, H, S, A, B>(
    (stream, peer): (Stream, A),
    handshake: H,
    service: S,
    terms: Arc<Terms>,
    mut ending: Ending,
) -> Result<(), BoxError>
where
    H: Handshake<Stream>,
    S: Service<Request<Incoming>, Response = Response<B>, Error: Into<BoxError>, Future: Send + 'static>,
    S: Clone + Send + 'static,
    A: Clone + Send + Sync + 'static,
    B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
{
    let mut ended = pin!(ending.begun());
    let shaking = within(terms.first_request_timeout, handshake.shake_hands(stream));
    let Some(shaken) = unless(ended.as_mut(), shaking).await else { return Ok(()) };
    let io = shaken.ok_or("the handshake took too long")??;

    let begun = Arc::new(Begun::default());
    let service = Announced { service: TowerToHyperService::new(service), peer, begun: Arc::clone(&begun) };
    let mut connection = pin!(terms.http.serve_connection_with_upgrades(io, service));
    // hyper limits how long a request's headers take once it knows which HTTP is spoken. It waits
    // for that, and for the first request of HTTP/2, without a limit.
    let mut limit = pin!(terms.first_request_timeout.map(sleep));
    let serving = poll_fn(|context| poll_serving(connection.as_mut(), limit.as_mut(), &begun, context));
    if let Some(served) = unless(ended, serving).await {
        return served;
    }
    connection.as_mut().graceful_shutdown();
    let finishing = poll_fn(|context| poll_serving(connection.as_mut(), limit.as_mut(), &begun, context));
    let finished = within(terms.shutdown_timeout, finishing).await;
    if !begun.is_set() {
        // Nobody goes without an answer, whatever hyper calls it.
        return Ok(());
    }
    finished.unwrap_or_else(|| Err("open requests outlasted the server".into()))
}

/// Polls the connection, within the limit for its first request.
fn poll_serving(
    connection: Pin<&mut impl Future<Output = Result<(), BoxError>>>,
    mut limit: Pin<&mut Option<Sleep>>,
    begun: &Begun,
    context: &mut Context<'_>,
) -> Poll<Result<(), BoxError>> {
    if let Poll::Ready(served) = connection.poll(context) {
        return Poll::Ready(served);
    }
    if begun.is_set() {
        limit.set(None);
    }
    let dawdles = limit.as_pin_mut().is_some_and(|limit| limit.poll(context).is_ready());
    if dawdles { Poll::Ready(Err("the first request took too long".into())) } else { Poll::Pending }
}

/// Whether a connection has brought a request. Relaxed: set by the task that reads it.
#[derive(Debug, Default)]
struct Begun(AtomicBool);

impl Begun {
    fn set(&self) {
        self.0.store(true, Relaxed);
    }

    #[must_use]
    fn is_set(&self) -> bool {
        self.0.load(Relaxed)
    }
}

/// A service whose requests say where they come from, and that they have come.
struct Announced<S, A> {
    service: TowerToHyperService<S>,
    peer: A,
    begun: Arc<Begun>,
}

impl<S, A> hyper::service::Service<Request<Incoming>> for Announced<S, A>
where
    S: Service<Request<Incoming>> + Clone,
    A: Clone + Send + Sync + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = <TowerToHyperService<S> as hyper::service::Service<Request<Incoming>>>::Future;

    fn call(&self, mut request: Request<Incoming>) -> Self::Future {
        self.begun.set();
        request.extensions_mut().insert(ConnectInfo(self.peer.clone()));
        self.service.call(request)
    }
}
