//! The future that takes permits, at once or after waiting in the queue.

use crate::batch_semaphore::{AcquireRefused, BatchSemaphore, EnterOutcome};
use crate::budget::with_state;
use crate::console::AsyncOp;
use crate::current_poll::CurrentPoll;
use crate::request::RequestState;
use crate::sync::WaitGuard;
use crate::wait::{self, WaitKind};
use crate::wait_queue::WaitQueueState;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};

/// The future of [`BatchSemaphore::take`]. If dropped early, it leaves the queue and gives back the
/// permits it has received so far.
#[derive(Debug)]
#[must_use = "futures do nothing unless polled"]
pub(crate) struct AcquirePermits<'a> {
    permits: &'a BatchSemaphore,
    count: usize,
    kind: WaitKind,
    asked: RequestState,
    shown: AsyncOp,
}

impl<'a> AcquirePermits<'a> {
    #[inline]
    pub(crate) fn new(permits: &'a BatchSemaphore, count: usize, kind: WaitKind) -> Self {
        Self { permits, count, kind, asked: RequestState::Not, shown: AsyncOp::none() }
    }

    /// Returns `true` if this poll may take the permits and they are free. In this case the budget
    /// is checked first, because a task that took the permits and then yielded would keep all
    /// others waiting. If the permits are not free, the task joins the queue whether or not it has
    /// budget left.
    #[inline]
    fn finds_them_free(&self) -> bool {
        let may_take = match self.asked {
            RequestState::Not => true,
            RequestState::InLine(_) => self.permits.offers,
            RequestState::Served => false,
        };
        may_take && self.permits.free() >= self.count
    }

    #[inline]
    fn poll_first(&mut self, state: &CurrentPoll, cx: &mut Context<'_>) -> Poll<Result<(), AcquireRefused>> {
        match self.permits.try_take_as(self.count, || self.permits.taken_in(state)) {
            Err(AcquireRefused::TooFew) => self.enter(cx),
            answer => Poll::Ready(answer),
        }
    }

    #[inline(never)]
    fn enter(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), AcquireRefused>> {
        match self.permits.enter(self.count, self.kind, cx.waker().clone()) {
            Ok(EnterOutcome::Waits(key)) => {
                self.asked = RequestState::InLine(key);
                self.note_wait();
                Poll::Pending
            }
            Ok(EnterOutcome::Served(_)) => {
                self.permits.show();
                Poll::Ready(Ok(()))
            }
            Err(refused) => Poll::Ready(Err(refused)),
        }
    }

    fn poll_in_line(
        &mut self,
        state: &CurrentPoll,
        key: usize,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), AcquireRefused>> {
        let Some(queue) = self.wait_on(key, cx.waker()) else {
            self.note_wait();
            return Poll::Pending;
        };
        self.asked = RequestState::Not;
        let has_all = self.leave(queue, key);
        if !self.permits.is_closed() {
            debug_assert!(has_all, "only a close unlinks a waiter that lacks permits");
            self.permits.taken_in(state);
            return Poll::Ready(Ok(()));
        }
        if has_all {
            self.permits.give(self.count);
        }
        Poll::Ready(Err(AcquireRefused::Closed))
    }

    /// Records the wait, and shows it in the console.
    fn note_wait(&mut self) {
        self.shown.pending(self.permits.resource(), self.kind, self.permits.place);
        self.permits.show();
        wait::note(self.kind, self.permits.place);
    }

    /// Makes the waiter wake the task of `waker`, and returns `None`, if it still waits. If it has
    /// been served or refused, or takes an offered mutex, returns the locked queue.
    fn wait_on(&self, key: usize, waker: &Waker) -> Option<WaitGuard<'a, WaitQueueState>> {
        let mut fresh = None;
        loop {
            let permits = self.permits;
            let mut queue = permits.existing_queue();
            if !queue.list.is_linked(key) {
                return Some(queue);
            }
            if permits.offers && permits.take_in_line(&mut queue, key) {
                return Some(queue);
            }
            let will_wake = queue.list.will_wake(key, waker);
            if will_wake || fresh.is_some() {
                if permits.offers && !permits.end_offer(&mut queue, key) {
                    continue;
                }
                let displaced = fresh.take().and_then(|fresh| queue.list.replace_waker(key, fresh));
                queue.note_task(key);
                drop(queue);
                drop(displaced);
                return None;
            }
            drop(queue);
            // With no lock held: it is foreign code.
            fresh = Some(waker.clone());
        }
    }

    /// Removes the waiter. Returns `true` if the waiter has received all its permits; otherwise the
    /// permits it has received are given back.
    fn leave(&self, mut queue: WaitGuard<'_, WaitQueueState>, key: usize) -> bool {
        let (need, was_linked, _waker) = queue.leave(key);
        if need.is_woken {
            self.permits.pass_on(queue);
            self.permits.show();
        } else if was_linked || need.lacks > 0 {
            self.permits.serve(queue, need.has);
            self.permits.show();
        } else {
            drop(queue);
        }
        need.lacks == 0
    }
}

impl Future for AcquirePermits<'_> {
    type Output = Result<(), AcquireRefused>;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        with_state(|state| {
            if this.finds_them_free() {
                ready!(state.poll_proceed(cx));
            }
            let answer = ready!(match this.asked {
                RequestState::Not => this.poll_first(state, cx),
                RequestState::InLine(key) => this.poll_in_line(state, key, cx),
                RequestState::Served => Poll::Ready(Ok(())),
            });
            this.shown.ready();
            this.asked.answer(state, cx, answer)
        })
    }
}

impl Drop for AcquirePermits<'_> {
    fn drop(&mut self) {
        match self.asked {
            RequestState::Not => {}
            RequestState::InLine(key) => {
                wait::take_back(self.kind, self.permits.place);
                if self.leave(self.permits.existing_queue(), key) {
                    self.permits.give(self.count);
                }
            }
            RequestState::Served => self.permits.give(self.count),
        }
    }
}
