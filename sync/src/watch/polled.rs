//! A receiver that keeps its place in line between polls: for streams, which have no future to keep
//! it.

use super::Receiver;
use super::error::RecvError;
use crate::budget;
use crate::console::AsyncOp;
use crate::notify::NotifiedState;
use crate::wait::WaitKind;
use std::fmt;
use std::task::{Context, Poll, ready};

/// A [`Receiver`] that is polled. Used by `wsrt::stream`; not a public API.
pub struct PolledWatch<T> {
    receiver: Receiver<T>,
    /// The wait, while a poll has found no new value.
    waiting: Option<NotifiedState>,
    shown: AsyncOp,
}

impl<T> PolledWatch<T> {
    /// Creates a polled receiver that continues where `receiver` is.
    pub fn new(receiver: Receiver<T>) -> Self {
        Self { receiver, waiting: None, shown: AsyncOp::none() }
    }

    /// Returns the receiver.
    pub fn get_ref(&self) -> &Receiver<T> {
        &self.receiver
    }

    /// Waits for a value that the receiver has not seen, like [`Receiver::changed`], and returns a
    /// clone of the value, which then counts as seen.
    pub fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Result<T, RecvError>>
    where
        T: Clone,
    {
        loop {
            ready!(budget::poll_proceed(cx));
            let Receiver { channel, seen } = &mut self.receiver;
            // Made before the look, so that a version that comes after the look ends the wait.
            let waiting = self.waiting.get_or_insert_with(|| NotifiedState::new(&channel.changed));
            if let Some(change) = channel.look_for_change(seen) {
                self.stop_waiting();
                self.shown.ready();
                budget::spend();
                return Poll::Ready(change.map(|()| self.receiver.borrow_and_update().clone()));
            }
            ready!(waiting.poll_cooperatively(&channel.changed, WaitKind::WatchChanged, &mut self.shown, cx));
            self.waiting = None;
        }
    }

    fn stop_waiting(&mut self) {
        if let Some(mut waiting) = self.waiting.take() {
            waiting.cancel(&self.receiver.channel.changed, WaitKind::WatchChanged);
        }
    }
}

impl<T> Drop for PolledWatch<T> {
    fn drop(&mut self) {
        self.stop_waiting();
    }
}

impl<T: fmt::Debug> fmt::Debug for PolledWatch<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.receiver.fmt(f)
    }
}
