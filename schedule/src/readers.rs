//! A readers-writer lock with parking_lot's methods.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};

use crate::condvar::Condvar;
use crate::lock::Mutex;

/// Of the writer, in the count of readers.
const WRITER: usize = usize::MAX;

/// A readers-writer lock, each use of which is a step of the schedule.
#[derive(Debug, Default)]
pub struct RwLock<T> {
    /// How many read; [`WRITER`] while a thread writes.
    readers: Mutex<usize>,
    on_free: Condvar,
    data: UnsafeCell<T>,
}

// SAFETY: a lock owns its data: with the lock they go to the other thread.
unsafe impl<T: Send> Send for RwLock<T> {}
// SAFETY: readers share the data, and a writer has them alone.
unsafe impl<T: Send + Sync> Sync for RwLock<T> {}

impl<T> RwLock<T> {
    /// Returns a lock that is free.
    pub const fn new(data: T) -> Self {
        Self { readers: Mutex::new(0), on_free: Condvar::new(), data: UnsafeCell::new(data) }
    }

    /// Locks for reading, and waits for that if need be.
    pub fn read(&self) -> RwLockReadGuard<'_, T> {
        let mut readers = self.readers.lock();
        self.on_free.wait_while(&mut readers, |readers| *readers == WRITER);
        *readers += 1;
        RwLockReadGuard(self)
    }

    /// Locks for writing, and waits for that if need be.
    pub fn write(&self) -> RwLockWriteGuard<'_, T> {
        let mut readers = self.readers.lock();
        self.on_free.wait_while(&mut readers, |readers| *readers != 0);
        *readers = WRITER;
        RwLockWriteGuard(self)
    }

    /// Returns the data of a lock that no thread can hold.
    pub fn get_mut(&mut self) -> &mut T {
        self.data.get_mut()
    }

    /// Returns the data.
    pub fn into_inner(self) -> T {
        self.data.into_inner()
    }

    fn leave(&self) {
        let mut readers = self.readers.lock();
        *readers = if *readers == WRITER { 0 } else { *readers - 1 };
        self.on_free.notify_all();
    }
}

/// The data of a [`RwLock`], to be read until this is dropped.
#[derive(Debug)]
#[must_use = "a lock that is dropped at once guards nothing"]
pub struct RwLockReadGuard<'a, T>(&'a RwLock<T>);

impl<T> Deref for RwLockReadGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: this thread has the lock for reading, so that no thread writes.
        unsafe { &*self.0.data.get() }
    }
}

impl<T> Drop for RwLockReadGuard<'_, T> {
    fn drop(&mut self) {
        self.0.leave();
    }
}

/// The data of a [`RwLock`], to be written until this is dropped.
#[derive(Debug)]
#[must_use = "a lock that is dropped at once guards nothing"]
pub struct RwLockWriteGuard<'a, T>(&'a RwLock<T>);

impl<T> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: this thread has the lock alone.
        unsafe { &*self.0.data.get() }
    }
}

impl<T> DerefMut for RwLockWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: this thread has the lock alone, and there is one guard.
        unsafe { &mut *self.0.data.get() }
    }
}

impl<T> Drop for RwLockWriteGuard<'_, T> {
    fn drop(&mut self) {
        self.0.leave();
    }
}
