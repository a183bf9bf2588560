//! The shared state of a bounded channel.
//!
//! All of the state is behind a single lock, which is held for a few steps at a time. A send
//! therefore costs one atomic operation, and so does a receive; a separate counter for the room
//! would cost a second one each.

use super::bounded_state::{BoundedState, OneReceiver, ReceiverPlace, ReceivingSide};
use super::close_signal::CloseSignal;
use super::error::{TryRecvError, TrySendError};
use super::senders::Senders;
use crate::batch_semaphore::{self, AcquireRefused};
use crate::budget::{self, with_state};
use crate::console::{AsyncOp, Resource, state};
use crate::sync::{WaitGuard, WaitLock};
use crate::wait::{self, Place};
use crate::wakers::wake_in_batches;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::task::{Context, Poll, Waker, ready};

/// A channel with room for a fixed number of values, and with one receiver or, where `R` is a line,
/// with many.
#[derive(Debug)]
pub(crate) struct BoundedChannel<T, R = OneReceiver> {
    pub(crate) room: WaitLock<BoundedState<T, R>>,
    pub(crate) capacity: usize,
    pub(crate) senders: Senders,
    closing: CloseSignal,
    shown: Resource,
}

// No code of others runs while the lock is held, so a panic leaves nothing half done.
impl<T, R> UnwindSafe for BoundedChannel<T, R> {}
impl<T, R> RefUnwindSafe for BoundedChannel<T, R> {}

impl<T, R: ReceivingSide> BoundedChannel<T, R> {
    /// Creates a channel with one sender.
    ///
    /// # Panics
    ///
    /// Panics if `capacity` is greater than [`MOST`](batch_semaphore::MOST).
    #[track_caller]
    pub(crate) fn new(capacity: usize, receivers: R) -> Self {
        assert!(capacity <= batch_semaphore::MOST, "a channel has room for at most usize::MAX >> 3 values");
        Self {
            room: WaitLock::new(BoundedState::new(capacity, receivers)),
            capacity,
            senders: Senders::one(),
            closing: CloseSignal::new(),
            shown: Resource::new(),
        }
    }

    /// Sends `value` if the channel has room and the poll has budget left. Otherwise hands the
    /// value back.
    #[inline]
    pub(crate) fn send_at_once(&self, value: T) -> Result<(), T> {
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
    pub(crate) fn try_send(&self, value: T) -> Result<(), TrySendError<T>> {
        let mut room = self.room.lock();
        match room.try_take(1) {
            Ok(()) => {
                self.append(room, value);
                Ok(())
            }
            Err(refused) => {
                drop(room);
                Err(TrySendError::of(refused, value))
            }
        }
    }

    /// Sends `value` in the room that a permit has reserved.
    pub(crate) fn send(&self, value: T) {
        self.append(self.room.lock(), value);
    }

    /// Appends a value for which room has been taken, and wakes a receiver that waits.
    #[inline]
    fn append(&self, mut room: WaitGuard<'_, BoundedState<T, R>>, value: T) {
        if !room.has_receiver {
            room.free += 1;
            drop(room);
            return drop(value);
        }
        room.values.push_back(value);
        let count = room.values.len();
        let receiver = room.receivers.take_next(count);
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
    pub(crate) fn try_take(&self, count: usize) -> Result<(), AcquireRefused> {
        self.room.lock().try_take(count)
    }

    /// Takes room for `count` values, or joins the line with `waker` and returns the key of the new
    /// entry.
    pub(crate) fn take_or_enter(&self, count: usize, waker: Waker) -> Result<Option<usize>, AcquireRefused> {
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
    pub(crate) fn wait_on(&self, key: usize, waker: &Waker) -> Option<Result<(), AcquireRefused>> {
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
                line.note_task(key);
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
    fn leave_served(&self, mut room: WaitGuard<'_, BoundedState<T, R>>, key: usize) -> Result<(), AcquireRefused> {
        let (need, _) = room.leave(key);
        if !room.is_closed {
            debug_assert_eq!(need.lacks, 0, "only a close unlinks a sender that lacks room");
            return Ok(());
        }
        self.give_to(room, need.has);
        Err(AcquireRefused::Closed)
    }

    /// Removes a sender that no longer wants its place in line or the room it has received.
    pub(crate) fn leave(&self, key: usize) {
        let mut room = self.room.lock();
        let (need, waker) = room.leave(key);
        self.give_to(room, need.has);
        drop(waker);
    }

    /// Gives back room that was not used.
    pub(crate) fn give(&self, count: usize) {
        self.give_to(self.room.lock(), count);
    }

    fn give_to<'a>(&'a self, room: WaitGuard<'a, BoundedState<T, R>>, mut count: usize) {
        wake_in_batches(
            room,
            || self.room.lock(),
            |mut room, wakers| {
                let has_more = room.give(&mut count, wakers);
                // The receivers of a closed channel wait for this to see the end.
                (self.is_over(&room) && room.receivers.take_all(wakers)) || has_more
            },
        );
    }

    /// Returns `true` if the channel is empty and nothing more can be sent.
    fn is_over(&self, room: &BoundedState<T, R>) -> bool {
        room.is_closed && room.free == self.capacity
    }

    /// Waits until the receiver has closed the channel.
    pub(crate) async fn closed(&self) {
        budget::consume().await;
        self.closing.wait(R::CLOSED, || self.is_closed()).await;
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.room.lock().is_closed
    }

    /// Returns the number of values that can be sent without waiting.
    pub(crate) fn free(&self) -> usize {
        self.room.lock().free
    }

    pub(crate) fn len(&self) -> usize {
        self.room.lock().values.len()
    }

    /// Records that the current poll waits for room in this channel.
    pub(crate) fn note_wait_for_room(&self, shown: &mut AsyncOp) {
        shown.pending(&self.shown, R::SEND, self.place());
        self.show_queued();
        wait::note(R::SEND, self.place());
    }

    /// Removes the record that the current poll waits for room in this channel.
    pub(crate) fn take_back_wait_for_room(&self) {
        wait::take_back(R::SEND, self.place());
    }

    /// Removes a sender. The last sender closes the channel.
    pub(crate) fn remove_sender(&self) {
        if self.senders.remove() {
            let mut room = self.room.lock();
            room.close();
            self.wake_refused(room, true);
        }
    }

    /// Closes the channel for senders, on behalf of a receiver. Other receivers learn of the end.
    pub(crate) fn close(&self) {
        let mut room = self.room.lock();
        room.close();
        let has_others = room.receivers.has_others();
        self.wake_refused(room, has_others);
        self.closing.notify_all();
    }

    /// Wakes the senders whose requests were refused. Wakes the receivers first, if they wait for
    /// the channel's end.
    fn wake_refused<'a>(&'a self, room: WaitGuard<'a, BoundedState<T, R>>, with_receivers: bool) {
        wake_in_batches(
            room,
            || self.room.lock(),
            |mut room, wakers| {
                let has_more = with_receivers && self.is_over(&room) && room.receivers.take_all(wakers);
                room.take_refused(wakers) || has_more
            },
        );
    }

    /// Drops the last receiver's waker and the values in the channel. Called after
    /// [`close`](Self::close).
    pub(crate) fn drain(&self) {
        let mut room = self.room.lock();
        let (values, waker) = (room.empty(), room.receivers.take_next(usize::MAX));
        drop(room);
        drop(waker);
        drop(values);
    }

    pub(crate) fn try_receive(&self) -> Result<T, TryRecvError> {
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
    fn vacate<'a>(&'a self, mut room: WaitGuard<'a, BoundedState<T, R>>, count: usize) {
        if !room.try_vacate(count) {
            self.vacate_for_others(room, count);
        }
    }

    #[inline(never)]
    fn vacate_for_others<'a>(&'a self, mut room: WaitGuard<'a, BoundedState<T, R>>, count: usize) {
        let _surplus = room.surplus();
        self.give_to(room, count);
    }

    /// Records that a receiver waits, and shows it in the console. Called without the lock.
    fn note_wait_for_value(&self, shown: &mut AsyncOp) {
        shown.pending(&self.shown, R::RECEIVE, self.place());
        wait::note(R::RECEIVE, self.place());
    }

    /// Returns the place where the channel was created.
    pub(crate) fn place(&self) -> Place {
        self.closing.place()
    }

    /// Receives one value. Returns `None` once the channel has ended.
    #[inline]
    pub(crate) fn poll_receive(&self, place: &mut ReceiverPlace<R>, cx: &mut Context<'_>) -> Poll<Option<T>> {
        self.poll_taking(place, cx, |room| room.values.pop_front(), |_| 1)
    }

    /// Appends up to `limit` values to `buffer`, and returns the number of values appended: 0 if
    /// the channel has ended, or at once if `limit` is 0.
    pub(crate) fn poll_receive_many(
        &self,
        place: &mut ReceiverPlace<R>,
        cx: &mut Context<'_>,
        buffer: &mut Vec<T>,
        limit: usize,
    ) -> Poll<usize> {
        if limit == 0 {
            return budget::poll_spending(cx, |_| Poll::Ready(0));
        }
        let take = |room: &mut BoundedState<T, R>| {
            let count = limit.min(room.values.len());
            buffer.extend(room.values.drain(..count));
            (count > 0).then_some(count)
        };
        self.poll_taking(place, cx, take, |count| *count).map(|count| count.unwrap_or(0))
    }

    /// Takes values out with `take`, and waits until the channel has some. `count` returns how many
    /// values were taken. Returns `None` once the channel has ended.
    #[inline]
    fn poll_taking<V>(
        &self,
        place: &mut ReceiverPlace<R>,
        cx: &mut Context<'_>,
        mut take: impl FnMut(&mut BoundedState<T, R>) -> Option<V>,
        count: impl FnOnce(&V) -> usize,
    ) -> Poll<Option<V>> {
        with_state(|state| {
            ready!(state.poll_proceed(cx));
            let mut fresh = None;
            loop {
                let mut room = self.room.lock();
                let taken = take(&mut room);
                if taken.is_none() && !self.is_over(&room) {
                    if wait_for_value(room, &mut place.key, &mut fresh, cx.waker()) {
                        self.note_wait_for_value(&mut place.shown);
                        return Poll::Pending;
                    }
                    continue;
                }
                let _waker = room.receivers.leave(&mut place.key);
                if let Some(taken) = &taken {
                    self.vacate(room, count(taken));
                } else {
                    drop(room);
                }
                place.shown.ready();
                self.show_queued();
                state.spend();
                return Poll::Ready(taken);
            }
        })
    }
}

/// Makes a receiver wait with `waker`, under the same lock under which the channel was found empty.
/// Returns `false` if the waker has yet to be cloned, which happens with the lock released: the
/// caller then looks again.
#[inline(never)]
fn wait_for_value<T, R: ReceivingSide>(
    mut room: WaitGuard<'_, BoundedState<T, R>>,
    key: &mut R::Key,
    fresh: &mut Option<Waker>,
    waker: &Waker,
) -> bool {
    if room.receivers.will_wake(key, waker) {
        return true;
    }
    let Some(ours) = fresh.take() else {
        drop(room);
        // With no lock held: it is foreign code.
        *fresh = Some(waker.clone());
        return false;
    };
    let displaced = room.receivers.wait(key, ours);
    drop(room);
    drop(displaced);
    true
}
