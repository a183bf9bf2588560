//! Tools for all folders: std or loom, random numbers, short waits, reports, caught panics, and the
//! state of threads.

pub(crate) mod backoff;
pub(crate) mod inbox;
pub(crate) mod pinned_on_stack;
pub(crate) mod report;
pub(crate) mod rng;
#[cfg(not(wsrt_loom))]
pub(crate) mod spin_time;
#[cfg(not(wsrt_loom))]
pub(crate) mod stack;
#[cfg(not(wsrt_loom))]
pub(crate) mod statics;
pub(crate) mod sync;
#[cfg(not(wsrt_loom))]
pub(crate) mod thread_bound;
#[cfg(not(wsrt_schedule))]
pub(crate) mod thread_state;
#[cfg(not(wsrt_loom))]
pub(crate) mod threads;
#[cfg(not(wsrt_loom))]
pub(crate) mod time_slice;
pub(crate) mod unwind;
#[cfg(feature = "sim")]
pub(crate) mod world;
#[cfg(not(feature = "sim"))]
#[cfg_attr(wsrt_loom, allow(dead_code, unused_imports, unused_macros))]
#[path = "world_off.rs"]
pub(crate) mod world;

/// A controlled schedule's data about a thread, instead of the OS's: a waiting thread is asleep,
/// and a runnable thread has its own core.
#[cfg(wsrt_schedule)]
pub(crate) mod thread_state {
    pub(crate) use wsrt_schedule::thread::is_waiting as is_asleep;
    pub(crate) use wsrt_schedule::thread::number as current_thread_number;
    pub(crate) use wsrt_schedule::thread::time_run as cpu_time;

    /// Returns `None`: a schedule has no cores.
    pub(crate) fn current_core() -> Option<u32> {
        None
    }
}
