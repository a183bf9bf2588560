//! The interface of rayon-core, on wsrt's fork-join.
//!
//! A program that has this crate instead of rayon-core, by `[patch.crates-io]`, computes with
//! rayon on wsrt's processors, in its dependencies too.
//!
//! # Where closures run
//!
//! | call | from | runs |
//! |---|---|---|
//! | any | a task, a blocking job or another thread of a multi-thread wsrt runtime | on the runtime's processors: the caller begins at once, and idle processors help until a task needs them |
//! | any | a thread of a [`ThreadPool`] | in that pool |
//! | any | another thread | in the process-wide pool, which starts at the first call |
//! | a method of [`ThreadPool`] | anywhere | in that pool, whose threads are its own unless it [shares](ThreadPoolBuilder::share_runtime) |
//!
//! # Waits
//!
//! A thread that waits for a stolen closure runs other closures of the same outermost call, its
//! part of a broadcast, and closures that this call waits for in another pool and that pool hands
//! back. So a lock that is held across a call is not asked for by another call's closure on the
//! same thread, unless that closure is a broadcast's.

mod build_error;
mod builder;
mod configuration;
mod global;
mod join;
mod pool;
mod scope;
mod shared;
mod spawn;
mod spawning;

pub use crate::build_error::ThreadPoolBuildError;
pub use crate::builder::ThreadPoolBuilder;
#[allow(deprecated)]
pub use crate::configuration::{Configuration, initialize};
pub use crate::join::{FnContext, join, join_context};
pub use crate::pool::ThreadPool;
pub use crate::scope::{in_place_scope, in_place_scope_fifo, scope, scope_fifo};
pub use crate::spawn::{broadcast, spawn, spawn_broadcast, spawn_fifo};
pub use crate::spawning::ThreadBuilder;
#[doc(inline)]
pub use wsrt::team::{BroadcastContext, Scope, ScopeFifo, Yield};

use crate::global::GLOBAL;

/// Returns the number of threads that a pool has at most.
pub fn max_num_threads() -> usize {
    builder::MOST_THREADS
}

/// Returns the number of threads in the current pool: of a wsrt runtime, its processors.
///
/// # Examples
///
/// ```
/// assert!(rayon_core::current_num_threads() >= 1);
/// ```
pub fn current_num_threads() -> usize {
    wsrt::team::current_num_threads(&GLOBAL)
}

/// Returns the index of the current thread in its pool, or `None` outside of pools.
///
/// Indices are below [`current_num_threads`], and no two threads of a pool have the same one.
///
/// # Examples
///
/// ```
/// assert_eq!(rayon_core::current_thread_index(), None);
/// assert!(rayon_core::scope(|_| rayon_core::current_thread_index()).is_some());
/// ```
#[inline]
pub fn current_thread_index() -> Option<usize> {
    wsrt::team::current_thread_index()
}

/// Returns whether closures that the current thread has split off or spawned wait for a thread, or
/// `None` outside of pools.
#[inline]
pub fn current_thread_has_pending_tasks() -> Option<bool> {
    wsrt::team::current_thread_has_pending_tasks()
}

/// Runs a closure of the current pool, any that waits, or returns `None` outside of pools.
pub fn yield_now() -> Option<Yield> {
    wsrt::team::yield_now()
}

/// Runs a closure that the current thread has split off or spawned, or returns `None` outside of
/// pools.
pub fn yield_local() -> Option<Yield> {
    wsrt::team::yield_local()
}
