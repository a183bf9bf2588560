//! The seam between std, loom and controlled schedules: the only file that knows which of the three
//! this crate runs on.
//!
//! Under `--cfg wsrt_schedule` the atomics, locks and waits come from `wsrt_schedule`.
//!
//! Under `--cfg wsrt_loom` the atomics, locks and cells come from loom, so that a model can explore
//! every interleaving. loom's constructors are not `const`, so ours are not either: see `const_fn`.
//! The data that a lock protects stays in std's cell in both cases, because a guard lives longer
//! than a closure, and what must be checked is the word that protects the data.

#[cfg(wsrt_loom)]
pub(crate) use self::with_loom::*;
#[cfg(not(wsrt_loom))]
pub(crate) use self::with_std::*;

#[cfg(not(wsrt_loom))]
mod with_std {
    /// The lock of wait lists. No user code runs while it is held.
    pub(crate) use crate::short_lock::{ShortGuard as WaitGuard, ShortLock as WaitLock};
    pub(crate) use std::sync::Arc;

    #[cfg(not(wsrt_schedule))]
    pub(crate) use parking_lot::{Mutex, MutexGuard, RwLock, RwLockReadGuard};
    #[cfg(not(wsrt_schedule))]
    pub(crate) use std::{hint, sync::atomic, thread};
    #[cfg(wsrt_schedule)]
    pub(crate) use wsrt_schedule::{Mutex, MutexGuard, RwLock, RwLockReadGuard, atomic, hint, thread};

    /// The lock of a list that belongs to the whole process rather than to a channel.
    pub(crate) use self::Mutex as StaticMutex;

    /// The number of values in a block of a channel's queue.
    pub(crate) const SLOTS: usize = 31;

    /// The maximum number of wakers that are taken out while a lock is held once.
    pub(crate) const BATCH: usize = 32;

    /// The maximum number of times that a task which waits for a mutex is woken in vain.
    pub(crate) const OVERTAKES: u32 = 4;

    /// The number of times to look at a slot that another thread is writing to.
    pub(crate) const LOOKS: u32 = 32;

    /// Waits a moment for another thread that is between two stores.
    pub(crate) fn spin() {
        // It may have lost its core there.
        thread::yield_now();
    }

    /// Waits a moment before a poll is repeated.
    pub(crate) fn relax() {
        hint::spin_loop();
    }

    /// The number of looks at a taken lock before the thread yields its core.
    pub(crate) const LOCK_LOOKS: u32 = 4;

    /// Waits after a look at a taken lock, four times as long each time: see docs/DECISIONS.md. A
    /// schedule needs no time to pass.
    pub(crate) fn pause(look: u32) {
        let spins = if cfg!(wsrt_schedule) { 1 } else { 8 << (2 * look) };
        for _ in 0..spins {
            hint::spin_loop();
        }
    }

    /// Yields the core, for longer after many rounds, because the awaited thread may have a lower
    /// priority.
    pub(crate) fn rest(round: u32) {
        if round < 16 {
            thread::yield_now();
        } else {
            thread::sleep(std::time::Duration::from_micros(50));
        }
    }

    /// A cell whose value is accessed through closures, like loom's.
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

    /// Declares a function that is `const` except under loom.
    macro_rules! const_fn {
        ($(#[$meta:meta])* $vis:vis fn $($rest:tt)*) => { $(#[$meta])* $vis const fn $($rest)* };
    }
    pub(crate) use const_fn;
}

#[cfg(wsrt_loom)]
mod with_loom {
    pub(crate) use loom::cell::UnsafeCell;
    /// The `Arc` of the channels. Locks use std's, which is part of their public interface.
    pub(crate) use loom::sync::Arc;
    pub(crate) use loom::sync::atomic;
    pub(crate) use loom::sync::{MutexGuard, RwLockReadGuard, RwLockWriteGuard};

    /// std's: loom's locks cannot be in a static, and no protocol leans on it.
    pub(crate) use parking_lot::Mutex as StaticMutex;
    pub(crate) use std::thread;

    /// Few slots, so that a model moves from block to block.
    pub(crate) const SLOTS: usize = 2;

    /// A single waker, so that a model releases the lock between two.
    pub(crate) const BATCH: usize = 1;

    /// So few that a model reaches the hand-over.
    pub(crate) const OVERTAKES: u32 = 1;

    pub(crate) const LOOKS: u32 = 1;

    pub(crate) fn spin() {
        loom::thread::yield_now();
    }

    pub(crate) fn relax() {
        loom::thread::yield_now();
    }

    pub(crate) const LOCK_LOOKS: u32 = 1;

    pub(crate) fn pause(_look: u32) {
        loom::thread::yield_now();
    }

    pub(crate) fn rest(_round: u32) {
        loom::thread::yield_now();
    }

    /// A plain mutex instead of `ShortLock`, which has its own model: a lock that loom knows takes
    /// fewer steps.
    pub(crate) type WaitLock<T> = Mutex<T>;
    pub(crate) type WaitGuard<'a, T> = MutexGuard<'a, T>;

    /// loom's mutex with parking_lot's interface, which has no poisoning.
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

    /// loom's reader-writer lock with parking_lot's interface, which has no poisoning.
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
