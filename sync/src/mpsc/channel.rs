//! The common part of bounded and unbounded channels: the queue, the receiver's waker, and the
//! count of senders.

use super::error::TryRecvError;
use super::queue::{Popped, Queue};
use crate::budget;
use crate::notify::Notify;
use crate::sync::atomic::AtomicUsize;
use crate::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use crate::sync::{LOOKS, relax, spin};
use crate::wait::{self, WaitKind};
use crate::waker_cell::WakerCell;
use std::task::{Context, Poll, ready};

/// How a channel limits what lies in it.
pub(super) trait Room {
    /// A value was taken out.
    fn vacate(&self, count: usize);

    /// Nothing is to be sent any more, but by those that have room already.
    fn close<T>(&self, queue: &Queue<T>);

    fn is_closed<T>(&self, queue: &Queue<T>) -> bool;

    /// True if no sender has room for a value that is yet to be sent.
    fn is_idle(&self) -> bool;
}

/// A channel, as its senders and its receiver share it.
#[derive(Debug)]
pub(super) struct Channel<T, R> {
    pub(super) queue: Queue<T>,
    pub(super) room: R,
    receiver: WakerCell,
    /// Notified when the receiver closes.
    closing: Notify,
    senders: AtomicUsize,
    weak_senders: AtomicUsize,
}

impl<T, R: Room> Channel<T, R> {
    /// One with one sender.
    #[track_caller]
    pub(super) fn new(room: R) -> Self {
        Self {
            queue: Queue::new(),
            room,
            receiver: WakerCell::new(),
            closing: Notify::new(),
            senders: AtomicUsize::new(1),
            weak_senders: AtomicUsize::new(0),
        }
    }

    /// Appends a value, and wakes the receiver if it is asleep. Hands the value back if the queue
    /// is closed.
    #[inline]
    pub(super) fn push(&self, value: T) -> Result<(), T> {
        if self.queue.push(value)? {
            self.wake_receiver();
        }
        Ok(())
    }

    /// Wakes the receiver, if it has left its waker.
    #[cold]
    pub(super) fn wake_receiver(&self) {
        self.receiver.wake();
    }

    /// Wakes the receiver if that was the last of the room that was held in a closed channel: it
    /// waits for that to see the end.
    pub(super) fn wake_receiver_at_the_end(&self) {
        if self.is_over() {
            self.wake_receiver();
        }
    }

    /// Waits until the receiver has closed.
    pub(super) async fn closed(&self) {
        budget::consume().await;
        let notified = self.closing.notified_as(WaitKind::MpscClosed);
        if !self.is_closed_by_receiver() {
            notified.await;
        }
    }

    pub(super) fn is_closed_by_receiver(&self) -> bool {
        self.room.is_closed(&self.queue)
    }

    pub(super) fn add_sender(&self) {
        self.senders.fetch_add(1, Relaxed);
    }

    /// Adds a sender to those that there are. False if there is none.
    pub(super) fn try_add_sender(&self) -> bool {
        let more = |count: usize| (count > 0).then(|| count + 1);
        self.senders.fetch_update(AcqRel, Relaxed, more).is_ok()
    }

    /// The last one closes the channel.
    pub(super) fn remove_sender(&self) {
        // Release and Acquire: what each sender sent happened before the close.
        if self.senders.fetch_sub(1, AcqRel) == 1 {
            self.room.close(&self.queue);
            self.wake_receiver();
        }
    }

    pub(super) fn senders(&self) -> usize {
        self.senders.load(Acquire)
    }

    pub(super) fn weak_senders(&self) -> usize {
        self.weak_senders.load(Acquire)
    }

    /// Has senders fail from now on.
    pub(super) fn close(&self) {
        self.room.close(&self.queue);
        self.closing.notify_waiters();
    }

    /// Drops the receiver's waker and what lies in the channel, after [`close`](Channel::close).
    ///
    /// # Safety
    ///
    /// The caller is the receiver.
    pub(super) unsafe fn drain(&self) {
        /// Goes on with the next value where the destructor of one panics.
        struct Draining<'a, T, R: Room>(&'a Channel<T, R>);

        impl<T, R: Room> Drop for Draining<'_, T, R> {
            fn drop(&mut self) {
                // SAFETY: the receiver made this.
                while let Popped::Value(value) = unsafe { self.0.queue.pop() } {
                    self.0.room.vacate(1);
                    drop(value);
                }
            }
        }

        // SAFETY: the caller is the receiver.
        unsafe { self.receiver.clear() };
        let rest = Draining(self);
        // SAFETY: the caller is the receiver. A value that is being written is dropped with the
        // channel.
        while let Popped::Value(value) = unsafe { self.queue.pop() } {
            self.room.vacate(1);
            drop(value);
        }
        drop(rest);
    }

    /// # Safety
    ///
    /// The caller is the receiver.
    pub(super) unsafe fn try_receive(&self) -> Result<T, TryRecvError> {
        loop {
            let is_over = self.is_over();
            // SAFETY: as the caller promises.
            match unsafe { self.queue.pop() } {
                Popped::Value(value) => {
                    self.room.vacate(1);
                    return Ok(value);
                }
                // Sent before others that may have been received: it is there in a moment.
                Popped::Busy => spin(),
                Popped::Empty if is_over => return Err(TryRecvError::Disconnected),
                Popped::Empty => return Err(TryRecvError::Empty),
            }
        }
    }

    /// True if nothing will be sent any more. To be asked before the queue is looked at.
    fn is_over(&self) -> bool {
        self.room.is_closed(&self.queue) && self.room.is_idle()
    }

    /// # Safety
    ///
    /// The caller is the receiver.
    pub(super) unsafe fn poll_receive(&self, cx: &mut Context<'_>) -> Poll<Option<T>> {
        let mut value = None;
        // SAFETY: as the caller promises.
        let taken = ready!(unsafe { self.poll_receive_with(cx, 1, |taken| value = Some(taken)) });
        debug_assert_eq!(taken, usize::from(value.is_some()));
        Poll::Ready(value)
    }

    /// Appends up to `limit` values to `buffer`, and returns how many; zero at the end of the
    /// channel, and at once for a limit of zero.
    ///
    /// # Safety
    ///
    /// The caller is the receiver.
    pub(super) unsafe fn poll_receive_many(
        &self,
        cx: &mut Context<'_>,
        buffer: &mut Vec<T>,
        limit: usize,
    ) -> Poll<usize> {
        if limit == 0 {
            return budget::poll_spending(cx, |_| Poll::Ready(0));
        }
        // SAFETY: as the caller promises.
        unsafe { self.poll_receive_with(cx, limit, |value| buffer.push(value)) }
    }

    /// Hands up to `limit` values to `take`, and returns how many; zero at the end of the channel.
    ///
    /// # Safety
    ///
    /// The caller is the receiver.
    unsafe fn poll_receive_with(&self, cx: &mut Context<'_>, limit: usize, mut take: impl FnMut(T)) -> Poll<usize> {
        ready!(budget::poll_proceed(cx));
        for has_left_waker in [false, true] {
            let is_over = self.is_over();
            let (mut count, mut is_busy) = (0, false);
            while count < limit {
                // SAFETY: as the caller promises.
                match unsafe { self.pop_patiently() } {
                    Popped::Value(value) => take(value),
                    other => {
                        is_busy = matches!(other, Popped::Busy);
                        break;
                    }
                }
                count += 1;
            }
            if count > 0 {
                self.room.vacate(count);
            }
            if count > 0 || (is_over && !is_busy) {
                budget::spend();
                return Poll::Ready(count);
            }
            if is_busy {
                // Its sender lost its core, and does not know that it is waited for.
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            if !has_left_waker {
                // SAFETY: as the caller promises.
                unsafe { self.receiver.leave(cx.waker()) };
                // SAFETY: as the caller promises. Asleep or not, the channel may have ended.
                let _ = unsafe { self.queue.fall_asleep() };
            }
        }
        wait::note(WaitKind::MpscReceive, self.closing.place());
        Poll::Pending
    }

    /// Takes the first value, waiting a moment if it is being written.
    ///
    /// # Safety
    ///
    /// The caller is the receiver.
    unsafe fn pop_patiently(&self) -> Popped<T> {
        for _ in 0..LOOKS {
            // SAFETY: as the caller promises.
            match unsafe { self.queue.pop() } {
                Popped::Busy => relax(),
                popped => return popped,
            }
        }
        Popped::Busy
    }

    pub(super) fn add_weak(&self) {
        self.weak_senders.fetch_add(1, Relaxed);
    }

    pub(super) fn remove_weak(&self) {
        self.weak_senders.fetch_sub(1, Release);
    }
}
