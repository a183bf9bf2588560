//! Threads, locks, atomics and time whose every step a test chooses.
//!
//! Under `--cfg wsrt_schedule` the runtime's crates take their primitives from here. A *schedule*
//! is one run of a program in which one thread runs at a time, and a seed decides at each access to
//! an atomic, each lock, wait and start which thread that is. [`explore()`] runs a program under
//! many seeds. A run fails if the program panics, if no thread can go on and none waits for a
//! moment (a deadlock), if a thread is left that never ends, if the run does not end, or if the
//! program says so ([`verdict`]).
//!
//! Threads are the system's, so thread-locals, their destructors and unwinding are the real ones.
//! Time is virtual: each step takes a little, and when no thread can run it jumps to the next
//! moment that a thread waits for. Descriptors are real; a thread that waits for their events looks
//! for them whenever no other thread can run, and now and then besides.
//!
//! Outside a schedule everything here works as std's and parking_lot's does.
//!
//! # Not guaranteed
//!
//! That a schedule sees weak memory: every thread sees every write at once. A missing fence is
//! loom's to find. Nor is anything found that needs more threads or time than a program has.

mod atomics;
mod condvar;
mod explore;
mod failure;
mod faults;
mod gate;
mod lock;
mod random;
mod readers;
mod state;
mod steps;
mod strategy;

pub mod atomic;
pub mod events;
pub mod hint;
pub mod thread;
pub mod time;
pub mod verdict;

pub use self::condvar::{Condvar, WaitTimeoutResult};
pub use self::explore::{Explored, explore, replay};
pub use self::failure::Failure;
pub use self::faults::is_planted;
pub use self::lock::{Mutex, MutexGuard};
pub use self::random::seed;
pub use self::readers::{RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Whether the runtime was built to run under schedules.
pub const IS_CONTROLLED: bool = cfg!(wsrt_schedule);
