//! `TimeoutAnswerLayer`: answers in place of a service that takes too long.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use pin_project_lite::pin_project;
use tower_layer::Layer;
use tower_service::Service;
use wsrt::time::{self, timeout};

/// A tower layer that limits how long a service may take to respond. If the time runs out, the
/// request is answered with the response that a closure returns.
///
/// The time is measured as in a [`TimeoutLayer`](super::TimeoutLayer). This layer adds no error to
/// the service, so it works with an axum router, which requires layers that cannot fail.
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
    /// Creates a layer with the given time limit. `answer` is called to create the response when
    /// the limit expires.
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

/// A service with a time limit, after which a closure's response is returned instead. Created by a
/// [`TimeoutAnswerLayer`].
///
/// # Panics
///
/// The first poll of an answer that has to wait panics if it happens outside a wsrt runtime.
///
/// # Cancel safety
///
/// When the limit expires, the service's future is dropped at whichever point it waits, as with any
/// cancellation.
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
    /// The future returned by [`TimeoutAnswer`], which resolves to the service's response or to the
    /// closure's.
    ///
    /// # Cancel safety
    ///
    /// Dropping this future also drops the service's future, at whichever point it waits.
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
