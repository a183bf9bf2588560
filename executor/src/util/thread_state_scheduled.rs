//! A controlled schedule's data about a thread, instead of the OS's: a waiting thread is asleep,
//! and a runnable thread has its own core.

pub(crate) use wsrt_schedule::thread::is_waiting as is_asleep;
pub(crate) use wsrt_schedule::thread::number as current_thread_number;
pub(crate) use wsrt_schedule::thread::time_run as cpu_time;

/// Returns `None`: a schedule has no cores.
pub(crate) fn current_core() -> Option<u32> {
    None
}
