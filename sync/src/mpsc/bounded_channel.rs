//! The shared state of a bounded channel.
//!
//! All of the state is behind a single lock, which is held for a few steps at a time. A send
//! therefore costs one atomic operation, and so does a receive; a separate counter for the room
//! would cost a second one each.

use super::bounded_state::BoundedState;
use super::close_signal::CloseSignal;
use super::error::TryRecvError;
use super::senders::Senders;
use crate::batch_semaphore::AcquireRefused;
use crate::budget::{self, with_state};
use crate::console::{AsyncOp, Resource, state};
use crate::current_task;
use crate::sync::{WaitGuard, WaitLock};
use crate::wait::{self, WaitKind};
use crate::wakers::wake_in_batches;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::task::{Context, Poll, Waker, ready};

/// A channel with room for a fixed number of values.
#[derive(Debug)]
pub(super) struct BoundedChannel<T> {
    room: WaitLock<BoundedState<T>>,
    pub(super) capacity: usize,
    pub(super) senders: Senders,
    closing: CloseSignal,
    shown: Resource,
}

// No code of others runs while the lock is held, so a panic leaves nothing half done.
impl<T> UnwindSafe for BoundedChannel<T> {}
impl<T> RefUnwindSafe for BoundedChannel<T> {}

impl<T> BoundedChannel<T> {
    /// Creates a channel with one sender.
    #[track_caller]
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            room: WaitLock::new(BoundedState::new(capacity)),
            capacity,
            senders: Senders::one(),
            closing: CloseSignal::new(),
            shown: Resource::new(),
        }
    }

    /// Sends `value` if the channel has room and the poll has budget left. Otherwise hands the
    /// value back.
    #[inline]
    pub(super) fn send_at_once(&self, value: T) -> Result<(), T> {
        with_state(|state| {
            if !state.has_remaining() {
                return Err(value);
            }
            let mut room = self.room.lock();
            if room.try_take(1).is_err() {
                return Err(value);
            }
            state.spend();
            self.append(room, value);
            Ok(())
        })
    }

    /// Sends `value` if the channel has room. Otherwise hands the value back, with the reason.
    pub(super) fn try_send(&self, value: T) -> Result<(), (AcquireRefused, T)> {
        let mut room = self.room.lock();
        match room.try_take(1) {
            Ok(()) => {
                self.append(room, value);
                Ok(())
            }
            Err(refused) => {
                drop(room);
                Err((refused, value))
            }
        }
    }

    /// Sends `value` in the room that a permit has reserved.
    pub(super) fn send(&self, value: T) {
        self.append(self.room.lock(), value);
    }

    /// Appends a value for which room has been taken, and wakes the receiver if it waits.
    #[inline]
    fn append(&self, mut room: WaitGuard<'_, BoundedState<T>>, value: T) {
        if !room.has_receiver {
            room.free += 1;
            drop(room);
            return drop(value);
        }
        room.values.push_back(value);
        let receiver = room.receiver.take();
        drop(room);
        receiver.into_iter().for_each(Waker::wake);
        self.show_queued();
    }

    /// Shows in the console how many values are in the channel. Called without the lock.
    #[inline]
    fn show_queued(&self) {
        state!(self.shown, queued = self.len());
    }

    /// Takes room for `count` values, if that much room is free.
    pub(super) fn try_take(&self, count: usize) -> Result<(), AcquireRefused> {
        self.room.lock().try_take(count)
    }

    /// Takes room for `count` values, or joins the line with `waker` and returns the key of the new
    /// entry.
    pub(super) fn take_or_enter(&self, count: usize, waker: Waker) -> Result<Option<usize>, AcquireRefused> {
        let mut room = self.room.lock();
        match room.try_take(count) {
            Err(AcquireRefused::TooFew) => Ok(Some(room.enter(count, self.closing.place(), waker))),
            answer => {
                drop(room);
                drop(waker);
                answer.map(|()| None)
            }
        }
    }

    /// Makes the waiting sender wake the task of `waker`, and returns `None`, if the sender still
    /// waits. Otherwise removes the sender from the line, and returns whether it has received its
    /// room.
    pub(super) fn wait_on(&self, key: usize, waker: &Waker) -> Option<Result<(), AcquireRefused>> {
        let mut fresh = None;
        loop {
            let room = self.room.lock();
            let mut line = room.line();
            if !line.list.is_linked(key) {
                drop(line);
                return Some(self.leave_served(room, key));
            }
            let will_wake = line.list.will_wake(key, waker);
            if will_wake || fresh.is_some() {
                let displaced = fresh.take().and_then(|fresh| line.list.replace_waker(key, fresh));
                line.note_task(key, current_task::number());
                drop(line);
                drop(room);
                drop(displaced);
                return None;
            }
            drop(line);
            drop(room);
            // With no lock held: it is foreign code.
            fresh = Some(waker.clone());
        }
    }

    /// Removes a sender that is no longer linked, because it has received all of its room or
    /// because the channel was closed.
    fn leave_served(&self, mut room: WaitGuard<'_, BoundedState<T>>, key: usize) -> Result<(), AcquireRefused> {
        let (need, _) = room.leave(key);
        if !room.is_closed {
            debug_assert_eq!(need.lacks, 0, "only a close unlinks a sender that lacks room");
            return Ok(());
        }
        self.give_to(room, need.has);
        Err(AcquireRefused::Closed)
    }

    /// Removes a sender that no longer wants its place in line or the room it has received.
    pub(super) fn leave(&self, key: usize) {
        let mut room = self.room.lock();
        let (need, waker) = room.leave(key);
        self.give_to(room, need.has);
        drop(waker);
    }

    /// Gives back room that was not used.
    pub(super) fn give(&self, count: usize) {
        self.give_to(self.room.lock(), count);
    }

    fn give_to<'a>(&'a self, room: WaitGuard<'a, BoundedState<T>>, mut count: usize) {
        wake_in_batches(
            room,
            || self.room.lock(),
            |mut room, wakers| {
                let has_more = room.give(&mut count, wakers);
                if self.is_over(&room) {
                    // The receiver of a closed channel waits for that to see the end.
                    room.receiver.take().into_iter().for_each(|waker| wakers.push(waker));
                }
                has_more
            },
        );
    }

    /// Returns `true` if the channel is empty and nothing more can be sent.
    fn is_over(&self, room: &BoundedState<T>) -> bool {
        room.is_closed && room.free == self.capacity
    }

    /// Waits until the receiver has closed the channel.
    pub(super) async fn closed(&self) {
        budget::consume().await;
        self.closing.wait(|| self.is_closed()).await;
    }

    pub(super) fn is_closed(&self) -> bool {
        self.room.lock().is_closed
    }

    /// Returns the number of values that can be sent without waiting.
    pub(super) fn free(&self) -> usize {
        self.room.lock().free
    }

    pub(super) fn len(&self) -> usize {
        self.room.lock().values.len()
    }

    /// Records that the current poll waits for room in this channel.
    pub(super) fn note_wait_for_room(&self, shown: &mut AsyncOp) {
        shown.pending(&self.shown, WaitKind::MpscSend, self.closing.place());
        self.show_queued();
        wait::note(WaitKind::MpscSend, self.closing.place());
    }

    /// Removes the record that the current poll waits for room in this channel.
    pub(super) fn take_back_wait_for_room(&self) {
        wait::take_back(WaitKind::MpscSend, self.closing.place());
    }

    /// Removes a sender. The last sender closes the channel.
    pub(super) fn remove_sender(&self) {
        if self.senders.remove() {
            let mut room = self.room.lock();
            room.close();
            self.wake_refused(room, true);
        }
    }

    /// Closes the channel for senders, on behalf of the receiver.
    pub(super) fn close(&self) {
        let mut room = self.room.lock();
        room.close();
        self.wake_refused(room, false);
        self.closing.notify_all();
    }

    /// Wakes the senders whose requests were refused. Wakes the receiver first, if it waits for the
    /// channel's end.
    fn wake_refused<'a>(&'a self, room: WaitGuard<'a, BoundedState<T>>, with_receiver: bool) {
        wake_in_batches(
            room,
            || self.room.lock(),
            |mut room, wakers| {
                if with_receiver {
                    room.receiver.take().into_iter().for_each(|waker| wakers.push(waker));
                }
                room.take_refused(wakers)
            },
        );
    }

    /// Drops the receiver's waker and the values in the channel. Called after
    /// [`close`](Self::close).
    pub(super) fn drain(&self) {
        let mut room = self.room.lock();
        let (values, waker) = (room.empty(), room.receiver.take());
        drop(room);
        drop(waker);
        drop(values);
    }

    pub(super) fn try_receive(&self) -> Result<T, TryRecvError> {
        let mut room = self.room.lock();
        match room.values.pop_front() {
            Some(value) => {
                self.vacate(room, 1);
                self.show_queued();
                Ok(value)
            }
            None if self.is_over(&room) => Err(TryRecvError::Disconnected),
            None => Err(TryRecvError::Empty),
        }
    }

    /// Frees the room of values that have been taken out, and releases the lock.
    #[inline]
    fn vacate<'a>(&'a self, mut room: WaitGuard<'a, BoundedState<T>>, count: usize) {
        if !room.try_vacate(count) {
            self.vacate_for_others(room, count);
        }
    }

    #[inline(never)]
    fn vacate_for_others<'a>(&'a self, mut room: WaitGuard<'a, BoundedState<T>>, mut count: usize) {
        let _surplus = room.surplus();
        wake_in_batches(room, || self.room.lock(), |mut room, wakers| room.give(&mut count, wakers));
    }

    /// Receives one value. Returns `None` once the channel has ended.
    #[inline]
    pub(super) fn poll_receive(&self, shown: &mut AsyncOp, cx: &mut Context<'_>) -> Poll<Option<T>> {
        self.poll_taking(shown, cx, |room| room.values.pop_front(), |_| 1)
    }

    /// Appends up to `limit` values to `buffer`, and returns the number of values appended: 0 if
    /// the channel has ended, or at once if `limit` is 0.
    pub(super) fn poll_receive_many(
        &self,
        shown: &mut AsyncOp,
        cx: &mut Context<'_>,
        buffer: &mut Vec<T>,
        limit: usize,
    ) -> Poll<usize> {
        if limit == 0 {
            return budget::poll_spending(cx, |_| Poll::Ready(0));
        }
        let take = |room: &mut BoundedState<T>| {
            let count = limit.min(room.values.len());
            buffer.extend(room.values.drain(..count));
            (count > 0).then_some(count)
        };
        self.poll_taking(shown, cx, take, |count| *count).map(|count| count.unwrap_or(0))
    }

    /// Takes values out with `take`, and waits until the channel has some. `count` returns how many
    /// values were taken. Returns `None` once the channel has ended.
    #[inline]
    fn poll_taking<R>(
        &self,
        shown: &mut AsyncOp,
        cx: &mut Context<'_>,
        mut take: impl FnMut(&mut BoundedState<T>) -> Option<R>,
        count: impl FnOnce(&R) -> usize,
    ) -> Poll<Option<R>> {
        with_state(|state| {
            ready!(state.poll_proceed(cx));
            let mut fresh = None;
            loop {
                let mut room = self.room.lock();
                let taken = take(&mut room);
                if let Some(taken) = &taken {
                    self.vacate(room, count(taken));
                } else if !self.is_over(&room) {
                    if self.leave_waker(room, &mut fresh, cx.waker()) {
                        self.note_wait_for_value(shown);
                        return Poll::Pending;
                    }
                    continue;
                } else {
                    drop(room);
                }
                shown.ready();
                self.show_queued();
                state.spend();
                return Poll::Ready(taken);
            }
        })
    }

    /// Stores the receiver's waker, under the same lock under which the channel was found empty.
    /// Returns `false` if the waker has yet to be cloned, which happens with the lock released: the
    /// caller then looks again.
    fn leave_waker(&self, mut room: WaitGuard<'_, BoundedState<T>>, fresh: &mut Option<Waker>, waker: &Waker) -> bool {
        let is_there = room.receiver.as_ref().is_some_and(|left| left.will_wake(waker));
        if !is_there && fresh.is_none() {
            drop(room);
            *fresh = Some(waker.clone());
            return false;
        }
        let displaced = if is_there { fresh.take() } else { std::mem::replace(&mut room.receiver, fresh.take()) };
        drop(room);
        drop(displaced);
        true
    }

    /// Records that the receiver waits, and shows it in the console. Called without the lock.
    fn note_wait_for_value(&self, shown: &mut AsyncOp) {
        shown.pending(&self.shown, WaitKind::MpscReceive, self.closing.place());
        wait::note(WaitKind::MpscReceive, self.closing.place());
    }
}
