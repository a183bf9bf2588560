//! The state that the senders and receivers of a broadcast channel share.

use crate::console::Resource;
use crate::notify::Notify;
use crate::sync::atomic::AtomicUsize;
use crate::sync::{Mutex, MutexGuard};
use crate::wait_list::WaitList;
use crate::wakers::wake_in_batches;
use std::panic::{RefUnwindSafe, UnwindSafe};

/// The shared state of a broadcast channel. Lock order: the tail before a slot.
pub(super) struct BroadcastChannel<T> {
    /// The slots for values, whose number is a power of two.
    pub(super) slots: Box<[Mutex<Slot<T>>]>,
    pub(super) tail: Mutex<Tail>,
    pub(super) senders: AtomicUsize,
    pub(super) weak_senders: AtomicUsize,
    /// Notified when the last receiver is dropped.
    pub(super) unwatched: Notify,
    pub(super) shown: Resource,
}

pub(super) struct Tail {
    /// The position of the next value to be sent.
    pub(super) position: u64,
    pub(super) receivers: usize,
    pub(super) is_closed: bool,
    /// The receivers that have received every value and wait for the next one.
    pub(super) waiters: WaitList<()>,
}

pub(super) struct Slot<T> {
    /// The position of the value that was last put into this slot.
    pub(super) position: u64,
    /// The number of receivers that have yet to receive the value. The last one takes it out.
    pub(super) left: usize,
    pub(super) value: Option<T>,
}

// No code of others runs while a lock is held but `Clone`, which finds nothing half done.
impl<T> UnwindSafe for BroadcastChannel<T> {}
impl<T> RefUnwindSafe for BroadcastChannel<T> {}

impl<T> BroadcastChannel<T> {
    pub(super) fn slot(&self, position: u64) -> MutexGuard<'_, Slot<T>> {
        // Positions wrap at a multiple of the number of slots, so the low bits are enough.
        self.slots[position as usize & (self.slots.len() - 1)].lock()
    }

    /// Wakes all waiting receivers, and releases the lock.
    pub(super) fn wake_all<'a>(&'a self, mut tail: MutexGuard<'a, Tail>) {
        if tail.waiters.release_all() {
            wake_in_batches(tail, || self.tail.lock(), |mut tail, wakers| tail.waiters.take_released(wakers));
        }
    }
}

/// Passes the value to `take`. The last receiver of the value drops it.
pub(super) fn take_from<T, R>(slot: MutexGuard<'_, Slot<T>>, take: impl FnOnce(&T) -> R) -> R {
    /// Counts the receiver even if `take` panics.
    struct ReleaseSlot<'a, T>(Option<MutexGuard<'a, Slot<T>>>);

    impl<T> Drop for ReleaseSlot<'_, T> {
        fn drop(&mut self) {
            let Some(mut slot) = self.0.take() else { return };
            slot.left -= 1;
            let value = if slot.left == 0 { slot.value.take() } else { None };
            drop(slot);
            drop(value);
        }
    }

    let leaving = ReleaseSlot(Some(slot));
    let value = leaving.0.as_ref().and_then(|slot| slot.value.as_ref());
    take(value.expect("a value stays until the last receiver has come by"))
}
