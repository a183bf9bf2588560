//! A single answer from a thread that may block to a waiting task: a channel for one value, whose
//! sender cannot be forgotten.

use crate::sync::{Arc, Mutex};
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

#[derive(Debug)]
enum ReplyState<T> {
    Open(Option<Waker>),
    Answered(Option<T>),
}

/// The sending side. If it is dropped unused, by a job that unwinds or a runtime that shuts down,
/// the answer is `None`.
#[derive(Debug)]
pub(crate) struct Reply<T>(Arc<Mutex<ReplyState<T>>>);

/// The waiting side: a future that resolves to the value, or to `None` if the job was lost.
#[derive(Debug)]
pub(crate) struct Answer<T>(Arc<Mutex<ReplyState<T>>>);

pub(crate) fn reply<T>() -> (Reply<T>, Answer<T>) {
    let state = Arc::new(Mutex::new(ReplyState::Open(None)));
    (Reply(Arc::clone(&state)), Answer(state))
}

impl<T> Reply<T> {
    pub(crate) fn send(self, value: T) {
        self.answer(Some(value));
    }

    /// The first answer counts; the drop that follows a `send` finds the slot answered.
    fn answer(&self, value: Option<T>) {
        let mut state = self.0.lock();
        if let ReplyState::Answered(_) = *state {
            return;
        }
        let before = std::mem::replace(&mut *state, ReplyState::Answered(value));
        drop(state);
        if let ReplyState::Open(Some(waker)) = before {
            waker.wake();
        }
    }
}

impl<T> Drop for Reply<T> {
    fn drop(&mut self) {
        self.answer(None);
    }
}

impl<T> Future for Answer<T> {
    type Output = Option<T>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<T>> {
        let waker = cx.waker().clone();
        let mut state = self.0.lock();
        match &mut *state {
            ReplyState::Answered(value) => Poll::Ready(value.take()),
            ReplyState::Open(known) => {
                let displaced = known.replace(waker);
                drop(state);
                drop(displaced);
                Poll::Pending
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn poll<T>(answer: &mut Answer<T>) -> Poll<Option<T>> {
        Pin::new(answer).poll(&mut Context::from_waker(Waker::noop()))
    }

    #[test]
    fn the_value_arrives_once() {
        let (reply, mut answer) = reply();
        assert_eq!(poll(&mut answer), Poll::Pending);
        reply.send(7);
        assert_eq!(poll(&mut answer), Poll::Ready(Some(7)));
    }

    #[test]
    fn a_dropped_sender_answers() {
        let (reply, mut answer) = reply::<u8>();
        drop(reply);
        assert_eq!(poll(&mut answer), Poll::Ready(None));
    }

    #[test]
    fn a_dropped_waiter_costs_the_sender_nothing() {
        let (reply, answer) = reply();
        drop(answer);
        reply.send(7);
    }
}
