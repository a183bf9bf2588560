//! Tools for all folders: std or loom, random numbers, short waits, reports, caught panics, and the
//! state of threads.

pub(crate) mod backoff;
#[cfg(not(loom))]
#[cfg(not(loom))]
pub(crate) mod hook;
pub(crate) mod inbox;
#[cfg(not(loom))]
pub(crate) mod joined_thread;
#[cfg(not(loom))]
pub(crate) mod numbered_path;
pub(crate) mod report;
pub(crate) mod rng;
#[cfg(not(loom))]
pub(crate) mod stack;
pub(crate) mod sync;
#[cfg(not(loom))]
pub(crate) mod thread_bound;
#[cfg(not(loom))]
pub(crate) mod thread_key;
#[cfg(not(wsrt_schedule))]
pub(crate) mod thread_state;
#[cfg(wsrt_schedule)]
#[path = "thread_state_scheduled.rs"]
pub(crate) mod thread_state;
pub(crate) mod unwind;
#[cfg(feature = "sim")]
pub(crate) mod world;
#[cfg(not(feature = "sim"))]
#[cfg_attr(loom, allow(dead_code, unused_imports, unused_macros))]
#[path = "world_off.rs"]
pub(crate) mod world;
