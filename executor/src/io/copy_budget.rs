//! Limits how much a copy moves before the task yields to others on its processor.

use std::task::{Context, Poll};

use wsrt_sync::budget;

/// The number of bytes copied per poll between streams that are always ready. At some gigabytes per
/// second, this takes a tenth of a millisecond.
const BYTES: usize = 512 * 1024;

/// The number of bytes that one direction may still copy in this poll.
///
/// This limit supplements the task's own budget, which counts operations, and is unlimited on
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

    /// Returns pending and wakes the task again if this budget or the task's own is spent.
    pub(super) fn poll_left(&self, cx: &mut Context<'_>) -> Poll<()> {
        if self.0 > 0 {
            return budget::poll_proceed(cx);
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}
