//! The queue of an unbounded channel: first in, first out, with many pushing threads and one
//! popping thread.
//!
//! The queue is a linked list of blocks of [`SLOTS`] values, so an idle channel is small and a long
//! one allocates rarely. A pusher claims a position by adding to the tail, and then owns the slot
//! at that position. The popper takes the value out of a slot once the slot's flag says that the
//! value is written.
//!
//! ```text
//!   head                                  tail
//!    │                                     │
//!    ▼                                     ▼
//!   [■■■■■■■■│next]──▶[■■■■■■■■│next]──▶[■■■·····│null]
//! ```
//!
//! Positions advance by [`LAP`] per block, one more than the block has slots. No value lies at the
//! extra position. While the tail is there, the pusher that claimed the last slot puts the next
//! block in place, which it has allocated beforehand, and other pushers wait for these three
//! stores. Positions wrap around, on 32-bit machines within hours, so they are only compared for
//! equality and never ordered.
//!
//! # Freeing a block
//!
//! The popper frees a block after it has taken the value of the block's last slot. At that point no
//! other thread can access the block: a pusher enters the block only after it has claimed a slot in
//! it, and its last step there is to set the slot's flag, without which the popper could not have
//! advanced this far.
//!
//! # Waking the popper
//!
//! The popper falls asleep by setting `ASLEEP` in the tail, and only while the tail equals the
//! head, so that no position is claimed. The pusher that claims the next position clears the bit in
//! the same step, and wakes the popper once its value is written. Other pushers need not check.
//!
//! # The words
//!
//! | word | written by | pairs |
//! |---|---|---|
//! | `tail`: position, `CLOSED` in bit 0, `ASLEEP` in bit 1 | pushers by compare-and-swap, the installer of a block, `close`, the popper as it falls asleep | AcqRel: a thread that sees a position sees the block that was installed for it, and one that clears `ASLEEP` sees the waker that was left before |
//! | `head_block` | the first pusher, before `tail_block`; the popper | Release and Acquire: the block is initialised |
//! | `tail_block` | the first pushers, the installer | Release, before the tail moves on; Acquire after reading the tail |
//! | `written`, for each slot | its pusher | Release after the value; Acquire before the popper reads it |
//! | `next` of a block | its installer | Release, before the last slot's flag |
//! | `spare` | popper puts a block in, pushers take it | Release and Acquire: the block is as new |

#[cfg(all(test, not(wsrt_loom)))]
mod tests;

use crate::sync::UnsafeCell;
use crate::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use crate::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize};
use crate::sync::{SLOTS, spin};
use std::mem::MaybeUninit;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::ptr;

/// The number of positions per block.
const LAP: usize = SLOTS + 1;
/// The bit of the tail that is set once nothing more can be pushed.
const CLOSED: usize = 1;
/// The bit of the tail that asks the next pusher to wake the popper.
const ASLEEP: usize = 2;
/// One position, in the tail's encoding.
const ONE: usize = 4;
/// The tail counts positions modulo this number, and the head counts in a full word. The number of
/// positions per block divides both.
const POSITIONS: usize = usize::MAX / ONE + 1;

/// A queue that carries values from many threads to one.
#[derive(Debug)]
pub(super) struct BlockQueue<T> {
    tail: AtomicUsize,
    tail_block: AtomicPtr<QueueBlock<T>>,
    /// The next position to pop. Only the popper writes it; it is atomic for threads that ask for
    /// the length.
    head: AtomicUsize,
    /// The block of the head. Set by the first pusher, and from then on owned by the popper.
    head_block: AtomicPtr<QueueBlock<T>>,
    /// An emptied block, kept for the next pusher that needs one.
    spare: AtomicPtr<QueueBlock<T>>,
}

#[derive(Debug)]
struct QueueBlock<T> {
    next: AtomicPtr<QueueBlock<T>>,
    written: [AtomicBool; SLOTS],
    values: [UnsafeCell<MaybeUninit<T>>; SLOTS],
}

/// The result of an attempt to pop.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Popped<T> {
    Value(T),
    /// The next position is claimed, but its value is not written yet.
    Busy,
    Empty,
}

// SAFETY: values go from thread to thread, and each slot has one owner at a time.
unsafe impl<T: Send> Send for BlockQueue<T> {}
// SAFETY: as for `Send`; a shared queue gives no `&T` out.
unsafe impl<T: Send> Sync for BlockQueue<T> {}

// No code of others runs between two steps, so a panic leaves nothing half done.
impl<T> UnwindSafe for BlockQueue<T> {}
impl<T> RefUnwindSafe for BlockQueue<T> {}

impl<T> QueueBlock<T> {
    /// Allocates the block in place, because a block of large values does not fit on a stack.
    fn new() -> Box<Self> {
        let block: *mut Self = Box::into_raw(Box::<Self>::new_uninit()).cast();
        // SAFETY: the field lies in the allocation.
        let next = unsafe { &raw mut (*block).next };
        // SAFETY: the memory is allocated for it.
        unsafe { next.write(AtomicPtr::new(ptr::null_mut())) };
        // SAFETY: the field lies in the allocation.
        let written = unsafe { &raw mut (*block).written }.cast::<AtomicBool>();
        // SAFETY: the field lies in the allocation.
        let values = unsafe { &raw mut (*block).values }.cast::<UnsafeCell<MaybeUninit<T>>>();
        for at in 0..SLOTS {
            // SAFETY: the array has as many elements.
            let flag = unsafe { written.add(at) };
            // SAFETY: the memory is allocated for it.
            unsafe { flag.write(AtomicBool::new(false)) };
            // SAFETY: the array has as many elements.
            let value = unsafe { values.add(at) };
            // SAFETY: the memory is allocated for it.
            unsafe { value.write(UnsafeCell::new(MaybeUninit::uninit())) };
        }
        // SAFETY: each field was written, and the memory is a box's.
        unsafe { Box::from_raw(block) }
    }

    /// Resets the block after all of its values have been taken.
    fn reset(&mut self) {
        // Relaxed: no other thread knows the block, and it is given away with Release.
        self.next.store(ptr::null_mut(), Relaxed);
        for flag in &self.written {
            flag.store(false, Relaxed);
        }
    }
}

impl<T> BlockQueue<T> {
    pub(super) fn new() -> Self {
        Self::starting_at(0)
    }

    /// Creates a queue whose first position is not 0, so that tests need not count up to a
    /// wrap-around.
    fn starting_at(head: usize) -> Self {
        Self {
            tail: AtomicUsize::new(head.wrapping_mul(ONE)),
            tail_block: AtomicPtr::new(ptr::null_mut()),
            head: AtomicUsize::new(head),
            head_block: AtomicPtr::new(ptr::null_mut()),
            spare: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// Appends a value. Returns `true` if the popper is asleep and the caller must wake it. Hands
    /// the value back if the queue is closed.
    #[inline]
    pub(super) fn push(&self, value: T) -> Result<bool, T> {
        let mut next: Option<Box<QueueBlock<T>>> = None;
        let mut tail = self.tail.load(Acquire);
        loop {
            if tail & CLOSED != 0 {
                self.keep_spare(next);
                return Err(value);
            }
            let at = tail / ONE % LAP;
            if at == SLOTS {
                spin();
                tail = self.tail.load(Acquire);
                continue;
            }
            let block = self.tail_block.load(Acquire);
            if block.is_null() {
                self.install_first();
                tail = self.tail.load(Acquire);
                continue;
            }
            if at + 1 == SLOTS && next.is_none() {
                next = Some(self.fresh_block());
            }
            match self.tail.compare_exchange_weak(tail, (tail & !ASLEEP).wrapping_add(ONE), AcqRel, Acquire) {
                Ok(_) => {
                    if at + 1 == SLOTS {
                        let next = next.take().unwrap_or_else(QueueBlock::new);
                        // SAFETY: the last slot of the block was claimed just now.
                        unsafe { self.install(block, next) };
                    }
                    // SAFETY: this position was claimed just now, and the block is its block.
                    unsafe { write(block, at, value) };
                    self.keep_spare(next);
                    return Ok(tail & ASLEEP != 0);
                }
                Err(now) => tail = now,
            }
        }
    }

    /// Creates the first block. Several pushers may try; afterwards each of them finds a block.
    #[cold]
    fn install_first(&self) {
        let fresh = Box::into_raw(QueueBlock::new());
        let first = match self.head_block.compare_exchange(ptr::null_mut(), fresh, AcqRel, Acquire) {
            Ok(_) => fresh,
            Err(first) => {
                // SAFETY: it was made from a box above, and given to no other thread.
                self.keep_spare(Some(unsafe { Box::from_raw(fresh) }));
                first
            }
        };
        // Fails if another pusher was faster; `first` may be gone by then, and is not looked into.
        let _ = self.tail_block.compare_exchange(ptr::null_mut(), first, AcqRel, Relaxed);
    }

    /// Links `next` after `block`, and moves the tail to it.
    ///
    /// # Safety
    ///
    /// The caller must have claimed the last slot of `block`, and `block` must be the last of the
    /// queue.
    unsafe fn install(&self, block: *mut QueueBlock<T>, next: Box<QueueBlock<T>>) {
        let next = Box::into_raw(next);
        self.tail_block.store(next, Release);
        self.tail.fetch_add(ONE, AcqRel);
        // SAFETY: the caller's slot is not written, so the popper has not freed the block.
        let block = unsafe { &*block };
        block.next.store(next, Release);
    }

    fn fresh_block(&self) -> Box<QueueBlock<T>> {
        let spare = self.spare.swap(ptr::null_mut(), Acquire);
        if spare.is_null() {
            return QueueBlock::new();
        }
        // SAFETY: only boxes are put there, and this thread took it out.
        unsafe { Box::from_raw(spare) }
    }

    /// Keeps an empty block for later, unless one is already kept.
    fn keep_spare(&self, block: Option<Box<QueueBlock<T>>>) {
        let Some(block) = block else { return };
        let block = Box::into_raw(block);
        if self.spare.compare_exchange(ptr::null_mut(), block, Release, Relaxed).is_err() {
            // SAFETY: it was made from a box above, and given to no other thread.
            drop(unsafe { Box::from_raw(block) });
        }
    }

    /// Makes the next push return `true`. Returns `false`, and does nothing, if a claimed position
    /// has not been popped yet.
    ///
    /// # Safety
    ///
    /// Only one thread at a time may call this method and `pop`.
    #[must_use = "what is claimed is to be waited for in another way"]
    pub(super) unsafe fn fall_asleep(&self) -> bool {
        let head = self.head.load(Relaxed);
        let mut tail = self.tail.load(Acquire);
        while is_at(tail, head) {
            // Release gives the waker, which was left before, to the pusher that clears the bit.
            match self.tail.compare_exchange_weak(tail, tail | ASLEEP, AcqRel, Acquire) {
                Ok(_) => return true,
                Err(now) => tail = now,
            }
        }
        false
    }

    /// Makes every later push fail. Values that are already in the queue stay there.
    pub(super) fn close(&self) {
        self.tail.fetch_or(CLOSED, AcqRel);
    }

    pub(super) fn is_closed(&self) -> bool {
        self.tail.load(Acquire) & CLOSED != 0
    }

    /// Returns the number of values that are written or claimed. The result is exact for the
    /// popper.
    pub(super) fn len(&self) -> usize {
        let head = self.head.load(Relaxed);
        let ahead = (self.tail.load(Acquire) / ONE).wrapping_sub(head) % POSITIONS;
        if ahead > POSITIONS / 2 {
            // The popper has passed the tail that was read.
            return 0;
        }
        // Of each lap one position has no value.
        let values = |position: usize| position / LAP * SLOTS + (position % LAP).min(SLOTS);
        values(head % LAP + ahead) - values(head % LAP)
    }

    /// Takes the first value out of the queue.
    ///
    /// # Safety
    ///
    /// Only one thread at a time may call this method.
    pub(super) unsafe fn pop(&self) -> Popped<T> {
        let head = self.head.load(Relaxed);
        let at = head % LAP;
        let block = self.head_block.load(Acquire);
        if block.is_null() {
            // No tail block, so no value.
            return Popped::Empty;
        }
        // SAFETY: the popper alone frees blocks, below.
        let taken = unsafe { take(block, at) };
        let Some(value) = taken else {
            let is_claimed = !is_at(self.tail.load(Acquire), head);
            return if is_claimed { Popped::Busy } else { Popped::Empty };
        };
        if at + 1 == SLOTS {
            self.head.store(head.wrapping_add(2), Relaxed);
            // SAFETY: its last value was just taken: see the head of this file.
            unsafe { self.leave(block) };
        } else {
            self.head.store(head.wrapping_add(1), Relaxed);
        }
        Popped::Value(value)
    }

    /// Moves the head from `block` to the next block.
    ///
    /// # Safety
    ///
    /// `block` must be the head's block, and all of its values must have been taken.
    unsafe fn leave(&self, block: *mut QueueBlock<T>) {
        // SAFETY: the popper alone frees blocks, and this one is no pusher's any more.
        let mut block = unsafe { Box::from_raw(block) };
        // Acquire pairs with the Release of `install`, which came before the last slot's flag.
        self.head_block.store(block.next.load(Acquire), Release);
        block.reset();
        self.keep_spare(Some(block));
    }
}

impl<T> Drop for BlockQueue<T> {
    fn drop(&mut self) {
        // SAFETY: `&mut self`: there is no other thread.
        while let Popped::Value(value) = unsafe { self.pop() } {
            drop(value);
        }
        for block in [&self.head_block, &self.spare] {
            let block = block.load(Acquire);
            if !block.is_null() {
                // SAFETY: both are boxes that no other thread knows, and not the same one.
                drop(unsafe { Box::from_raw(block) });
            }
        }
    }
}

/// Returns whether the tail equals the head, so that nothing is claimed.
fn is_at(tail: usize, head: usize) -> bool {
    tail / ONE == head % POSITIONS
}

/// Writes a value into its slot, and sets the slot's flag.
///
/// # Safety
///
/// The caller must have claimed the slot, and must not have written to it before.
unsafe fn write<T>(block: *const QueueBlock<T>, at: usize, value: T) {
    // SAFETY: the slot is not written, so the popper has not freed the block.
    let block = unsafe { &*block };
    // SAFETY: the caller has the slot for itself.
    block.values[at].with_mut(|slot| unsafe { slot.write(MaybeUninit::new(value)) });
    // Release gives the value to the popper. After this the block may be gone.
    block.written[at].store(true, Release);
}

/// Takes the value out of a slot, if the value is written.
///
/// # Safety
///
/// The caller must be the popper, `block` the head's block, and `at` the head's slot.
unsafe fn take<T>(block: *const QueueBlock<T>, at: usize) -> Option<T> {
    // SAFETY: the popper has not freed it.
    let block = unsafe { &*block };
    // Acquire pairs with the Release of `write`.
    block.written[at].load(Acquire).then(|| {
        // SAFETY: it is written, and the head passes each slot once.
        block.values[at].with(|slot| unsafe { slot.cast::<T>().read() })
    })
}
