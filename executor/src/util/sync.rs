//! The seam between std, loom and controlled schedules: the only file that knows which of the three
//! the crate runs on.
//!
//! Under `--cfg wsrt_schedule` the atomics, locks, threads and the clock are `wsrt_schedule`'s, so
//! that a seed decides which thread runs next, and the ring is small, so that it overflows soon.
//! All of the runtime runs there as it is.
//!
//! Under `--cfg loom` the atomics, locks and threads are loom's, so that a model can walk through
//! every interleaving, and the capacities shrink, so that wrap-around and overflow are reached
//! within a few steps. Statics cannot hold loom's types: the few that exist name `std` themselves
//! and take no part in any protocol.

#[cfg(loom)]
pub(crate) use self::with_loom::*;
#[cfg(not(loom))]
pub(crate) use self::with_std::*;

#[cfg(not(loom))]
mod with_std {
    pub(crate) use std::sync::Arc;
    pub(crate) use std::thread_local;

    #[cfg(not(wsrt_schedule))]
    use self::of_std as primitives;
    #[cfg(wsrt_schedule)]
    use wsrt_schedule as primitives;

    /// Atomics that no loom model explores: figures and sightings. Controlled schedules do.
    pub(crate) use self::primitives::atomic as unmodelled;
    use self::primitives::hint;
    pub(crate) use self::primitives::time::now;
    pub(crate) use self::primitives::verdict::{fail, let_others_go_on};
    pub(crate) use self::primitives::{Condvar, Mutex, MutexGuard, atomic, seed, thread};

    #[cfg(not(wsrt_schedule))]
    mod of_std {
        pub(crate) use parking_lot::{Condvar, Mutex, MutexGuard};
        pub(crate) use std::hint;
        pub(crate) use std::sync::atomic;
        pub(crate) use std::thread;

        pub(crate) mod time {
            /// Returns the system's time.
            #[inline(always)]
            pub(crate) fn now() -> std::time::Instant {
                std::time::Instant::now()
            }
        }

        pub(crate) mod verdict {
            /// Ends a controlled schedule, as failed.
            #[inline(always)]
            pub(crate) fn fail(_: std::fmt::Arguments<'_>) {}

            /// Lets each other thread run for a while, in a controlled schedule.
            #[inline(always)]
            pub(crate) fn let_others_go_on() {}
        }

        /// Returns a seed for a generator of random numbers: the OS's randomness, by way of std's
        /// hasher keys.
        pub(crate) fn seed() -> u64 {
            use std::hash::{BuildHasher, RandomState};
            RandomState::new().hash_one(0x77_73_72_74_u32)
        }
    }

    /// Slots in a processor's ring; a power of two.
    pub(crate) const RING_CAPACITY: u32 = if cfg!(wsrt_schedule) { 4 } else { 256 };

    /// Places in a table of ready times.
    pub(crate) const STAMPS: usize = 1024;
    /// Tasks that a walk over a registry visits under one hold of its lock.
    pub(crate) const WALK_STRIDE: usize = if cfg!(wsrt_schedule) { 2 } else { 64 };

    pub(crate) use crossbeam_deque::Stealer as ThiefEnd;
    pub(crate) use crossbeam_deque::Worker as OwnerEnd;

    /// The two ends of a stack of jobs: last in first out for its owner, first in first out for
    /// thieves.
    pub(crate) fn owner_and_thief<T>() -> (OwnerEnd<T>, ThiefEnd<T>) {
        let owner = OwnerEnd::new_lifo();
        let thieves = owner.stealer();
        (owner, thieves)
    }

    /// Unlocks, and passes the lock to a thread that has waited for it so long that it sleeps. For
    /// a caller that locks again at once.
    pub(crate) fn hand_on<T>(guard: MutexGuard<'_, T>) {
        MutexGuard::unlock_fair(guard);
    }

    /// How often a loop looks before it gives up: so often, and once in a model.
    pub(crate) const fn looks(count: u32) -> u32 {
        count
    }

    /// Hints to the core that this thread waits in a loop.
    #[inline]
    pub(crate) fn spin() {
        hint::spin_loop();
    }

    /// Spins for a fraction of a microsecond, so that the loop seldom reads the cache line that
    /// other cores write.
    pub(crate) fn spin_for_a_while() {
        (0..16).for_each(|_| hint::spin_loop());
    }

    /// Sleeps for `duration`, even if another thread unparks this one.
    pub(crate) fn sleep(duration: std::time::Duration) {
        thread::sleep(duration);
    }

    /// Sleeps until the thread is unparked, for `timeout` at most.
    pub(crate) fn park_timeout(timeout: std::time::Duration) {
        thread::park_timeout(timeout);
    }

    /// Sleeps until the thread is unparked, for 50 µs at most at first, and for a millisecond at
    /// most after some naps.
    pub(crate) fn nap(naps: u32) {
        let micros = 50 << naps.min(5);
        thread::park_timeout(std::time::Duration::from_micros(micros.min(1_000)));
    }

    /// An `UnsafeCell` reached through closures, as loom's is.
    #[derive(Debug)]
    pub(crate) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

    impl<T> UnsafeCell<T> {
        pub(crate) const fn new(value: T) -> Self {
            Self(std::cell::UnsafeCell::new(value))
        }

        /// Passes a pointer for reading to `f`.
        #[inline(always)]
        pub(crate) fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
            f(self.0.get())
        }

        /// Passes a pointer for writing to `f`.
        #[inline(always)]
        pub(crate) fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
            f(self.0.get())
        }
    }
}

#[cfg(loom)]
mod with_loom {
    pub(crate) use loom::cell::UnsafeCell;
    pub(crate) use loom::sync::Arc;
    pub(crate) use loom::thread;
    pub(crate) use std::sync::atomic as unmodelled;

    pub(crate) use self::locks::{Condvar, Mutex, MutexGuard};

    /// std's form of the macro, whose initial value is `const`; loom's takes a plain expression.
    macro_rules! thread_local_of_loom {
        ($(#[$attr:meta])* static $name:ident: $type:ty = const { $value:expr };) => {
            loom::thread_local! { $(#[$attr])* static $name: $type = $value; }
        };
    }
    pub(crate) use thread_local_of_loom as thread_local;

    pub(crate) mod atomic {
        pub(crate) use loom::sync::atomic::*;

        loom::lazy_static! {
            static ref STEP: AtomicUsize = AtomicUsize::new(0);
        }

        /// loom's fence, as its own step: loom runs a fence in one go with the access before
        /// it, and so never lets the fence of another thread come between the two. This access
        /// makes it.
        pub(crate) fn fence(order: Ordering) {
            STEP.fetch_add(0, Ordering::Relaxed);
            loom::sync::atomic::fence(order);
        }
    }

    pub(crate) const RING_CAPACITY: u32 = 4;
    pub(crate) const STAMPS: usize = 1;

    /// loom chooses the order of threads, and nothing that is random takes part.
    pub(crate) const fn seed() -> u64 {
        1
    }

    /// Returns the system's time: loom has none.
    pub(crate) fn now() -> std::time::Instant {
        std::time::Instant::now()
    }

    pub(crate) const WALK_STRIDE: usize = 1;

    pub(crate) fn hand_on<T>(guard: MutexGuard<'_, T>) {
        drop(guard);
    }

    pub(crate) const fn looks(_: u32) -> u32 {
        1
    }

    pub(crate) fn spin() {
        thread::yield_now();
    }

    pub(crate) fn spin_for_a_while() {
        thread::yield_now();
    }

    /// loom has no time: the other threads run.
    pub(crate) fn sleep(_: std::time::Duration) {
        thread::yield_now();
    }

    /// loom has no time: the sleep lasts until another thread unparks this one.
    pub(crate) fn park_timeout(_: std::time::Duration) {
        thread::park();
    }

    /// loom has no time: a nap lasts until another thread unparks this one, so that a lost wake is
    /// found.
    pub(crate) fn nap(_: u32) {
        thread::park();
    }

    /// A replacement for crossbeam's deque, which loom cannot model: the same guarantees, by a
    /// lock.
    #[derive(Debug)]
    pub(crate) struct OwnerEnd<T>(Arc<Mutex<std::collections::VecDeque<T>>>);

    #[derive(Debug)]
    pub(crate) struct ThiefEnd<T>(Arc<Mutex<std::collections::VecDeque<T>>>);

    pub(crate) fn owner_and_thief<T>() -> (OwnerEnd<T>, ThiefEnd<T>) {
        let jobs = Arc::new(Mutex::new(std::collections::VecDeque::new()));
        (OwnerEnd(Arc::clone(&jobs)), ThiefEnd(jobs))
    }

    impl<T> OwnerEnd<T> {
        pub(crate) fn push(&self, value: T) {
            self.0.lock().push_back(value);
        }

        pub(crate) fn pop(&self) -> Option<T> {
            self.0.lock().pop_back()
        }
    }

    impl<T> ThiefEnd<T> {
        pub(crate) fn steal(&self) -> crossbeam_deque::Steal<T> {
            match self.0.lock().pop_front() {
                Some(value) => crossbeam_deque::Steal::Success(value),
                None => crossbeam_deque::Steal::Empty,
            }
        }

        pub(crate) fn is_empty(&self) -> bool {
            self.0.lock().is_empty()
        }
    }

    /// loom's locks with parking_lot's methods.
    mod locks {
        use std::ops::{Deref, DerefMut};
        use std::time::Instant;

        use super::thread;

        /// A lock that cannot be poisoned.
        #[derive(Debug, Default)]
        pub(crate) struct Mutex<T>(loom::sync::Mutex<T>);

        /// The lock is held, but for the waits of a [`Condvar`].
        #[derive(Debug)]
        pub(crate) struct MutexGuard<'a, T> {
            mutex: &'a Mutex<T>,
            held: Option<loom::sync::MutexGuard<'a, T>>,
        }

        impl<T> Mutex<T> {
            pub(crate) fn new(value: T) -> Self {
                Self(loom::sync::Mutex::new(value))
            }

            pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
                MutexGuard { mutex: self, held: Some(self.take()) }
            }

            fn take(&self) -> loom::sync::MutexGuard<'_, T> {
                self.0.lock().expect("a model thread panicked with the lock held")
            }
        }

        impl<T> Deref for MutexGuard<'_, T> {
            type Target = T;

            fn deref(&self) -> &T {
                self.held.as_ref().expect("it waits for nothing")
            }
        }

        impl<T> DerefMut for MutexGuard<'_, T> {
            fn deref_mut(&mut self) -> &mut T {
                self.held.as_mut().expect("it waits for nothing")
            }
        }

        #[derive(Debug)]
        pub(crate) struct Condvar(loom::sync::Condvar);

        pub(crate) struct WaitTimeoutResult(bool);

        impl WaitTimeoutResult {
            pub(crate) fn timed_out(&self) -> bool {
                self.0
            }
        }

        impl Condvar {
            pub(crate) fn new() -> Self {
                Self(loom::sync::Condvar::new())
            }

            pub(crate) fn notify_one(&self) {
                self.0.notify_one();
            }

            pub(crate) fn notify_all(&self) {
                self.0.notify_all();
            }

            pub(crate) fn wait<T>(&self, guard: &mut MutexGuard<'_, T>) {
                let held = guard.held.take().expect("it waits for nothing else");
                guard.held = Some(self.0.wait(held).expect("a model thread panicked with the lock held"));
            }

            /// loom has no time: the moment comes as soon as other threads had their turn.
            pub(crate) fn wait_until<T>(&self, guard: &mut MutexGuard<'_, T>, _: Instant) -> WaitTimeoutResult {
                drop(guard.held.take());
                thread::yield_now();
                guard.held = Some(guard.mutex.take());
                WaitTimeoutResult(true)
            }

            pub(crate) fn wait_while<T>(&self, guard: &mut MutexGuard<'_, T>, mut waits: impl FnMut(&mut T) -> bool) {
                while waits(guard) {
                    self.wait(guard);
                }
            }

            pub(crate) fn wait_while_until<T>(
                &self,
                guard: &mut MutexGuard<'_, T>,
                mut waits: impl FnMut(&mut T) -> bool,
                deadline: Instant,
            ) -> WaitTimeoutResult {
                if waits(guard) { self.wait_until(guard, deadline) } else { WaitTimeoutResult(false) }
            }
        }
    }
}
