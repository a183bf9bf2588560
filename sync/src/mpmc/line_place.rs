//! The place of a receiver in the line, and the operations that wait there.

use super::MpmcChannel;
use super::receiver_line::ReceiverLine;
use crate::budget::{self, with_state};
use crate::console::AsyncOp;
use crate::mpsc::bounded_state::{BoundedState, ReceivingSide};
use crate::sync::WaitGuard;
use crate::wait;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};

/// A receiver's place in the line, if it has one.
#[derive(Debug)]
pub(super) struct LinePlace {
    key: Option<usize>,
    shown: AsyncOp,
}

/// The state of a channel with its line of receivers.
type MpmcState<T> = BoundedState<T, ReceiverLine>;

impl LinePlace {
    pub(super) fn none() -> Self {
        Self { key: None, shown: AsyncOp::none() }
    }
}

impl<T> MpmcChannel<T> {
    /// Receives one value. Returns `None` once the channel has ended.
    #[inline]
    pub(super) fn poll_receive(&self, place: &mut LinePlace, cx: &mut Context<'_>) -> Poll<Option<T>> {
        self.poll_taking(place, cx, |room| room.values.pop_front(), |_| 1)
    }

    /// Appends up to `limit` values to `buffer`, and returns the number of values appended: 0 if
    /// the channel has ended, or at once if `limit` is 0.
    pub(super) fn poll_receive_many(
        &self,
        place: &mut LinePlace,
        cx: &mut Context<'_>,
        buffer: &mut Vec<T>,
        limit: usize,
    ) -> Poll<usize> {
        if limit == 0 {
            return budget::poll_spending(cx, |_| Poll::Ready(0));
        }
        let take = |room: &mut MpmcState<T>| {
            let count = limit.min(room.values.len());
            buffer.extend(room.values.drain(..count));
            (count > 0).then_some(count)
        };
        self.poll_taking(place, cx, take, |count| *count).map(|count| count.unwrap_or(0))
    }

    /// Takes values out with `take`, and waits in the line until the channel has some. `count`
    /// returns how many values were taken. Returns `None` once the channel has ended.
    #[inline]
    fn poll_taking<V>(
        &self,
        place: &mut LinePlace,
        cx: &mut Context<'_>,
        mut take: impl FnMut(&mut MpmcState<T>) -> Option<V>,
        count: impl FnOnce(&V) -> usize,
    ) -> Poll<Option<V>> {
        with_state(|state| {
            ready!(state.poll_proceed(cx));
            let mut fresh = None;
            loop {
                let mut room = self.room.lock();
                let taken = take(&mut room);
                if taken.is_none() && !self.is_over(&room) {
                    if wait_in_line(room, &mut place.key, &mut fresh, cx.waker()) {
                        self.note_wait_for_value(&mut place.shown);
                        return Poll::Pending;
                    }
                    continue;
                }
                let _waker = place.key.take().and_then(|key| room.receivers.leave(key));
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

    /// Gives up the place, if there is one. A value that it was woken for wakes the next receiver.
    pub(super) fn give_up(&self, place: &mut LinePlace) {
        let Some(key) = place.key.take() else { return };
        wait::take_back(ReceiverLine::RECEIVE, self.place());
        let mut room = self.room.lock();
        let waker = room.receivers.leave(key);
        let count = room.values.len();
        let next = room.receivers.take_next(count);
        drop(room);
        drop(waker);
        next.into_iter().for_each(Waker::wake);
    }
}

/// Waits in the line with `waker`, under the same lock under which the channel was found empty. A
/// receiver that was woken in vain goes to the end of the line. Returns `false` if the waker has
/// yet to be cloned, which happens with the lock released: the caller then looks again.
#[inline(never)]
fn wait_in_line<T>(
    mut room: WaitGuard<'_, MpmcState<T>>,
    key: &mut Option<usize>,
    fresh: &mut Option<Waker>,
    waker: &Waker,
) -> bool {
    let line = &mut room.receivers;
    let waiting = key.filter(|&key| line.is_waiting(key));
    if waiting.is_some_and(|key| line.will_wake(key, waker)) {
        drop(room);
        return true;
    }
    let Some(ours) = fresh.take() else {
        drop(room);
        // With no lock held: it is foreign code.
        *fresh = Some(waker.clone());
        return false;
    };
    let displaced = match waiting {
        Some(key) => line.replace_waker(key, ours),
        None => {
            let displaced = key.take().and_then(|key| line.leave(key));
            *key = Some(line.enter(ours));
            displaced
        }
    };
    drop(room);
    drop(displaced);
    true
}

/// A future that receives one value. If dropped early, it leaves the line.
#[derive(Debug)]
#[must_use = "futures do nothing unless polled"]
pub(super) struct ReceiveOne<'a, T> {
    channel: &'a MpmcChannel<T>,
    place: LinePlace,
}

impl<'a, T> ReceiveOne<'a, T> {
    #[inline]
    pub(super) fn new(channel: &'a MpmcChannel<T>) -> Self {
        Self { channel, place: LinePlace::none() }
    }
}

impl<T> Future for ReceiveOne<'_, T> {
    type Output = Option<T>;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        this.channel.poll_receive(&mut this.place, cx)
    }
}

impl<T> Drop for ReceiveOne<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.channel.give_up(&mut self.place);
    }
}

/// A future that receives several values. If dropped early, it leaves the line.
#[derive(Debug)]
#[must_use = "futures do nothing unless polled"]
pub(super) struct ReceiveMany<'a, T> {
    channel: &'a MpmcChannel<T>,
    place: LinePlace,
    buffer: &'a mut Vec<T>,
    limit: usize,
}

impl<'a, T> ReceiveMany<'a, T> {
    pub(super) fn new(channel: &'a MpmcChannel<T>, buffer: &'a mut Vec<T>, limit: usize) -> Self {
        Self { channel, place: LinePlace::none(), buffer, limit }
    }
}

impl<T> Future for ReceiveMany<'_, T> {
    type Output = usize;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        this.channel.poll_receive_many(&mut this.place, cx, this.buffer, this.limit)
    }
}

impl<T> Drop for ReceiveMany<'_, T> {
    fn drop(&mut self) {
        self.channel.give_up(&mut self.place);
    }
}
