//! A controlled schedule's data about a thread, instead of the OS's: a thread that waits is
//! asleep, and one that could run has its own core.

pub(crate) use wsrt_schedule::thread::is_waiting as is_asleep;
pub(crate) use wsrt_schedule::thread::number as current_thread_number;
pub(crate) use wsrt_schedule::thread::time_run as cpu_time;

/// Unknown in a schedule.
pub(crate) fn current_core() -> Option<u32> {
    None
}
