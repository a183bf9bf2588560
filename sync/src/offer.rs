//! The offer of a mutex that was held for a short time: see the head of `batch_semaphore.rs`.
//!
//! All steps but the give of a permit beside an offer happen under the lock of the wait queue, so
//! the flags of the word agree with the list there.

use crate::batch_semaphore::{BatchSemaphore, ONE, WAITING, WOKEN};
use crate::budget::with_state;
use crate::sync::atomic::Ordering::{AcqRel, Relaxed};
use crate::sync::{OVERTAKES, WaitGuard};
use crate::wait_queue::WaitQueueState;
use std::ptr;
use std::task::Waker;

impl BatchSemaphore {
    /// Returns `true` if the permit of a mutex was taken in the current poll of a task, and no
    /// other lock since.
    fn is_short_hold(&self) -> bool {
        self.offers && with_state(|state| state.task.get() != 0 && ptr::addr_eq(state.locked.get(), self))
    }

    /// Returns the holder, or 0 while the mutex is offered: its holder may change without a trace
    /// in the queue. Called with the lock held.
    pub(crate) fn known_holder(&self) -> u64 {
        if self.word.load(Relaxed) & WOKEN == 0 { self.holder.task() } else { 0 }
    }

    /// Records in the queue that permits were given back, and which task holds them now.
    pub(crate) fn note_hand_over(&self, queue: &mut WaitQueueState) {
        queue.note_hand_over(self.known_holder(), self.total.count());
    }

    /// Gives the one permit back: offers it after a short hold to the first waiter, if the waiter
    /// has not been overtaken too often. Hands it over otherwise.
    pub(crate) fn offer_or_serve(&self, queue: WaitGuard<'_, WaitQueueState>, count: usize) {
        let is_patient = queue.list.first().is_some_and(|first| first.overtaken < OVERTAKES);
        if !is_patient || !self.is_short_hold() {
            return self.serve(queue, count);
        }
        // Both bits are clear: the caller holds the permit, so no offer is open. AcqRel: `give`.
        self.word.fetch_add(ONE | WOKEN, AcqRel);
        self.wake_first(queue);
    }

    /// Wakes the first waiter to look for the permit. `WOKEN` is set.
    fn wake_first(&self, mut queue: WaitGuard<'_, WaitQueueState>) {
        queue.list.first_mut().into_iter().for_each(|first| first.is_woken = true);
        let waker = queue.list.take_first_waker();
        self.note_hand_over(&mut queue);
        drop(queue);
        waker.into_iter().for_each(Waker::wake);
    }

    /// Takes the permit for a waiter if it is free, and unlinks the waiter.
    pub(crate) fn take_in_line(&self, queue: &mut WaitQueueState, key: usize) -> bool {
        let is_woken = queue.list.value_mut(key).is_woken;
        let ends = if queue.list.is_alone(key) { WAITING | WOKEN } else { WOKEN * usize::from(is_woken) };
        // Acquire pairs with the Release of `give`.
        let take = |word: usize| (word / ONE > 0).then(|| (word - ONE) & !ends);
        if self.word.fetch_update(AcqRel, Relaxed, take).is_err() {
            return false;
        }
        queue.grant(key);
        self.holder.name(with_state(|state| self.taken_in(state)));
        self.note_hand_over(queue);
        true
    }

    /// Ends the offer to a waiter that has found no permit. Returns `false`, and does nothing, if
    /// the permit is free by now.
    #[must_use = "if this is false, the permit is there"]
    pub(crate) fn end_offer(&self, queue: &mut WaitQueueState, key: usize) -> bool {
        if !queue.list.value_mut(key).is_woken {
            return true;
        }
        if !self.clear_woken() {
            return false;
        }
        let need = queue.list.value_mut(key);
        (need.is_woken, need.overtaken) = (false, need.overtaken + 1);
        self.note_hand_over(queue);
        true
    }

    /// Passes the offer on from a waiter that has left the list.
    pub(crate) fn pass_on(&self, mut queue: WaitGuard<'_, WaitQueueState>) {
        if queue.list.is_empty() {
            // The permit stays free, or with its holder.
            self.serve(queue, 0);
        } else if self.clear_woken() {
            self.note_hand_over(&mut queue);
        } else {
            self.wake_first(queue);
        }
    }

    /// Clears `WOKEN`, so that the next give looks for a waiter. Returns `false`, and does nothing,
    /// if the permit is free, so that no give may come.
    fn clear_woken(&self) -> bool {
        let clear = |word: usize| (word / ONE == 0).then_some(word & !WOKEN);
        self.word.fetch_update(AcqRel, Relaxed, clear).is_ok()
    }
}
