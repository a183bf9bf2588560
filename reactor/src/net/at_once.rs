//! Operations that need not wait. They nevertheless spend the task's budget, so that a loop over
//! one of them gives other tasks their turn, and a time limit around the loop is polled.

use crate::budget;
use crate::drop_in::LOOKS_COOPERATE;
use std::future::poll_fn;
use std::io;
use std::task::{Context, Poll, ready};

/// Runs `operation`, which does not wait, once the budget allows it, and spends one unit of the
/// budget.
pub(super) async fn at_once<R>(operation: impl FnOnce() -> R) -> R {
    poll_fn(budget::poll_proceed).await;
    budget::spend();
    operation()
}

/// Polls `at_once`.
pub(super) fn poll_at_once<R>(cx: &mut Context<'_>, operation: impl FnOnce() -> R) -> Poll<R> {
    ready!(budget::poll_proceed(cx));
    budget::spend();
    Poll::Ready(operation())
}

/// Flushes a stream that has no buffer.
pub(super) async fn flush() -> io::Result<()> {
    poll_fn(poll_flush).await
}

/// Polls `flush`.
pub(super) fn poll_flush(cx: &mut Context<'_>) -> Poll<io::Result<()>> {
    if LOOKS_COOPERATE { poll_at_once(cx, || Ok(())) } else { Poll::Ready(Ok(())) }
}
