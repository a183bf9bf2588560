//! One connection: its handshake, its requests, and its end.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::{Body, Incoming};
use hyper::http::Extensions;
use hyper::{Method, Request, Response, Version};
use hyper_util::service::TowerToHyperService;
use tower_service::Service;

use super::answer_body::AnswerBody;
use super::limited_io::LimitedIo;
use super::load_shedding::Admission;
use super::make_service::ServiceSource;
use super::race::{unless, within};
use super::request_limit::{Answering, OpenRequest};
use super::shutdown::ShutdownReceiver;
use super::terms::Terms;
use super::time_limits::{Over, TimeLimits};
use super::traffic::Traffic;
use super::{ConnectInfo, Handshake, RequestBody};
use crate::BoxError;

/// Speaks HTTP with one client until it disconnects, violates the protocol or exceeds a time limit,
/// or until the server shuts down and all requests are answered. `admission` may refuse the
/// connection before its handshake.
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
    admission: Option<Admission>,
    mut shutdown: ShutdownReceiver,
) -> Result<(), BoxError>
where
    H: Handshake<Stream>,
    O: ServiceSource<A, Service = S>,
    S: Service<Request<RequestBody>, Response = Response<B>, Error: Into<BoxError>, Future: Send + 'static>,
    S: Clone + Send + 'static,
    A: Clone + Send + Sync + 'static,
    B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
{
    if admission.as_ref().is_some_and(Admission::refuses_connection) {
        return Ok(());
    }
    let mut ended = pin!(shutdown.begun());
    let shaking = async {
        let (io, extensions) = handshake.shake_hands_and_extend(stream).await?;
        Ok::<_, BoxError>((io, extensions, origin.service(peer.clone()).await?))
    };
    let shaking = within(terms.first_request_timeout, shaking);
    let Some(shaken) = unless(ended.as_mut(), shaking).await else { return Ok(()) };
    let (io, extensions, service) = shaken.ok_or("the handshake took too long")??;

    let traffic = Arc::new(Traffic::default());
    let service = TowerToHyperService::new(service);
    let (limit, body_limit) = (terms.request_timeout, terms.body_timeout);
    let service = Announced { service, peer, extensions, traffic: Arc::clone(&traffic), limit, body_limit, admission };
    let io = LimitedIo::new(io, terms.write_timeout, Arc::clone(&traffic));
    let mut connection = pin!(terms.http.serve_connection_with_upgrades(io, service));
    let mut time_limits = TimeLimits::new(Arc::clone(&traffic), terms.limits());
    let serving = poll_fn(|context| poll_serving(connection.as_mut(), &mut time_limits, context));
    let served = unless(ended.as_mut(), serving).await;
    if let Some(ServeOutcome::Ended(outcome)) = served {
        return outcome;
    }
    // HTTP/2's GOAWAY; HTTP/1 closes after its answer.
    connection.as_mut().graceful_shutdown();
    time_limits.be_ending();
    let mut finishing = pin!(poll_fn(|context| poll_serving(connection.as_mut(), &mut time_limits, context)));
    if served.is_some() {
        if let Some(served) = unless(ended, finishing.as_mut()).await {
            return served.outcome();
        }
    }
    let finished = within(terms.shutdown_timeout, finishing).await;
    if !traffic.has_begun() {
        // There was no request, so none is left without an answer, even if hyper returns an error.
        return Ok(());
    }
    finished.map_or_else(|| Err("open requests outlasted the server".into()), ServeOutcome::outcome)
}

/// The outcome of serving a connection.
enum ServeOutcome {
    /// The connection is closed, or must be closed.
    Ended(Result<(), BoxError>),
    /// The connection has had no open request for too long.
    Idle,
}

impl ServeOutcome {
    fn outcome(self) -> Result<(), BoxError> {
        match self {
            Self::Ended(outcome) => outcome,
            Self::Idle => Ok(()),
        }
    }
}

/// Polls the connection and its time limits.
fn poll_serving(
    connection: Pin<&mut impl Future<Output = Result<(), BoxError>>>,
    time_limits: &mut TimeLimits,
    context: &mut Context<'_>,
) -> Poll<ServeOutcome> {
    if let Poll::Ready(outcome) = connection.poll(context) {
        return Poll::Ready(ServeOutcome::Ended(outcome));
    }
    time_limits.poll(context).map(|over| match over {
        // hyper limits how long a request's headers take once it knows the version of HTTP. It
        // waits for that, and for the first request of HTTP/2, without a limit.
        Over::FirstRequest => ServeOutcome::Ended(Err("the first request took too long".into())),
        Over::Room => ServeOutcome::Ended(Err("the client took too little of its answers for too long".into())),
        Over::Idle => ServeOutcome::Idle,
    })
}

/// A service that adds the peer's address and the handshake's results to its requests, limits how
/// long requests and answers take, reports them to the connection's task, and refuses those that
/// have waited for too long.
struct Announced<S, A> {
    service: TowerToHyperService<S>,
    peer: A,
    /// The extensions that the handshake returned; usually empty.
    extensions: Extensions,
    traffic: Arc<Traffic>,
    /// The time limit for an answer.
    limit: Option<Duration>,
    /// The time limit for the waits of the service for a request's body.
    body_limit: Option<Duration>,
    /// `None` if the server does not shed load.
    admission: Option<Admission>,
}

impl<S, A, B> hyper::service::Service<Request<Incoming>> for Announced<S, A>
where
    S: Service<Request<RequestBody>, Response = Response<B>, Error: Into<BoxError>> + Clone,
    A: Clone + Send + Sync + 'static,
    B: Body,
{
    type Response = Response<AnswerBody<B>>;
    type Error = BoxError;
    type Future = Answering<<TowerToHyperService<S> as hyper::service::Service<Request<RequestBody>>>::Future>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let turn = self.traffic.begin();
        let asks_for_tunnel = request.method() == Method::CONNECT && request.version() == Version::HTTP_2;
        let (head, body) = request.into_parts();
        let (body, is_answered) = RequestBody::new(body, self.body_limit);
        let mut request = Request::from_parts(head, body);
        request.extensions_mut().insert(ConnectInfo(self.peer.clone()));
        if !self.extensions.is_empty() {
            request.extensions_mut().extend(self.extensions.clone());
        }
        let waiting = self.admission.as_ref().map(Admission::note_request);
        let open = OpenRequest { turn, is_answered, asks_for_tunnel, waiting };
        Answering::new(self.service.call(request), self.limit, open)
    }
}
