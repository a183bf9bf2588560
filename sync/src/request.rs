//! The state of a request for permits, or for room in a channel.

use crate::batch_semaphore::AcquireRefused;
use crate::current_poll::CurrentPoll;
use std::task::{Context, Poll};

/// The state of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RequestState {
    /// No poll has asked for permits yet, or the last one has returned an answer.
    Not,
    /// The request waits in the list, under this key.
    InLine(usize),
    /// The request has its permits, but the poll that took them had no budget left to return them.
    Served,
}

impl RequestState {
    /// Returns the answer to a request if the poll has budget left. Otherwise the permits are kept
    /// until a poll may return them; a refusal is found again.
    ///
    /// The budget is checked after the permits, so that later requests are not served before a task
    /// that has merely used up its budget.
    #[inline]
    pub(crate) fn answer(
        &mut self,
        state: &CurrentPoll,
        cx: &mut Context<'_>,
        answer: Result<(), AcquireRefused>,
    ) -> Poll<Result<(), AcquireRefused>> {
        if state.poll_proceed(cx).is_pending() {
            *self = if answer.is_ok() { Self::Served } else { Self::Not };
            return Poll::Pending;
        }
        *self = Self::Not;
        state.spend();
        Poll::Ready(answer)
    }
}
