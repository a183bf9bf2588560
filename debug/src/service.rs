//! The pages as a tower service.

use std::convert::Infallible;
use std::io::{self, Read};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::task::{Context, Poll};
use std::{fmt, thread};

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, Request, Response, StatusCode, header};
use http_body::{Frame, SizeHint};
use wsrt::sync::oneshot;

use crate::answer::{Answer, BUSY, Content, FAILED, HEADERS, NOT_ALLOWED};
use crate::pages;

/// The most answers that are made at a time.
const MOST_THREADS: usize = 16;
/// How much of a file is read at a time.
const PIECE: u64 = 64 << 10;

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
    threads: Arc<AtomicUsize>,
}

impl Service {
    /// Creates a service whose pages are at `prefix`: `/debug/tasks` for `/debug`, and `/tasks` for
    /// the empty string.
    ///
    /// The links on the index begin with `prefix`. A router may take `prefix` from the front of the
    /// paths, as axum's `nest_service` does, or leave it there.
    #[must_use]
    pub fn at(prefix: &str) -> Self {
        Self { prefix: prefix.trim_end_matches('/').into(), threads: Arc::default() }
    }

    /// Has a thread make the answer.
    fn ask(&self, target: String) -> Result<oneshot::Receiver<Answer>, Answer> {
        // Relaxed: it is a number, and guards nothing.
        if self.threads.fetch_add(1, Relaxed) >= MOST_THREADS {
            self.threads.fetch_sub(1, Relaxed);
            return Err(Answer::refusal(BUSY, format!("{MOST_THREADS} answers are being made: ask again")));
        }
        let counted = Counted(Arc::clone(&self.threads));
        let (sender, receiver) = oneshot::channel();
        let prefix = Arc::clone(&self.prefix);
        let make = move || {
            let _counted = counted;
            // The client may have gone. A page that panics drops the sender.
            let _ = sender.send(pages::answer(&target, &prefix));
        };
        let thread = thread::Builder::new().name("wsrt-debug-page".into()).spawn(make);
        thread
            .map(|_| receiver)
            .map_err(|error| Answer::refusal(BUSY, format!("no thread can be had for the answer: {error}")))
    }
}

/// One of the threads, until it is dropped.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
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
                self.ask(target.to_owned())
            }
            _ => Err(Answer::refusal(NOT_ALLOWED, "the pages are read by GET or HEAD")),
        };
        ResponseFuture { answer: answer.map_err(Some), wants_body }
    }
}

/// The future returned by [`Service`], which resolves to the response with a page.
///
/// # Cancel safety
///
/// A recording that has begun goes on to its end if the future is dropped.
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
        let failed = || Answer::refusal(FAILED, "this page has panicked: see the program's standard error");
        let wants_body = self.wants_body;
        let answer = match &mut self.answer {
            Ok(receiver) => match Pin::new(receiver).poll(context) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(sent) => sent.unwrap_or_else(|_| failed()),
            },
            Err(refusal) => refusal.take().unwrap_or_else(failed),
        };
        Poll::Ready(Ok(response(answer, wants_body)))
    }
}

fn response(answer: Answer, wants_body: bool) -> Response<Body> {
    let len = answer.content.len();
    let disposition = answer.disposition().and_then(|value| HeaderValue::try_from(value).ok());
    let content = if wants_body { answer.content } else { Content::Bytes(Vec::new()) };
    let mut response = Response::new(Body { content });
    *response.status_mut() = StatusCode::from_u16(answer.status.0).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(answer.content_type));
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(len));
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
                let mut piece = vec![0; PIECE.min(recorded.len) as usize];
                recorded.len -= piece.len() as u64;
                recorded.file.read_exact(&mut piece).map(|()| piece)
            }
        };
        match piece {
            Ok(piece) if piece.is_empty() => Poll::Ready(None),
            piece => Poll::Ready(Some(piece.map(|piece| Frame::data(piece.into())))),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.content.len() == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.content.len())
    }
}
