//! `Answering`: a service's answer, within the time limit of a request, or the server's own answer
//! to a request that has waited for too long.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::header::{HeaderValue, RETRY_AFTER};
use hyper::{Response, StatusCode};
use pin_project_lite::pin_project;
use wsrt::time::{Timeout, timeout};

use super::answer_body::AnswerBody;
use super::load_shedding::WaitingRequest;
use super::request_body::IsAnswered;
use super::traffic::RequestTurn;
use crate::BoxError;

pin_project! {
    /// The future of an answer's head, which fails when the limit is over.
    pub(super) struct Answering<F> {
        #[pin]
        answering: Limited<F>,
        request: Option<OpenRequest>,
    }
}

pin_project! {
    /// The service's future. Its time limit is its deadline, which it can ask for.
    #[project = LimitedProjection]
    enum Limited<F> {
        Never { #[pin] answering: F },
        // In a box, since few servers have the limit.
        InTime { answering: Pin<Box<Timeout<F>>> },
    }
}

/// The parts of a request that the head of its answer changes.
#[derive(Debug)]
pub(super) struct OpenRequest {
    pub(super) turn: RequestTurn,
    /// Ends the time limit of the request's body.
    pub(super) is_answered: Option<IsAnswered>,
    /// True if the request asks for a tunnel through its stream (CONNECT of HTTP/2).
    pub(super) asks_for_tunnel: bool,
    /// `None` if the server does not shed load, and once the service has begun.
    pub(super) waiting: Option<WaitingRequest>,
}

impl<F: Future> Answering<F> {
    /// Limits `answering`; `None` means no limit.
    pub(super) fn new(answering: F, limit: Option<Duration>, request: OpenRequest) -> Self {
        let answering = match limit {
            Some(limit) => Limited::InTime { answering: Box::pin(timeout(limit, answering)) },
            None => Limited::Never { answering },
        };
        Self { answering, request: Some(request) }
    }
}

impl OpenRequest {
    fn answered<B>(mut self, answer: Response<B>) -> Response<AnswerBody<B>> {
        if let Some(is_answered) = self.is_answered {
            let _ = is_answered.set(());
        }
        if self.asks_for_tunnel && answer.status().is_success() {
            self.turn.become_tunnel();
        }
        answer.map(|body| AnswerBody::new(body, self.turn))
    }

    /// The server's own answer. The client may try again after a second, the shortest time that the
    /// header can say.
    fn refused<B>(self) -> Response<AnswerBody<B>> {
        let mut answer = Response::new(AnswerBody::empty(self.turn));
        *answer.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
        answer.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
        answer
    }
}

impl<F, B, E> Future for Answering<F>
where
    F: Future<Output = Result<Response<B>, E>>,
    E: Into<BoxError>,
{
    type Output = Result<Response<AnswerBody<B>>, BoxError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        // The service begins in the first poll, and not before.
        if let Some(waiting) = this.request.as_mut().and_then(|request| request.waiting.take()) {
            if waiting.is_refused() {
                let request = this.request.take().expect("it was waiting");
                return Poll::Ready(Ok(request.refused()));
            }
        }
        let answer = match this.answering.project() {
            LimitedProjection::Never { answering } => ready!(answering.poll(context)),
            LimitedProjection::InTime { answering } => match ready!(answering.as_mut().poll(context)) {
                Ok(answer) => answer,
                Err(_) => return Poll::Ready(Err("the request took too long".into())),
            },
        };
        let request = this.request.take().expect("it is not polled after its answer");
        Poll::Ready(answer.map(|answer| request.answered(answer)).map_err(Into::into))
    }
}
