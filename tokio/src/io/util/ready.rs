//! Operations that are always ready, and therefore have to take from the task's budget.

use std::task::{Context, Poll};
use wsrt_sync::budget;

/// Takes one unit of the budget. Wakes the task and returns pending if the budget is used up.
pub(super) fn poll_unit(cx: &mut Context<'_>) -> Poll<()> {
    budget::poll_spending(cx, |_| Poll::Ready(()))
}
