//! The state of a bounded channel, which its lock protects: the values in the channel, the free
//! room, and the tasks that wait for either.
//!
//! Each value in the channel and each permit to send one occupies a part of the room. A sender that
//! joins the line takes all the room that is free, even if it needs more, and room that is given
//! back goes to the first sender in line. Hence *no room is free while a sender waits*, and a
//! newcomer cannot overtake.

use crate::batch_semaphore::AcquireRefused;
use crate::sync::BATCH;
use crate::wait_list::WaitList;
use crate::wakers::Wakers;
use std::collections::VecDeque;
use std::task::Waker;

/// The maximum number of values that an empty channel keeps memory for.
const KEPT: usize = 128;

/// The state of a bounded channel.
#[derive(Debug)]
pub(super) struct BoundedState<T> {
    pub(super) values: VecDeque<T>,
    /// The number of values that can be sent without waiting.
    pub(super) free: usize,
    /// The waiting senders. `None` until the first sender waits.
    line: Option<Box<WaitList<SendRequest>>>,
    /// The receiver's waker, while the receiver waits.
    pub(super) receiver: Option<Waker>,
    pub(super) is_closed: bool,
    /// `false` once the receiver has been dropped: values sent with permits are then dropped.
    pub(super) has_receiver: bool,
}

/// The request of a waiting sender.
#[derive(Debug)]
pub(super) struct SendRequest {
    /// The room that the sender still waits for.
    pub(super) lacks: usize,
    /// The room that the sender has received so far.
    pub(super) has: usize,
}

impl<T> BoundedState<T> {
    pub(super) fn new(free: usize) -> Self {
        Self { values: VecDeque::new(), free, line: None, receiver: None, is_closed: false, has_receiver: true }
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
        if self.line.is_some() && self.serve(left, wakers) {
            return true;
        }
        self.free += std::mem::take(left);
        false
    }

    /// Gives room to the first senders in line, up to a batch of them. Returns `true` if another
    /// sender waits for the room that remains.
    fn serve(&mut self, left: &mut usize, wakers: &mut Wakers) -> bool {
        let line = self.line.as_mut().expect("the caller has seen it");
        let mut served = 0;
        while let Some(need) = line.first_mut() {
            if served == BATCH {
                return true;
            }
            let given = need.lacks.min(*left);
            need.lacks -= given;
            need.has += given;
            *left -= given;
            if need.lacks > 0 {
                break;
            }
            line.unlink_first().into_iter().for_each(|(_, waker)| wakers.push(waker));
            served += 1;
        }
        false
    }

    /// Returns the line, for a sender that has joined it.
    pub(super) fn line(&mut self) -> &mut WaitList<SendRequest> {
        self.line.get_or_insert_with(|| Box::new(WaitList::new()))
    }

    /// Joins the line for room for `count` values, of which not all are free, and returns the key
    /// of the new entry.
    pub(super) fn enter(&mut self, count: usize, waker: Waker) -> usize {
        let has = std::mem::take(&mut self.free);
        self.line().push(SendRequest { lacks: count - has, has }, waker)
    }

    /// Frees the room of values that have been taken out, unless a waiting sender must be served or
    /// memory must be freed. Returns `false`, and does nothing, in these cases.
    #[inline]
    #[must_use = "if this is false, nothing was given back"]
    pub(super) fn try_vacate(&mut self, count: usize) -> bool {
        let is_waited_for = self.line.as_ref().is_some_and(|line| !line.is_empty());
        let has_consequences = is_waited_for || self.has_surplus();
        if !has_consequences {
            self.free += count;
        }
        !has_consequences
    }

    /// Refuses all requests that are not fulfilled yet. The waiting senders give back the room they
    /// have received when they leave, and are woken by [`take_refused`](Self::take_refused).
    pub(super) fn close(&mut self) {
        self.is_closed = true;
        self.line.iter_mut().for_each(|line| _ = line.release_all());
    }

    /// Takes the wakers of a batch of the senders that `close` has refused. Returns `true` if there
    /// are more.
    #[must_use = "if this is true, others are yet to be woken"]
    pub(super) fn take_refused(&mut self, wakers: &mut Wakers) -> bool {
        self.line.as_mut().is_some_and(|line| line.take_released(wakers))
    }

    /// Takes out all values and their room, after the receiver has been dropped. The caller drops
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
        let mut room = BoundedState::new(0);
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
