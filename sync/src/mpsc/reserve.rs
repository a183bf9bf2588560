//! A future that takes room in a bounded channel, at once or after waiting in line.

use super::bounded_channel::BoundedChannel;
use super::bounded_state::{OneReceiver, ReceivingSide};
use crate::batch_semaphore::AcquireRefused;
use crate::budget::with_state;
use crate::console::AsyncOp;
use crate::request::RequestState;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// A future that waits for room for `count` values. If dropped early, it leaves the line and gives
/// back the room it has received so far.
#[derive(Debug)]
#[must_use = "futures do nothing unless polled"]
pub(crate) struct Reserve<'a, T, R: ReceivingSide = OneReceiver> {
    channel: &'a BoundedChannel<T, R>,
    count: usize,
    asked: RequestState,
    shown: AsyncOp,
}

impl<'a, T, R: ReceivingSide> Reserve<'a, T, R> {
    pub(crate) fn new(channel: &'a BoundedChannel<T, R>, count: usize) -> Self {
        Self { channel, count, asked: RequestState::Not, shown: AsyncOp::none() }
    }

    fn poll_first(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), AcquireRefused>> {
        match self.take_or_enter(cx) {
            Ok(None) => Poll::Ready(Ok(())),
            Ok(Some(key)) => {
                self.asked = RequestState::InLine(key);
                self.channel.note_wait_for_room(&mut self.shown);
                Poll::Pending
            }
            Err(refused) => {
                // A receiver that has closed the channel, and waits still, sees the end.
                self.channel.give(0);
                Poll::Ready(Err(refused))
            }
        }
    }

    /// The waker is cloned with no lock held, and only where it is needed.
    fn take_or_enter(&self, cx: &mut Context<'_>) -> Result<Option<usize>, AcquireRefused> {
        match self.channel.try_take(self.count) {
            Err(AcquireRefused::TooFew) => self.channel.take_or_enter(self.count, cx.waker().clone()),
            answer => answer.map(|()| None),
        }
    }

    fn poll_in_line(&mut self, key: usize, cx: &mut Context<'_>) -> Poll<Result<(), AcquireRefused>> {
        let Some(answer) = self.channel.wait_on(key, cx.waker()) else {
            self.channel.note_wait_for_room(&mut self.shown);
            return Poll::Pending;
        };
        self.asked = RequestState::Not;
        Poll::Ready(answer)
    }
}

impl<T, R: ReceivingSide> Future for Reserve<'_, T, R> {
    type Output = Result<(), AcquireRefused>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        with_state(|state| {
            let answer = ready!(match this.asked {
                RequestState::Not => this.poll_first(cx),
                RequestState::InLine(key) => this.poll_in_line(key, cx),
                RequestState::Served => Poll::Ready(Ok(())),
            });
            this.shown.ready();
            this.asked.answer(state, cx, answer)
        })
    }
}

impl<T, R: ReceivingSide> Drop for Reserve<'_, T, R> {
    fn drop(&mut self) {
        match self.asked {
            RequestState::Not => {}
            RequestState::InLine(key) => {
                self.channel.take_back_wait_for_room();
                self.channel.leave(key);
            }
            RequestState::Served => self.channel.give(self.count),
        }
    }
}
