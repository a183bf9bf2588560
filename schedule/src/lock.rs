//! A lock with parking_lot's methods: it cannot be poisoned.

use std::cell::UnsafeCell;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use crate::state::On;
use crate::steps;

/// A lock, each use of which is a step of the schedule.
#[derive(Default)]
pub struct Mutex<T> {
    is_held: AtomicBool,
    data: UnsafeCell<T>,
}

// SAFETY: a lock owns its data: with the lock they go to the other thread.
unsafe impl<T: Send> Send for Mutex<T> {}
// SAFETY: it lets one thread at a time reach the data, which is as good as sending them.
unsafe impl<T: Send> Sync for Mutex<T> {}

impl<T> Mutex<T> {
    /// Returns a lock that is free.
    pub const fn new(data: T) -> Self {
        Self { is_held: AtomicBool::new(false), data: UnsafeCell::new(data) }
    }

    /// Locks, and waits for that if need be.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        steps::step();
        self.take_again();
        MutexGuard { lock: self, stays: PhantomData }
    }

    /// Locks, unless another thread holds the lock.
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        steps::step();
        self.try_take().then(|| MutexGuard { lock: self, stays: PhantomData })
    }

    /// Returns the data of a lock that no thread can hold.
    pub fn get_mut(&mut self) -> &mut T {
        self.data.get_mut()
    }

    /// Returns the data.
    pub fn into_inner(self) -> T {
        self.data.into_inner()
    }

    /// Returns whether a thread holds it.
    pub fn is_locked(&self) -> bool {
        self.is_held.load(Relaxed)
    }

    fn try_take(&self) -> bool {
        // Acquire pairs with the Release in `release`.
        self.is_held.compare_exchange(false, true, Acquire, Relaxed).is_ok()
    }

    pub(crate) fn take_again(&self) {
        while !self.try_take() {
            if steps::current().is_some() {
                let _ = steps::wait(self.on_free(), None);
            } else {
                std::thread::yield_now();
            }
        }
    }

    pub(crate) fn release(&self) {
        // Release pairs with the Acquire in `try_take`.
        self.is_held.store(false, Release);
        steps::with_state(|state, _| state.wake_all(self.on_free()));
    }

    fn on_free(&self) -> On {
        On::Lock((&raw const self.is_held).addr())
    }
}

impl<T: fmt::Debug> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mutex").finish_non_exhaustive()
    }
}

/// The data of a [`Mutex`], until this is dropped.
#[must_use = "a lock that is dropped at once guards nothing"]
pub struct MutexGuard<'a, T> {
    pub(crate) lock: &'a Mutex<T>,
    /// On its thread.
    stays: PhantomData<*const ()>,
}

// SAFETY: a shared guard lends the data and nothing else.
unsafe impl<T: Sync> Sync for MutexGuard<'_, T> {}

impl<T> MutexGuard<'_, T> {
    /// Unlocks, and lets a thread that waits have the lock.
    pub fn unlock_fair(this: Self) {
        drop(this);
        steps::hand_on();
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: this thread has the lock, and lends it by the guard.
        unsafe { &*self.lock.data.get() }
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: this thread has the lock, and there is one guard.
        unsafe { &mut *self.lock.data.get() }
    }
}

impl<T> Drop for MutexGuard<'_, T> {
    fn drop(&mut self) {
        self.lock.release();
    }
}

impl<T: fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
