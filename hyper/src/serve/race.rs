//! Waiting for the first of two events.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use wsrt::time::timeout;

/// Waits for `future`, for at most `limit`, and returns its output; `None` if the limit expires
/// first.
pub(super) async fn within<F: Future>(limit: Option<Duration>, future: F) -> Option<F::Output> {
    match limit {
        None => Some(future.await),
        Some(limit) => timeout(limit, future).await.ok(),
    }
}

/// Waits for `future`, unless `other` completes first.
pub(super) async fn unless<F: Future>(
    mut other: Pin<&mut (impl Future<Output = ()> + ?Sized)>,
    future: F,
) -> Option<F::Output> {
    let mut future = pin!(future);
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => other.as_mut().poll(context).map(|()| None),
    })
    .await
}
