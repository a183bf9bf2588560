//! The state of a bounded channel, under its lock: what lies in it, how many more values it has
//! room for, and the tasks that wait for either.
//!
//! Each value that lies in the channel and each permit to send one takes a part of the room. A
//! sender in line takes all that is free as it gets in line, even if that is less than it needs,
//! and what is given back goes to the first in line. So *nothing is free while a sender waits*, and
//! a newcomer cannot overtake.

use crate::permits::Refused;
use crate::sync::BATCH;
use crate::wait_list::WaitList;
use crate::wakers::Wakers;
use std::collections::VecDeque;
use std::task::Waker;

/// Values that an empty channel keeps memory for, at most.
const KEPT: usize = 128;

/// The state of a bounded channel.
#[derive(Debug)]
pub(super) struct Room<T> {
    pub(super) values: VecDeque<T>,
    /// The number of values that nothing holds room for.
    pub(super) free: usize,
    /// Senders in line; none before the first one waits.
    line: Option<Box<WaitList<Need>>>,
    /// The waker of the receiver, while it waits.
    pub(super) receiver: Option<Waker>,
    pub(super) is_closed: bool,
    /// False once it is dropped: what is sent by a permit goes nowhere.
    pub(super) has_receiver: bool,
}

/// The request of one sender in line.
#[derive(Debug)]
pub(super) struct Need {
    /// The room that it waits for.
    pub(super) lacks: usize,
    /// The room that it has so far.
    pub(super) has: usize,
}

impl<T> Room<T> {
    pub(super) fn new(free: usize) -> Self {
        Self { values: VecDeque::new(), free, line: None, receiver: None, is_closed: false, has_receiver: true }
    }

    /// Takes room for `count` values, if there is as much.
    #[inline]
    pub(super) fn try_take(&mut self, count: usize) -> Result<(), Refused> {
        if self.is_closed {
            return Err(Refused::Closed);
        }
        self.free = self.free.checked_sub(count).ok_or(Refused::TooFew)?;
        Ok(())
    }

    /// Gives room for `left` values back, to the first in line if there are any. Returns true if a
    /// batch of them was served and the next one waits, for what is `left` then.
    #[inline]
    #[must_use = "if this is true, the rest is yet to be given"]
    pub(super) fn give(&mut self, left: &mut usize, wakers: &mut Wakers) -> bool {
        if self.line.is_some() && self.serve(left, wakers) {
            return true;
        }
        self.free += std::mem::take(left);
        false
    }

    /// Gives room to the first in line, a batch at most. Returns true if another one waits for what
    /// is left.
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

    /// The line, for a sender that has got in.
    pub(super) fn line(&mut self) -> &mut WaitList<Need> {
        self.line.get_or_insert_with(|| Box::new(WaitList::new()))
    }

    /// Gets in line for `count` values' room, of which less is free, and returns the key.
    pub(super) fn enter(&mut self, count: usize, waker: Waker) -> usize {
        let has = std::mem::take(&mut self.free);
        self.line().push(Need { lacks: count - has, has }, waker)
    }

    /// Gives back the room of values that were taken out, unless that has consequences: a sender in
    /// line to be served, or memory to be freed. Returns false, and does nothing, if it has.
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

    /// Refuses all that is not held yet. Senders in line give back the room that they had so far as
    /// they leave, and are woken by [`take_refused`](Self::take_refused).
    pub(super) fn close(&mut self) {
        self.is_closed = true;
        self.line.iter_mut().for_each(|line| _ = line.release_all());
    }

    /// Takes the wakers of a batch of the senders that `close` has refused. Returns true if there
    /// are more.
    #[must_use = "if this is true, others are yet to be woken"]
    pub(super) fn take_refused(&mut self, wakers: &mut Wakers) -> bool {
        self.line.as_mut().is_some_and(|line| line.take_released(wakers))
    }

    /// Takes all values out, with the room that they took: the receiver is gone. To be dropped with
    /// the lock released.
    pub(super) fn empty(&mut self) -> VecDeque<T> {
        self.has_receiver = false;
        self.free += self.values.len();
        std::mem::take(&mut self.values)
    }

    #[inline]
    fn has_surplus(&self) -> bool {
        self.values.is_empty() && self.values.capacity() > KEPT
    }

    /// Memory that an empty channel has no need of, to be freed with the lock released.
    pub(super) fn surplus(&mut self) -> Option<VecDeque<T>> {
        self.has_surplus().then(|| std::mem::take(&mut self.values))
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_channel_frees_the_memory_of_a_long_queue() {
        let mut room = Room::new(0);
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
