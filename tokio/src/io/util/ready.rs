//! Operations that are always ready, and count against the task's budget for that reason.

use std::task::{Context, Poll};
use wsrt_sync::budget;

/// Takes a unit of the budget, or is pending if there is none.
pub(super) fn poll_unit(cx: &mut Context<'_>) -> Poll<()> {
    budget::poll_spending(cx, |_| Poll::Ready(()))
}
