//! The state of a bounded channel, which its lock protects: the values in the channel, the free
//! room, and the tasks that wait for either.
//!
//! Each value in the channel and each permit to send one occupies a part of the room. A sender that
//! joins the line takes all the room that is free, even if it needs more, and room that is given
//! back goes to the first sender in line. Hence *no room is free while a sender waits*, and a
//! newcomer cannot overtake.

use crate::batch_semaphore::AcquireRefused;
use crate::console::AsyncOp;
use crate::sync::WaitGuard;
use crate::wait::{Place, WaitKind};
use crate::wait_queue::{LazyWaitQueue, PermitRequest, ServeProgress, WaitQueueState};
use crate::wakers::Wakers;
use std::collections::VecDeque;
use std::ptr;
use std::task::Waker;

/// The tasks that wait for values: one in an mpsc channel, a line of them in an mpmc channel.
pub(crate) trait ReceivingSide {
    /// The kind of the wait for a value.
    const RECEIVE: WaitKind;
    /// The kind of the wait for room.
    const SEND: WaitKind;
    /// The kind of the wait for the channel to be closed.
    const CLOSED: WaitKind;

    /// Where a receiver finds its entry among the waiting receivers, if there can be several.
    type Key: Default;

    /// Returns `true` if the receiver waits, and wakes the task of `waker`.
    fn will_wake(&self, key: &Self::Key, waker: &Waker) -> bool;

    /// Makes a receiver that has found the channel empty wait with `waker`. Returns the waker that
    /// is no longer needed.
    #[must_use = "to be dropped after the lock is released"]
    fn wait(&mut self, key: &mut Self::Key, waker: Waker) -> Option<Waker>;

    /// Removes the entry of a receiver that has received a value or gives up, if the receiver has
    /// an entry.
    #[must_use = "the waker is to be dropped after the lock is released"]
    fn leave(&mut self, key: &mut Self::Key) -> Option<Waker>;

    /// Returns `true` if a task waits here that must be told of the channel's end, although another
    /// task finds the end.
    fn has_others(&self) -> bool;

    /// Takes out the waker of the next task, unless enough tasks have been woken for the `values`
    /// that are in the channel.
    fn take_next(&mut self, values: usize) -> Option<Waker>;

    /// Takes out the wakers of all tasks, up to a batch. Returns `true` if there are more.
    #[must_use = "if this is true, others are yet to be woken"]
    fn take_all(&mut self, wakers: &mut Wakers) -> bool;
}

/// The one receiver of an mpsc channel: its waker, while it waits.
#[derive(Debug, Default)]
pub(crate) struct OneReceiver {
    waker: Option<Waker>,
}

impl ReceivingSide for OneReceiver {
    const RECEIVE: WaitKind = WaitKind::MpscReceive;
    const SEND: WaitKind = WaitKind::MpscSend;
    const CLOSED: WaitKind = WaitKind::MpscClosed;

    type Key = ();

    #[inline]
    fn will_wake(&self, (): &(), waker: &Waker) -> bool {
        self.waker.as_ref().is_some_and(|left| left.will_wake(waker))
    }

    #[inline]
    fn wait(&mut self, (): &mut (), waker: Waker) -> Option<Waker> {
        self.waker.replace(waker)
    }

    /// The waker stays for the next wait.
    #[inline]
    fn leave(&mut self, (): &mut ()) -> Option<Waker> {
        None
    }

    #[inline]
    fn has_others(&self) -> bool {
        false
    }

    #[inline]
    fn take_next(&mut self, _: usize) -> Option<Waker> {
        self.waker.take()
    }

    #[inline]
    fn take_all(&mut self, wakers: &mut Wakers) -> bool {
        self.waker.take().into_iter().for_each(|waker| wakers.push(waker));
        false
    }
}

/// What a receiver keeps between the polls of a wait.
#[derive(Debug)]
pub(crate) struct ReceiverPlace<R: ReceivingSide> {
    pub(crate) key: R::Key,
    pub(super) shown: AsyncOp,
}

impl<R: ReceivingSide> ReceiverPlace<R> {
    pub(crate) fn none() -> Self {
        Self { key: R::Key::default(), shown: AsyncOp::none() }
    }
}

/// The maximum number of values that an empty channel keeps memory for.
const KEPT: usize = 128;

/// The state of a bounded channel.
#[derive(Debug)]
pub(crate) struct BoundedState<T, R> {
    pub(crate) values: VecDeque<T>,
    /// The number of values that can be sent without waiting.
    pub(super) free: usize,
    capacity: usize,
    /// The waiting senders, as dumps see them. Its lock is taken inside this state's.
    line: LazyWaitQueue,
    /// True while a sender is in line.
    is_waited_for: bool,
    pub(crate) receivers: R,
    pub(super) is_closed: bool,
    /// `false` once all receivers have been dropped: values sent with permits are then dropped.
    pub(super) has_receiver: bool,
}

impl<T, R: ReceivingSide> BoundedState<T, R> {
    pub(super) fn new(free: usize, receivers: R) -> Self {
        Self {
            values: VecDeque::new(),
            free,
            capacity: free,
            line: LazyWaitQueue::new(),
            is_waited_for: false,
            receivers,
            is_closed: false,
            has_receiver: true,
        }
    }

    /// Takes room for `count` values, if that much room is free.
    #[inline]
    pub(super) fn try_take(&mut self, count: usize) -> Result<(), AcquireRefused> {
        if self.is_closed {
            return Err(AcquireRefused::Closed);
        }
        self.free = self.free.checked_sub(count).ok_or(AcquireRefused::TooFew)?;
        Ok(())
    }

    /// Gives back room for `left` values, first of all to the senders in line. Returns `true` if a
    /// batch of senders has been served and the next one waits for the room that remains in `left`.
    #[inline]
    #[must_use = "if this is true, the rest is yet to be given"]
    pub(super) fn give(&mut self, left: &mut usize, wakers: &mut Wakers) -> bool {
        if self.is_waited_for && self.serve(left, wakers) {
            return true;
        }
        self.free += std::mem::take(left);
        false
    }

    /// Gives room to the first senders in line, up to a batch of them. Returns `true` if another
    /// sender waits for the room that remains.
    fn serve(&mut self, left: &mut usize, wakers: &mut Wakers) -> bool {
        let mut line = self.line();
        let end = line.serve(left, wakers, |_| ());
        line.note_hand_over(0, self.capacity);
        drop(line);
        self.is_waited_for = end != ServeProgress::All;
        end == ServeProgress::Batch
    }

    /// Returns the line, which a sender has joined.
    pub(super) fn line(&self) -> WaitGuard<'_, WaitQueueState> {
        self.line.get().expect("the first sender in line makes it").lock()
    }

    /// Joins the line for room for `count` values, of which not all are free, and returns the key
    /// of the new entry. `place` is where the channel was created.
    pub(super) fn enter(&mut self, count: usize, place: Place, waker: Waker) -> usize {
        let has = std::mem::take(&mut self.free);
        self.is_waited_for = true;
        let mut line = self.line.get_or_make(place).lock();
        line.note_entry(0, ptr::from_ref(self).addr(), self.capacity);
        line.enter(count - has, has, R::SEND, waker)
    }

    /// Removes a sender from the line. Returns its request, and its waker, which must be dropped
    /// with no lock held.
    #[must_use = "the waker is to be dropped after the lock is released"]
    pub(super) fn leave(&mut self, key: usize) -> (PermitRequest, Option<Waker>) {
        let mut line = self.line();
        let (need, was_linked, waker) = line.leave(key);
        line.changes += u64::from(was_linked);
        let is_waited_for = !line.list.is_empty();
        drop(line);
        self.is_waited_for = is_waited_for;
        (need, waker)
    }

    /// Frees the room of values that have been taken out, unless a waiting sender must be served,
    /// memory must be freed or other receivers must be told of the end. Returns `false`, and does
    /// nothing, in these cases.
    #[inline]
    #[must_use = "if this is false, nothing was given back"]
    pub(super) fn try_vacate(&mut self, count: usize) -> bool {
        let may_end = self.is_closed && self.receivers.has_others();
        let has_consequences = self.is_waited_for || may_end || self.has_surplus();
        if !has_consequences {
            self.free += count;
        }
        !has_consequences
    }

    /// Refuses all requests that are not fulfilled yet. The waiting senders give back the room they
    /// have received when they leave, and are woken by [`take_refused`](Self::take_refused).
    pub(super) fn close(&mut self) {
        self.is_closed = true;
        if let Some(line) = self.line.get() {
            let mut line = line.lock();
            line.list.release_all();
            line.changes += 1;
        }
        self.is_waited_for = false;
    }

    /// Takes the wakers of a batch of the senders that `close` has refused. Returns `true` if there
    /// are more.
    #[must_use = "if this is true, others are yet to be woken"]
    pub(super) fn take_refused(&mut self, wakers: &mut Wakers) -> bool {
        self.line.get().is_some_and(|line| line.lock().list.take_released(wakers))
    }

    /// Takes out all values and their room, after all receivers have been dropped. The caller drops
    /// the values with the lock released.
    pub(super) fn empty(&mut self) -> VecDeque<T> {
        self.has_receiver = false;
        self.free += self.values.len();
        std::mem::take(&mut self.values)
    }

    #[inline]
    fn has_surplus(&self) -> bool {
        self.values.is_empty() && self.values.capacity() > KEPT
    }

    /// Returns memory that an empty channel does not need, to be freed with the lock released.
    pub(super) fn surplus(&mut self) -> Option<VecDeque<T>> {
        self.has_surplus().then(|| std::mem::take(&mut self.values))
    }
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_channel_frees_the_memory_of_a_long_queue() {
        let mut room = BoundedState::new(0, OneReceiver::default());
        room.values.extend(0..1000);
        for left in (0..1000).rev() {
            assert!(room.values.pop_front().is_some());
            assert_eq!(room.try_vacate(1), left > 0);
        }
        assert!(room.surplus().is_some());
        assert_eq!(room.values.capacity(), 0);
        assert!(room.try_vacate(1) && room.free == 1000);
    }
}
