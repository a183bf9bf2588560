//! How much may be copied before the task yields to the others on its processor.

use std::task::{Context, Poll};

use wsrt_sync::budget;

/// Between streams that are always ready, this much is copied at a time. At some gigabytes a second
/// it is a tenth of a millisecond.
const BYTES: usize = 512 * 1024;

/// The bytes that one direction may still copy within this poll.
///
/// They are a limit beside the task's own budget, which counts operations and is without an end on
/// threads that run no task.
#[derive(Debug)]
pub(super) struct CopyBudget(usize);

impl CopyBudget {
    pub(super) fn new() -> Self {
        Self(BYTES)
    }

    pub(super) fn spend(&mut self, bytes: usize) {
        self.0 = self.0.saturating_sub(bytes);
    }

    /// Returns pending, with the task already woken, when this or the task's own budget is spent.
    pub(super) fn poll_left(&self, cx: &mut Context<'_>) -> Poll<()> {
        if self.0 > 0 {
            return budget::poll_proceed(cx);
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}
