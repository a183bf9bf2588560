//! The seam between std, loom and controlled schedules: the only file that knows which of the three
//! the crate runs on.
//!
//! Under `--cfg wsrt_schedule` the atomics, locks and waits are `wsrt_schedule`'s.
//!
//! Under `--cfg loom` the atomics, locks and cells are loom's, so that a model can walk through
//! every interleaving. Their constructors are not `const` there, so neither are ours: see
//! `const_fn`. The data that a lock guards stays in std's cell on both sides: a guard lives longer
//! than a closure, and the word that guards it is the one to be checked.

#[cfg(loom)]
pub(crate) use self::with_loom::*;
#[cfg(not(loom))]
pub(crate) use self::with_std::*;

#[cfg(not(loom))]
mod with_std {
    /// The lock of the wait lists that no code of others is called under.
    pub(crate) use crate::short_lock::{ShortGuard as WaitGuard, ShortLock as WaitLock};
    pub(crate) use std::sync::Arc;

    #[cfg(not(wsrt_schedule))]
    pub(crate) use parking_lot::{Mutex, MutexGuard, RwLock, RwLockReadGuard};
    #[cfg(not(wsrt_schedule))]
    pub(crate) use std::{hint, sync::atomic, thread};
    #[cfg(wsrt_schedule)]
    pub(crate) use wsrt_schedule::{Mutex, MutexGuard, RwLock, RwLockReadGuard, atomic, hint, thread};

    /// The lock of a list that belongs to no channel, and to the whole process.
    pub(crate) use self::Mutex as StaticMutex;

    /// Values of a block of a channel's queue.
    pub(crate) const SLOTS: usize = 31;

    /// Wakers that are taken out under one hold of a lock, at most.
    pub(crate) const BATCH: usize = 32;

    /// Looks at a slot that another thread is writing to.
    pub(crate) const LOOKS: u32 = 32;

    /// Waits a moment for another thread, which is between two stores.
    pub(crate) fn spin() {
        // It may have lost its core there.
        thread::yield_now();
    }

    /// Lets a moment pass, before a poll that is asked for again.
    pub(crate) fn relax() {
        hint::spin_loop();
    }

    /// Gives the core away, for longer after many rounds: the thread that is waited for may be one
    /// of lower priority.
    pub(crate) fn rest(round: u32) {
        if round < 64 {
            thread::yield_now();
        } else {
            thread::sleep(std::time::Duration::from_micros(50));
        }
    }

    /// A cell that is looked into by closures, as loom's is.
    #[derive(Debug, Default)]
    pub(crate) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

    impl<T> UnsafeCell<T> {
        pub(crate) const fn new(value: T) -> Self {
            Self(std::cell::UnsafeCell::new(value))
        }

        #[inline]
        pub(crate) fn with<R>(&self, access: impl FnOnce(*const T) -> R) -> R {
            access(self.0.get())
        }

        #[inline]
        pub(crate) fn with_mut<R>(&self, access: impl FnOnce(*mut T) -> R) -> R {
            access(self.0.get())
        }
    }

    /// Declares a function that is `const`, but under loom.
    macro_rules! const_fn {
        ($(#[$meta:meta])* $vis:vis fn $($rest:tt)*) => { $(#[$meta])* $vis const fn $($rest)* };
    }
    pub(crate) use const_fn;
}

#[cfg(loom)]
mod with_loom {
    pub(crate) use loom::cell::UnsafeCell;
    /// The `Arc` of the channels. Locks use std's, which is part of their public interface.
    pub(crate) use loom::sync::Arc;
    pub(crate) use loom::sync::atomic;
    pub(crate) use loom::sync::{MutexGuard, RwLockReadGuard, RwLockWriteGuard};

    /// std's: loom's locks cannot be in a static, and no protocol leans on it.
    pub(crate) use parking_lot::Mutex as StaticMutex;
    pub(crate) use std::thread;

    /// Few, so that a model gets from block to block.
    pub(crate) const SLOTS: usize = 2;

    /// One, so that a model lets go of the lock between two.
    pub(crate) const BATCH: usize = 1;

    pub(crate) const LOOKS: u32 = 1;

    pub(crate) fn spin() {
        loom::thread::yield_now();
    }

    pub(crate) fn relax() {
        loom::thread::yield_now();
    }

    pub(crate) fn rest(_round: u32) {
        loom::thread::yield_now();
    }

    /// Not `ShortLock`, which has its own model: a lock that loom knows has fewer steps.
    pub(crate) type WaitLock<T> = Mutex<T>;
    pub(crate) type WaitGuard<'a, T> = MutexGuard<'a, T>;

    /// loom's mutex with parking_lot's face: a lock that cannot be poisoned.
    #[derive(Debug, Default)]
    pub(crate) struct Mutex<T>(loom::sync::Mutex<T>);

    impl<T> Mutex<T> {
        pub(crate) fn new(value: T) -> Self {
            Self(loom::sync::Mutex::new(value))
        }

        pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
            self.0.lock().expect("a model thread panicked with the lock held")
        }
    }

    /// loom's readers-writer lock, likewise.
    #[derive(Debug, Default)]
    pub(crate) struct RwLock<T>(loom::sync::RwLock<T>);

    impl<T> RwLock<T> {
        pub(crate) fn new(value: T) -> Self {
            Self(loom::sync::RwLock::new(value))
        }

        pub(crate) fn read(&self) -> RwLockReadGuard<'_, T> {
            self.0.read().expect("a model thread panicked with the lock held")
        }

        pub(crate) fn write(&self) -> RwLockWriteGuard<'_, T> {
            self.0.write().expect("a model thread panicked with the lock held")
        }
    }

    macro_rules! const_fn {
        ($(#[$meta:meta])* $vis:vis fn $($rest:tt)*) => { $(#[$meta])* $vis fn $($rest)* };
    }
    pub(crate) use const_fn;
}
