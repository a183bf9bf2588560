//! `TimeoutLayer`: fails a service that takes too long.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use pin_project_lite::pin_project;
use tower_layer::Layer;
use tower_service::Service;
use wsrt::time::{self, timeout};

use crate::BoxError;

/// A tower layer that limits how long a service may take to respond. If the time runs out, the
/// service fails with an [`Elapsed`](wsrt::time::error::Elapsed) error.
///
/// The time counts from the call to the service. A limit of [`Duration::MAX`] means no limit. An
/// answer that is ready is returned, however late it is. The body of an HTTP response is not part
/// of the answer, and may take any amount of time.
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
    /// Creates a layer with the given time limit.
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

/// A service whose answers have a time limit. Created by a [`TimeoutLayer`].
///
/// # Panics
///
/// The first poll of an answer that has to wait panics if it happens outside a wsrt runtime.
///
/// # Cancel safety
///
/// When the limit expires, the service's future is dropped at whichever point it waits, as with any
/// cancellation.
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
    /// Wraps `inner`, limiting how long it may take for each answer.
    #[must_use]
    pub fn new(inner: S, limit: Duration) -> Self {
        Self { inner, limit }
    }

    /// Consumes the wrapper and returns the wrapped service.
    pub fn into_inner(self) -> S {
        self.inner
    }

    /// Returns a reference to the wrapped service.
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
    /// The future returned by [`Timeout`], which resolves to the service's answer or to an error
    /// when the limit expires.
    ///
    /// # Cancel safety
    ///
    /// Dropping this future also drops the service's future, at whichever point it waits.
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
