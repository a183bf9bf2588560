//! The seam between std, loom and controlled schedules: the only file that knows which of the three
//! the crate runs on.
//!
//! Under `--cfg wsrt_schedule` the atomics, locks, threads and the clock are `wsrt_schedule`'s, so
//! that a seed decides which thread runs next, and the ring is small, so that it overflows soon.
//! All of the runtime runs there as it is.
//!
//! Under `--cfg wsrt_loom` the atomics, locks and threads are loom's, so that a model can walk
//! through every interleaving, and the capacities shrink, so that wrap-around and overflow are
//! reached within a few steps. Statics cannot hold loom's types: the few that exist name `std`
//! themselves and take no part in any protocol.

#[cfg(wsrt_loom)]
pub(crate) use self::with_loom::*;
#[cfg(not(wsrt_loom))]
pub(crate) use self::with_std::*;

#[cfg(not(wsrt_loom))]
mod with_std {
    pub(crate) use std::sync::Arc;
    pub(crate) use std::thread_local;

    #[cfg(not(wsrt_schedule))]
    use self::of_std as primitives;
    #[cfg(wsrt_schedule)]
    use wsrt_schedule as primitives;

    /// Atomics that no loom model explores, such as statistics. Controlled schedules do explore
    /// them.
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
            /// Returns the current time of the system clock.
            #[inline(always)]
            pub(crate) fn now() -> std::time::Instant {
                std::time::Instant::now()
            }
        }

        pub(crate) mod verdict {
            /// Fails a controlled schedule. Does nothing here.
            #[inline(always)]
            pub(crate) fn fail(_: std::fmt::Arguments<'_>) {}

            /// Lets all other threads run for a while, under a controlled schedule.
            #[inline(always)]
            pub(crate) fn let_others_go_on() {}
        }

        /// Returns a random seed from the OS, by way of std's hasher keys.
        pub(crate) fn seed() -> u64 {
            use std::hash::{BuildHasher, RandomState};
            RandomState::new().hash_one(0x77_73_72_74_u32)
        }
    }

    /// The number of slots in a processor's ring, a power of two.
    pub(crate) const RING_CAPACITY: u32 = if cfg!(wsrt_schedule) { 4 } else { 256 };

    /// The number of entries in a table of ready times.
    pub(crate) const STAMPS: usize = 1024;
    /// True if the watcher looks for tasks that can never run again. Under a controlled schedule it
    /// does not: each of its steps would change every schedule.
    pub(crate) const HAS_PATROL: bool = !cfg!(wsrt_schedule);
    /// The number of tasks that a walk over a registry visits while it holds the lock once.
    pub(crate) const WALK_STRIDE: usize = if cfg!(wsrt_schedule) { 2 } else { 64 };

    pub(crate) use crossbeam_deque::Stealer as ThiefEnd;
    pub(crate) use crossbeam_deque::Worker as OwnerEnd;

    /// Creates the two ends of a job stack: last in, first out for the owner; first in, first out
    /// for thieves.
    pub(crate) fn owner_and_thief<T>() -> (OwnerEnd<T>, ThiefEnd<T>) {
        let owner = OwnerEnd::new_lifo();
        let thieves = owner.stealer();
        (owner, thieves)
    }

    /// Unlocks, and passes the lock to a thread that has waited so long that it sleeps. For a
    /// caller that locks again immediately.
    pub(crate) fn hand_on<T>(guard: MutexGuard<'_, T>) {
        MutexGuard::unlock_fair(guard);
    }

    /// Returns how often a loop looks before it gives up: `count` times, and once in a model.
    pub(crate) const fn looks(count: u32) -> u32 {
        count
    }

    /// Tells the core that this thread waits in a loop.
    #[inline]
    pub(crate) fn spin() {
        hint::spin_loop();
    }

    /// Spins for a fraction of a microsecond, so that a loop rarely reads the cache line that other
    /// cores write.
    pub(crate) fn spin_for_a_while() {
        (0..16).for_each(|_| hint::spin_loop());
    }

    /// Sleeps for `duration`, even if another thread unparks this one.
    pub(crate) fn sleep(duration: std::time::Duration) {
        thread::sleep(duration);
    }

    /// Sleeps until the thread is unparked, for at most `timeout`.
    pub(crate) fn park_timeout(timeout: std::time::Duration) {
        thread::park_timeout(timeout);
    }

    /// Sleeps until the thread is unparked: for at most 50 µs at first, and at most a millisecond
    /// after some naps.
    pub(crate) fn nap(naps: u32) {
        let micros = 50 << naps.min(5);
        thread::park_timeout(std::time::Duration::from_micros(micros.min(1_000)));
    }

    /// An `UnsafeCell` that is accessed through closures, like loom's.
    #[derive(Debug)]
    pub(crate) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

    impl<T> UnsafeCell<T> {
        pub(crate) const fn new(value: T) -> Self {
            Self(std::cell::UnsafeCell::new(value))
        }

        /// Passes a read-only pointer to `f`.
        #[inline(always)]
        pub(crate) fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
            f(self.0.get())
        }

        /// Passes a mutable pointer to `f`.
        #[inline(always)]
        pub(crate) fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
            f(self.0.get())
        }
    }
}

#[cfg(wsrt_loom)]
mod with_loom {
    pub(crate) use loom::cell::UnsafeCell;
    pub(crate) use loom::sync::Arc;
    pub(crate) use loom::thread;
    pub(crate) use std::sync::atomic as unmodelled;

    pub(crate) use self::locks::{Condvar, Mutex, MutexGuard};

    /// std's form of the macro, with a `const` initial value; loom's takes a plain expression.
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
    pub(crate) const HAS_PATROL: bool = false;

    /// Returns a constant: loom chooses the order of threads, and nothing in a model is random.
    pub(crate) const fn seed() -> u64 {
        1
    }

    /// Returns the time of the system clock, since loom has none.
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

    /// Lets the other threads run, since loom has no time.
    pub(crate) fn sleep(_: std::time::Duration) {
        thread::yield_now();
    }

    /// Sleeps until another thread unparks this one, since loom has no time.
    pub(crate) fn park_timeout(_: std::time::Duration) {
        thread::park();
    }

    /// Sleeps until another thread unparks this one, since loom has no time. A lost wake is thereby
    /// found.
    pub(crate) fn nap(_: u32) {
        thread::park();
    }

    /// A replacement for crossbeam's deque, which loom cannot model. A lock provides the same
    /// guarantees.
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

            pub(crate) fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
                self.0.try_lock().ok().map(|held| MutexGuard { mutex: self, held: Some(held) })
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

            /// Returns as soon as other threads have had their turn, since loom has no time.
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
