//! A lock for a few steps: taken by one atomic operation, released by a plain store.
//!
//! A wait list is locked for some twenty instructions, and no code of users runs during that time.
//! A lock that threads sleep for has to find out at its release whether one does, which takes a
//! second atomic operation, as dear as all the steps that it guards. This one lets a thread that
//! meets another look again until it is free; a thread that looks in vain gives its core away,
//! since the holder may have lost its own.
//!
//! # The word
//!
//! | value | the data are | goes to |
//! |---|---|---|
//! | false | of the next thread that takes the lock | true, by that thread (Acquire) |
//! | true | of the thread that took it | false, by that thread (Release) |

use crate::sync::atomic::AtomicBool;
use crate::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use crate::sync::{LOOKS, const_fn, relax, rest};
use std::cell::UnsafeCell;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

/// Data that are locked for a few steps at a time.
pub(crate) struct ShortLock<T> {
    is_held: AtomicBool,
    // std's: a guard outlives a closure. The word is checked in its place.
    data: UnsafeCell<T>,
}

// SAFETY: a lock owns its data: with the lock they go to the other thread.
unsafe impl<T: Send> Send for ShortLock<T> {}
// SAFETY: it lets one thread at a time reach the data, which is as good as sending them.
unsafe impl<T: Send> Sync for ShortLock<T> {}

impl<T> ShortLock<T> {
    const_fn! {
        pub(crate) fn new(data: T) -> Self {
            Self { is_held: AtomicBool::new(false), data: UnsafeCell::new(data) }
        }
    }

    /// Locks. The caller runs no code of others until it drops the guard.
    #[inline]
    pub(crate) fn lock(&self) -> ShortGuard<'_, T> {
        if !self.try_take() {
            self.take_slowly();
        }
        ShortGuard { lock: self, stays: PhantomData }
    }

    /// True if the lock is the caller's now.
    #[inline]
    #[must_use = "the caller has the lock if this is true"]
    fn try_take(&self) -> bool {
        // Acquire pairs with the Release of the guard's drop.
        self.is_held.compare_exchange(false, true, Acquire, Relaxed).is_ok()
    }

    #[cold]
    fn take_slowly(&self) {
        for round in 0.. {
            for _ in 0..LOOKS {
                if !self.is_held.load(Relaxed) && self.try_take() {
                    return;
                }
                relax();
            }
            rest(round);
        }
    }
}

impl<T> fmt::Debug for ShortLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShortLock").finish_non_exhaustive()
    }
}

/// The data of a [`ShortLock`], until this is dropped.
#[must_use = "a lock that is dropped at once guards nothing"]
pub(crate) struct ShortGuard<'a, T> {
    lock: &'a ShortLock<T>,
    /// On its thread: no `await` may come in between.
    stays: PhantomData<*const ()>,
}

impl<T> Deref for ShortGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: this thread has the lock, and lends it by the guard.
        unsafe { &*self.lock.data.get() }
    }
}

impl<T> DerefMut for ShortGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: this thread has the lock, and there is one guard.
        unsafe { &mut *self.lock.data.get() }
    }
}

impl<T> Drop for ShortGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        // Release pairs with the Acquire of `try_take`.
        self.lock.is_held.store(false, Release);
    }
}
