//! The receivers of a channel that wait for values, in the order in which they came.
//!
//! A sender wakes a receiver for each value, and the receiver competes for it: a value is nobody's
//! until it is taken out. Hence a task that was woken and is slow to run, or never polls that
//! receiver again, keeps no value from a receiver that looks. The rule that no receiver sleeps
//! beside a value: *either no receiver waits in the line, or at least as many have been woken, and
//! have not looked since, as there are values*. A sent value, and a woken receiver that leaves
//! without having looked, wake the next receiver where the rule asks for it.

use crate::mpsc::bounded_state::ReceivingSide;
use crate::wait::WaitKind;
use crate::wait_list::WaitList;
use crate::wakers::Wakers;
use std::task::Waker;

/// The receivers of a channel, which the channel's lock protects.
#[derive(Debug)]
pub(crate) struct ReceiverLine {
    /// The receivers that wait or have been woken. The linked ones wait.
    line: WaitList<()>,
    /// The number of linked receivers.
    waiting: usize,
    /// The number of receivers that were woken and have not looked since.
    woken: usize,
    /// The number of receivers alive, waiting or not.
    pub(super) alive: usize,
}

impl ReceiverLine {
    /// Creates the line of a channel with one receiver.
    pub(super) fn new() -> Self {
        Self { line: WaitList::new(), waiting: 0, woken: 0, alive: 1 }
    }

    /// Returns `true` if the receiver still waits, that is, it was not woken.
    pub(super) fn is_waiting(&self, key: usize) -> bool {
        self.line.is_linked(key)
    }

    /// Returns `true` if the receiver already wakes the task of `waker`.
    pub(super) fn will_wake(&self, key: usize, waker: &Waker) -> bool {
        self.line.will_wake(key, waker)
    }

    /// Makes a waiting receiver wake `waker` from now on. Returns the waker that is no longer
    /// needed.
    #[must_use = "to be dropped after the lock is released"]
    pub(super) fn replace_waker(&mut self, key: usize, waker: Waker) -> Option<Waker> {
        self.line.replace_waker(key, waker)
    }

    /// Adds a receiver that has found the channel empty, and returns its key.
    pub(super) fn enter(&mut self, waker: Waker) -> usize {
        self.waiting += 1;
        self.line.push((), waker)
    }

    /// Removes a receiver, which waits or was woken. The waker must be dropped with no lock held.
    #[must_use = "the waker is to be dropped after the lock is released"]
    pub(super) fn leave(&mut self, key: usize) -> Option<Waker> {
        let ((), was_waiting, waker) = self.line.remove(key);
        let count = if was_waiting { &mut self.waiting } else { &mut self.woken };
        *count -= 1;
        waker
    }
}

impl ReceivingSide for ReceiverLine {
    const RECEIVE: WaitKind = WaitKind::MpmcReceive;
    const SEND: WaitKind = WaitKind::MpmcSend;
    const CLOSED: WaitKind = WaitKind::MpmcClosed;

    #[inline]
    fn has_others(&self) -> bool {
        self.waiting > 0
    }

    #[inline]
    fn take_next(&mut self, values: usize) -> Option<Waker> {
        if self.waiting == 0 || self.woken >= values {
            return None;
        }
        self.waiting -= 1;
        self.woken += 1;
        self.line.unlink_first().map(|((), waker)| waker)
    }

    fn take_all(&mut self, wakers: &mut Wakers) -> bool {
        self.line.release_all();
        self.woken += std::mem::take(&mut self.waiting);
        self.line.take_released(wakers)
    }
}
