//! The shared state of an unbounded channel: the queue, the receiver's waker, and the number of
//! senders.

use super::close_signal::CloseSignal;
use super::error::TryRecvError;
use super::queue::{BlockQueue, Popped};
use super::senders::Senders;
use crate::budget::{self, with_state};
use crate::console::{AsyncOp, Resource, state};
use crate::current_poll::CurrentPoll;
use crate::sync::{LOOKS, relax, spin};
use crate::wait::{self, WaitKind};
use crate::waker_cell::WakerCell;
use std::task::{Context, Poll, ready};

/// The shared state of an unbounded channel.
#[derive(Debug)]
pub(super) struct UnboundedChannel<T> {
    pub(super) queue: BlockQueue<T>,
    receiver: WakerCell,
    closing: CloseSignal,
    pub(super) senders: Senders,
    shown: Resource,
}

impl<T> UnboundedChannel<T> {
    /// Creates a channel with one sender.
    #[track_caller]
    pub(super) fn new() -> Self {
        let (receiver, closing) = (WakerCell::new(), CloseSignal::new());
        Self { queue: BlockQueue::new(), receiver, closing, senders: Senders::one(), shown: Resource::new() }
    }

    /// Appends a value, and wakes the receiver if it is asleep. Hands the value back if the queue
    /// is closed.
    #[inline]
    pub(super) fn push(&self, value: T) -> Result<(), T> {
        if self.queue.push(value)? {
            self.wake_receiver();
        }
        self.show_queued();
        Ok(())
    }

    /// Shows in the console how many values are in the channel.
    #[inline]
    fn show_queued(&self) {
        state!(self.shown, queued = self.queue.len());
    }

    /// Wakes the receiver, if it has stored its waker.
    #[cold]
    pub(super) fn wake_receiver(&self) {
        self.receiver.wake();
    }

    /// Waits until the receiver has closed the channel.
    pub(super) async fn closed(&self) {
        budget::consume().await;
        self.closing.wait(WaitKind::MpscClosed, || self.queue.is_closed()).await;
    }

    /// Removes a sender. The last sender closes the channel.
    pub(super) fn remove_sender(&self) {
        if self.senders.remove() {
            self.queue.close();
            self.wake_receiver();
        }
    }

    /// Makes every later send fail.
    pub(super) fn close(&self) {
        self.queue.close();
        self.closing.notify_all();
    }

    /// Drops the receiver's waker and the values in the channel. Called after
    /// [`close`](UnboundedChannel::close).
    ///
    /// # Safety
    ///
    /// The caller must be the receiver.
    pub(super) unsafe fn drain(&self) {
        /// Drops the remaining values even if the destructor of one of them panics.
        struct Draining<'a, T>(&'a UnboundedChannel<T>);

        impl<T> Drop for Draining<'_, T> {
            fn drop(&mut self) {
                // SAFETY: the receiver made this.
                while let Popped::Value(value) = unsafe { self.0.queue.pop() } {
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
            drop(value);
        }
        drop(rest);
    }

    /// # Safety
    ///
    /// The caller must be the receiver.
    pub(super) unsafe fn try_receive(&self) -> Result<T, TryRecvError> {
        loop {
            let is_over = self.queue.is_closed();
            // SAFETY: as the caller promises.
            match unsafe { self.queue.pop() } {
                Popped::Value(value) => {
                    self.show_queued();
                    return Ok(value);
                }
                // Sent before others that may have been received: it is there in a moment.
                Popped::Busy => spin(),
                Popped::Empty if is_over => return Err(TryRecvError::Disconnected),
                Popped::Empty => return Err(TryRecvError::Empty),
            }
        }
    }

    /// # Safety
    ///
    /// The caller must be the receiver.
    #[inline]
    pub(super) unsafe fn poll_receive(&self, shown: &mut AsyncOp, cx: &mut Context<'_>) -> Poll<Option<T>> {
        // SAFETY: as the caller promises.
        if let Some(value) = with_state(|state| unsafe { self.receive_at_once(state) }) {
            self.show_received(shown);
            return Poll::Ready(Some(value));
        }
        let mut value = None;
        // SAFETY: as the caller promises.
        let taken = ready!(unsafe { self.poll_receive_with(shown, cx, 1, |taken| value = Some(taken)) });
        debug_assert_eq!(taken, usize::from(value.is_some()));
        Poll::Ready(value)
    }

    /// Takes the first value, if that value has been written and the poll has budget left.
    ///
    /// # Safety
    ///
    /// The caller must be the receiver.
    #[inline]
    unsafe fn receive_at_once(&self, state: &CurrentPoll) -> Option<T> {
        if !state.has_remaining() {
            return None;
        }
        // SAFETY: as the caller promises.
        let Popped::Value(value) = (unsafe { self.queue.pop() }) else { return None };
        state.spend();
        Some(value)
    }

    /// Appends up to `limit` values to `buffer`, and returns the number of values appended: 0 if
    /// the channel has ended, or at once if `limit` is 0.
    ///
    /// # Safety
    ///
    /// The caller must be the receiver.
    pub(super) unsafe fn poll_receive_many(
        &self,
        shown: &mut AsyncOp,
        cx: &mut Context<'_>,
        buffer: &mut Vec<T>,
        limit: usize,
    ) -> Poll<usize> {
        if limit == 0 {
            return budget::poll_spending(cx, |_| Poll::Ready(0));
        }
        // SAFETY: as the caller promises.
        unsafe { self.poll_receive_with(shown, cx, limit, |value| buffer.push(value)) }
    }

    /// Passes up to `limit` values to `take`, and returns their number: 0 if the channel has ended.
    ///
    /// # Safety
    ///
    /// The caller must be the receiver.
    #[inline(never)]
    unsafe fn poll_receive_with(
        &self,
        shown: &mut AsyncOp,
        cx: &mut Context<'_>,
        limit: usize,
        mut take: impl FnMut(T),
    ) -> Poll<usize> {
        ready!(budget::poll_proceed(cx));
        for has_left_waker in [false, true] {
            let is_over = self.queue.is_closed();
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
            if count > 0 || (is_over && !is_busy) {
                self.show_received(shown);
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
        shown.pending(&self.shown, WaitKind::MpscReceive, self.closing.place());
        wait::note(WaitKind::MpscReceive, self.closing.place());
        Poll::Pending
    }

    /// Shows in the console that the receiver has received.
    #[inline]
    fn show_received(&self, shown: &mut AsyncOp) {
        shown.ready();
        self.show_queued();
    }

    /// Takes the first value, and waits a moment if the value is just being written.
    ///
    /// # Safety
    ///
    /// The caller must be the receiver.
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
}
