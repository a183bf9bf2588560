//! A cell for the waker of the one task that waits.
//!
//! # The word
//!
//! | value | the cell is | goes to |
//! |---|---|---|
//! | `EMPTY` | the waiting side's | `WAITING`, by the waiting side, with the waker in the cell |
//! | `WAITING` | the thread that takes it | `TAKING`, by a waker-up; `EMPTY`, by the waiting side, which wants another waker there |
//! | `TAKING` | the waker-up's | `EMPTY`, by that one, with the waker taken out |
//!
//! `WAITING` is stored with Release and read with Acquire, so the thread that reads it also sees
//! the waker. The same holds for `EMPTY` after `TAKING`.
//!
//! # No wake is slept through
//!
//! The waiting side stores its waker, and then looks once more for what it waits for. The other
//! side makes that available, and then looks for a waker. Each side has a full fence between the
//! two steps, so at least one of them sees what the other did.

use crate::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use crate::sync::atomic::{AtomicU8, fence};
use crate::sync::{UnsafeCell, relax};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::task::Waker;

const EMPTY: u8 = 0;
const WAITING: u8 = 1;
const TAKING: u8 = 2;

/// The waker of one task, stored by the task and taken by any thread.
#[derive(Debug)]
pub(crate) struct WakerCell {
    word: AtomicU8,
    waker: UnsafeCell<Option<Waker>>,
}

// SAFETY: the cell has one owner at a time, by the word.
unsafe impl Send for WakerCell {}
// SAFETY: as for `Send`.
unsafe impl Sync for WakerCell {}

// A waker that panics is woken after it was taken out, so it leaves nothing half done.
impl UnwindSafe for WakerCell {}
impl RefUnwindSafe for WakerCell {}

impl WakerCell {
    pub(crate) fn new() -> Self {
        Self { word: AtomicU8::new(EMPTY), waker: UnsafeCell::new(None) }
    }

    /// Stores `waker`. After the call, the caller looks once more for what it waits for.
    ///
    /// # Safety
    ///
    /// Only one thread at a time may call this method.
    pub(crate) unsafe fn leave(&self, waker: &Waker) {
        let is_mine = match self.word.load(Acquire) {
            EMPTY => true,
            WAITING => self.word.compare_exchange(WAITING, EMPTY, Acquire, Relaxed).is_ok(),
            _ => false,
        };
        if !is_mine {
            // A wake-up is under way, for the waker that was there.
            relax();
            waker.wake_by_ref();
            return;
        }
        // SAFETY: it is `EMPTY`, and so this side's.
        let is_same = self.waker.with(|cell| unsafe { (*cell).as_ref() }.is_some_and(|left| left.will_wake(waker)));
        let mut displaced = None;
        if !is_same {
            let waker = waker.clone();
            // SAFETY: it is `EMPTY`, and so this side's.
            displaced = self.waker.with_mut(|cell| unsafe { (*cell).replace(waker) });
        }
        self.word.store(WAITING, Release);
        fence(SeqCst);
        drop(displaced);
    }

    /// Drops the stored waker, if it is still in the cell.
    ///
    /// # Safety
    ///
    /// Only one thread at a time may call this method or [`leave`](Self::leave).
    pub(crate) unsafe fn clear(&self) {
        let is_mine = match self.word.load(Acquire) {
            EMPTY => true,
            WAITING => self.word.compare_exchange(WAITING, EMPTY, Acquire, Relaxed).is_ok(),
            _ => false,
        };
        if is_mine {
            // SAFETY: it is `EMPTY`, and so this side's.
            drop(self.waker.with_mut(|cell| unsafe { (*cell).take() }));
        }
    }

    /// Wakes the task that has stored its waker, if any. Before the call, the caller makes
    /// available what the task waits for.
    #[inline]
    pub(crate) fn wake(&self) {
        fence(SeqCst);
        if self.word.load(Relaxed) == WAITING {
            self.wake_waiting();
        }
    }

    #[cold]
    fn wake_waiting(&self) {
        if self.word.compare_exchange(WAITING, TAKING, Acquire, Relaxed).is_err() {
            // Another thread wakes it, or it looks again itself.
            return;
        }
        // SAFETY: it is `TAKING`, and so this thread's.
        let waker = self.waker.with_mut(|cell| unsafe { (*cell).take() });
        self.word.store(EMPTY, Release);
        waker.into_iter().for_each(Waker::wake);
    }
}
