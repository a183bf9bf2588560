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
}

impl ReceivingSide for ReceiverLine {
    const RECEIVE: WaitKind = WaitKind::MpmcReceive;
    const SEND: WaitKind = WaitKind::MpmcSend;
    const CLOSED: WaitKind = WaitKind::MpmcClosed;

    /// The key in the line, where the receiver waits or was woken.
    type Key = Option<usize>;

    fn will_wake(&self, key: &Option<usize>, waker: &Waker) -> bool {
        key.is_some_and(|key| self.line.is_linked(key) && self.line.will_wake(key, waker))
    }

    /// A receiver that was woken in vain goes to the end of the line.
    fn wait(&mut self, key: &mut Option<usize>, waker: Waker) -> Option<Waker> {
        if let Some(key) = key.filter(|&key| self.line.is_linked(key)) {
            return self.line.replace_waker(key, waker);
        }
        let displaced = self.leave(key);
        self.waiting += 1;
        *key = Some(self.line.push((), waker));
        displaced
    }

    #[inline]
    fn leave(&mut self, key: &mut Option<usize>) -> Option<Waker> {
        let ((), was_waiting, waker) = self.line.remove(key.take()?);
        let count = if was_waiting { &mut self.waiting } else { &mut self.woken };
        *count -= 1;
        waker
    }

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
