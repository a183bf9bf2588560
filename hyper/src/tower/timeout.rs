//! `TimeoutLayer`: a service that takes too long fails.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use pin_project_lite::pin_project;
use tower_layer::Layer;
use tower_service::Service;
use wsrt::time::{self, timeout};

use crate::BoxError;

/// Limits how long a service may take for each answer; then it fails with an
/// [`Elapsed`](wsrt::time::error::Elapsed).
///
/// The time counts from the call to the service. A limit of [`Duration::MAX`] is none. An answer
/// that is ready counts, however late it is. The body of an HTTP response is not part of the
/// answer: it may take as long as it wants.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use wsrt_hyper::tower::TimeoutLayer;
///
/// // With tower: `ServiceBuilder::new().layer(limit).service(client)`.
/// let limit = TimeoutLayer::new(Duration::from_secs(10));
/// # drop(limit);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct TimeoutLayer {
    limit: Duration,
}

impl TimeoutLayer {
    /// Returns a layer with this limit.
    #[must_use]
    pub fn new(limit: Duration) -> Self {
        Self { limit }
    }
}

impl<S> Layer<S> for TimeoutLayer {
    type Service = Timeout<S>;

    fn layer(&self, inner: S) -> Timeout<S> {
        Timeout::new(inner, self.limit)
    }
}

/// Wraps a service whose answers have a time limit. Made by a [`TimeoutLayer`].
///
/// # Panics
///
/// The first poll of an answer that has to wait panics outside a wsrt runtime.
///
/// # Cancel safety
///
/// The limit has the effect of a cancellation: it drops the service's future wherever that waits.
///
/// # Examples
///
/// ```
/// # use tower_service::Service;
/// # use std::time::Duration;
/// # #[derive(Clone)] struct Double;
/// # impl Service<u32> for Double {
/// #     type Response = u32;
/// #     type Error = std::convert::Infallible;
/// #     type Future = std::future::Ready<Result<u32, Self::Error>>;
/// #     fn poll_ready(&mut self, _: &mut std::task::Context<'_>) -> std::task::Poll<Result<(), Self::Error>> {
/// #         std::task::Poll::Ready(Ok(()))
/// #     }
/// #     fn call(&mut self, n: u32) -> Self::Future { std::future::ready(Ok(2 * n)) }
/// # }
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// // `Double` is a service that doubles.
/// let mut limited = wsrt_hyper::tower::Timeout::new(Double, Duration::from_secs(1));
/// assert_eq!(limited.call(21).await?, 42);
/// # Ok::<(), wsrt_hyper::BoxError>(()) }).unwrap();
/// # std::io::Result::Ok(())
/// ```
#[derive(Debug, Clone)]
pub struct Timeout<S> {
    inner: S,
    limit: Duration,
}

impl<S> Timeout<S> {
    /// Limits how long `inner` may take for each answer.
    #[must_use]
    pub fn new(inner: S, limit: Duration) -> Self {
        Self { inner, limit }
    }

    /// Returns the service.
    pub fn into_inner(self) -> S {
        self.inner
    }

    /// Returns the service.
    pub fn get_ref(&self) -> &S {
        &self.inner
    }
}

impl<S, Request> Service<Request> for Timeout<S>
where
    S: Service<Request, Error: Into<BoxError>>,
{
    type Response = S::Response;
    type Error = BoxError;
    type Future = TimeoutFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, request: Request) -> TimeoutFuture<S::Future> {
        TimeoutFuture { answering: timeout(self.limit, self.inner.call(request)) }
    }
}

pin_project! {
    /// The future of a [`Timeout`]'s answer.
    ///
    /// # Cancel safety
    ///
    /// It drops the service's future with itself, wherever that waits.
    #[derive(Debug)]
    #[must_use = "a future does nothing unless it is awaited"]
    pub struct TimeoutFuture<F> {
        #[pin]
        answering: time::Timeout<F>,
    }
}

impl<F, T, E> Future for TimeoutFuture<F>
where
    F: Future<Output = Result<T, E>>,
    E: Into<BoxError>,
{
    type Output = Result<T, BoxError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.project().answering.poll(cx).map(|outcome| outcome?.map_err(Into::into))
    }
}
