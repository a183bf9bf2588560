//! `TimeoutAnswerLayer`: a service that takes too long is answered for.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use pin_project_lite::pin_project;
use tower_layer::Layer;
use tower_service::Service;
use wsrt::time::{self, timeout};

/// Limits how long a service may take for each answer, and then answers with a closure's response.
///
/// The limits of a [`TimeoutLayer`](super::TimeoutLayer) hold here, too, but the service never
/// fails because of this one: what an axum router asks of its layers.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use hyper::{Response, StatusCode};
/// use wsrt_hyper::tower::TimeoutAnswerLayer;
///
/// // With axum: `router.layer(TimeoutAnswerLayer::new(limit, || StatusCode::GATEWAY_TIMEOUT.into_response()))`.
/// let layer = TimeoutAnswerLayer::new(Duration::from_secs(10), || {
///     let mut response = Response::new("too slow".to_owned());
///     *response.status_mut() = StatusCode::GATEWAY_TIMEOUT;
///     response
/// });
/// # drop(layer);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct TimeoutAnswerLayer<A> {
    limit: Duration,
    answer: A,
}

impl<A> TimeoutAnswerLayer<A> {
    /// Returns a layer with this limit; `answer` makes the response when it is over.
    #[must_use]
    pub fn new(limit: Duration, answer: A) -> Self {
        Self { limit, answer }
    }
}

impl<S, A: Clone> Layer<S> for TimeoutAnswerLayer<A> {
    type Service = TimeoutAnswer<S, A>;

    fn layer(&self, inner: S) -> TimeoutAnswer<S, A> {
        TimeoutAnswer { inner, limit: self.limit, answer: self.answer.clone() }
    }
}

/// Wraps a service that is answered for when it takes too long. Made by a [`TimeoutAnswerLayer`].
///
/// # Panics
///
/// The first poll of an answer that has to wait panics outside a wsrt runtime.
///
/// # Cancel safety
///
/// The limit has the effect of a cancellation: it drops the service's future wherever that waits.
#[derive(Debug, Clone)]
pub struct TimeoutAnswer<S, A> {
    inner: S,
    limit: Duration,
    answer: A,
}

impl<S, A, Request> Service<Request> for TimeoutAnswer<S, A>
where
    S: Service<Request>,
    A: Fn() -> S::Response + Clone,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = AnswerFuture<S::Future, A>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        AnswerFuture { answering: timeout(self.limit, self.inner.call(request)), answer: self.answer.clone() }
    }
}

pin_project! {
    /// The future of a [`TimeoutAnswer`]'s answer.
    ///
    /// # Cancel safety
    ///
    /// It drops the service's future with itself, wherever that waits.
    #[derive(Debug)]
    #[must_use = "a future does nothing unless it is awaited"]
    pub struct AnswerFuture<F, A> {
        #[pin]
        answering: time::Timeout<F>,
        answer: A,
    }
}

impl<F, T, E, A> Future for AnswerFuture<F, A>
where
    F: Future<Output = Result<T, E>>,
    A: Fn() -> T,
{
    type Output = Result<T, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        this.answering.poll(cx).map(|outcome| outcome.unwrap_or_else(|_| Ok((this.answer)())))
    }
}
