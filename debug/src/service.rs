//! The pages as a tower service.

use std::convert::Infallible;
use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, Request, Response, StatusCode, header};
use http_body::{Frame, SizeHint};
use wsrt::sync::oneshot;

use crate::answer::{Answer, Content, HEADERS};
use crate::making::Makers;
use crate::pages::Wanted;

/// A tower service with the pages, for a router of axum or another one.
///
/// The service checks neither hosts nor passwords: the router's layers decide who may look. Each
/// answer is made by a thread of its own, so that a page about stuck workers needs no blocking
/// thread of the runtime; at most 16 at a time. The router itself needs a worker, which a
/// [server of its own](crate::serve) does not.
///
/// # Examples
///
/// ```
/// use wsrt_debug::Service;
///
/// // With axum: `Router::new().nest_service("/debug", Service::at("/debug"))`.
/// let service = Service::at("/debug");
/// # drop(service);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Service {
    prefix: Arc<str>,
    makers: Makers,
}

impl Service {
    /// Creates a service whose pages are at `prefix`: `/debug/tasks` for `/debug`, and `/tasks` for
    /// the empty string.
    ///
    /// The links on the index begin with `prefix`. A router may take `prefix` from the front of the
    /// paths, as axum's `nest_service` does, or leave it there.
    #[must_use]
    pub fn at(prefix: &str) -> Self {
        Self { prefix: prefix.trim_end_matches('/').into(), makers: Makers::default() }
    }

    /// Has a thread make the answer.
    fn ask(&self, wanted: Wanted) -> Result<oneshot::Receiver<Answer>, Answer> {
        let (sender, receiver) = oneshot::channel();
        // The client may have gone.
        self.makers.make(wanted, Arc::clone(&self.prefix), move |answer| _ = sender.send(answer))?;
        Ok(receiver)
    }
}

impl<B> tower_service::Service<Request<B>> for Service {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = ResponseFuture;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> ResponseFuture {
        let wants_body = request.method() != Method::HEAD;
        let answer = match *request.method() {
            Method::GET | Method::HEAD => {
                let target = request.uri().path_and_query().map_or("/", |target| target.as_str());
                self.ask(Wanted { target: target.to_owned(), wants_body })
            }
            _ => Err(Answer::not_allowed()),
        };
        ResponseFuture { answer: answer.map_err(Some), wants_body }
    }
}

/// The future returned by [`Service`], which resolves to the response with a page.
///
/// # Cancel safety
///
/// If the future is dropped, a recording that has begun still runs to its end.
#[must_use = "a future does nothing unless it is awaited"]
pub struct ResponseFuture {
    /// The refusal if no thread makes an answer, until a poll returns it.
    answer: Result<oneshot::Receiver<Answer>, Option<Answer>>,
    wants_body: bool,
}

impl fmt::Debug for ResponseFuture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseFuture").finish_non_exhaustive()
    }
}

impl Future for ResponseFuture {
    type Output = Result<Response<Body>, Infallible>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let wants_body = self.wants_body;
        let answer = match &mut self.answer {
            Ok(receiver) => match Pin::new(receiver).poll(context) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(sent) => sent.unwrap_or_else(|_| Answer::panicked()),
            },
            Err(refusal) => refusal.take().unwrap_or_else(Answer::panicked),
        };
        Poll::Ready(Ok(response(answer, wants_body)))
    }
}

fn response(answer: Answer, wants_body: bool) -> Response<Body> {
    let len = answer.content.len();
    let disposition = answer.disposition().and_then(|value| HeaderValue::try_from(value).ok());
    let content = if wants_body { answer.content } else { Content::Unmade };
    let mut response = Response::new(Body { content });
    *response.status_mut() = StatusCode::from_u16(answer.status.0).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(answer.content_type));
    if let Some(len) = len {
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(len));
    }
    for (name, value) in HEADERS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    if let Some(disposition) = disposition {
        headers.insert(header::CONTENT_DISPOSITION, disposition);
    }
    response
}

/// The body of a response of [`Service`].
#[derive(Debug)]
pub struct Body {
    content: Content,
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = io::Error;

    /// Reads from the file without waiting for the disk: it was written a moment ago.
    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let piece = match &mut self.content {
            Content::Bytes(bytes) => Ok(std::mem::take(bytes)),
            Content::File(recorded) => {
                let mut piece = Vec::new();
                recorded.read_piece(&mut piece).map(|()| piece)
            }
            Content::Unmade => Ok(Vec::new()),
        };
        match piece {
            Ok(piece) if piece.is_empty() => Poll::Ready(None),
            piece => Poll::Ready(Some(piece.map(|piece| Frame::data(piece.into())))),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.content.len().unwrap_or(0) == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.content.len().unwrap_or(0))
    }
}
