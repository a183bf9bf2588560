//! A lock that is held for a few steps, acquired by one atomic operation and released by a plain
//! store.
//!
//! A wait list is locked for some twenty instructions, and no user code runs in that time. A lock
//! that threads sleep for must find out on release whether a thread sleeps, and that takes a second
//! atomic operation, which costs as much as all the steps that the lock protects. Here, a thread
//! that finds the lock taken looks again until the lock is free, and after a while yields its core,
//! because the holder may have lost its own.
//!
//! A look takes the lock's cache line from the holder's core, and whoever takes the lock takes its
//! data as well, which lasts longer than the steps that the lock protects. So a thread that finds
//! the lock taken again waits four times as long before the next look. If two threads do nothing
//! but use one channel, each has the data in its own cache for a while.
//!
//! # The word
//!
//! | value | the data are | goes to |
//! |---|---|---|
//! | false | of the next thread that takes the lock | true, by that thread (Acquire) |
//! | true | of the thread that took it | false, by that thread (Release) |

use crate::sync::atomic::AtomicBool;
use crate::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use crate::sync::{LOCK_LOOKS, const_fn, pause, rest};
use std::cell::UnsafeCell;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

/// Data that is locked for a few steps at a time.
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

    /// Locks the data. The caller must not run user code until it drops the guard.
    #[inline]
    pub(crate) fn lock(&self) -> ShortGuard<'_, T> {
        if !self.try_take() {
            self.take_slowly();
        }
        ShortGuard { lock: self, stays: PhantomData }
    }

    /// Tries once to acquire the lock. Returns `true` if the caller now holds it.
    #[inline]
    #[must_use = "the caller has the lock if this is true"]
    fn try_take(&self) -> bool {
        // Acquire pairs with the Release of the guard's drop.
        self.is_held.compare_exchange(false, true, Acquire, Relaxed).is_ok()
    }

    #[cold]
    fn take_slowly(&self) {
        for round in 0.. {
            for look in 0..LOCK_LOOKS {
                if !self.is_held.load(Relaxed) && self.try_take() {
                    return;
                }
                pause(look);
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

/// Access to the data of a [`ShortLock`], which is unlocked when the guard is dropped.
#[must_use = "a lock that is dropped at once guards nothing"]
pub(crate) struct ShortGuard<'a, T> {
    lock: &'a ShortLock<T>,
    /// Keeps the guard on its thread: no `await` may come in between.
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
