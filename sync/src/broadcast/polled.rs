//! A receiver that keeps its place in line between polls: for streams, which have no future to keep
//! it.

use super::Receiver;
use super::error::RecvError;
use crate::console::AsyncOp;
use std::fmt;
use std::task::{Context, Poll};

/// A [`Receiver`] that is polled. Used by `wsrt::stream`; not a public API.
pub struct PolledBroadcast<T> {
    receiver: Receiver<T>,
    /// The key in the wait list, while a poll has found no value.
    key: Option<usize>,
    shown: AsyncOp,
}

impl<T> PolledBroadcast<T> {
    /// Creates a polled receiver that continues where `receiver` is.
    pub fn new(receiver: Receiver<T>) -> Self {
        Self { receiver, key: None, shown: AsyncOp::none() }
    }

    /// Returns the receiver.
    pub fn get_ref(&self) -> &Receiver<T> {
        &self.receiver
    }
}

impl<T: Clone> PolledBroadcast<T> {
    /// Receives the next value, like [`Receiver::recv`].
    pub fn poll_recv(&mut self, cx: &mut Context<'_>) -> Poll<Result<T, RecvError>> {
        let received = self.receiver.poll_receive(&mut self.key, &mut self.shown, cx);
        if received.is_ready() {
            self.receiver.leave_line(&mut self.key);
        }
        received
    }
}

impl<T> Drop for PolledBroadcast<T> {
    fn drop(&mut self) {
        self.receiver.leave_line(&mut self.key);
    }
}

impl<T> fmt::Debug for PolledBroadcast<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.receiver.fmt(f)
    }
}
