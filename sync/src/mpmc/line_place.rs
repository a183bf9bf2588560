//! The place of a receiver in the line, and the futures that wait there.

use super::MpmcChannel;
use super::receiver_line::ReceiverLine;
use crate::mpsc::bounded_state::{ReceiverPlace, ReceivingSide};
use crate::wait;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

/// A receiver's place in the line, if it has one.
pub(super) type LinePlace = ReceiverPlace<ReceiverLine>;

impl<T> MpmcChannel<T> {
    /// Gives up the place, if there is one. A value that it was woken for wakes the next receiver.
    #[inline]
    pub(super) fn give_up(&self, place: &mut LinePlace) {
        if place.key.is_some() {
            self.leave_line(place);
        }
    }

    #[inline(never)]
    fn leave_line(&self, place: &mut LinePlace) {
        wait::take_back(ReceiverLine::RECEIVE, self.place());
        let mut room = self.room.lock();
        let waker = room.receivers.leave(&mut place.key);
        let count = room.values.len();
        let next = room.receivers.take_next(count);
        drop(room);
        drop(waker);
        next.into_iter().for_each(Waker::wake);
    }
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
