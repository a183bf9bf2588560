//! Tools of every room: std or loom, random numbers, short waits, reports, caught panics, and the
//! state of threads.

pub(crate) mod backoff;
#[cfg(feature = "sim")]
#[cfg_attr(
    not(all(
        target_os = "linux",
        target_env = "gnu",
        target_pointer_width = "64",
        not(target_feature = "crt-static"),
        not(miri)
    )),
    expect(dead_code, reason = "nothing else calls them")
)]
pub(crate) mod bound_sockets;
#[cfg(not(loom))]
pub(crate) mod cpu_quota;
#[cfg(not(loom))]
pub(crate) mod file_calls;
#[cfg(feature = "sim")]
pub(crate) mod given;
#[cfg(feature = "sim")]
pub(crate) mod given_entropy;
#[cfg(feature = "sim")]
pub(crate) mod given_time;
#[cfg(not(loom))]
pub(crate) mod hook;
#[cfg(feature = "sim")]
pub(crate) mod host_clock;
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
#[cfg(all(feature = "sim", target_os = "linux", target_env = "gnu", target_pointer_width = "64", not(miri)))]
pub(crate) mod system_calls;
#[cfg(all(feature = "sim", not(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64", not(miri)))))]
#[path = "system_calls_off.rs"]
pub(crate) mod system_calls;
#[cfg(feature = "sim")]
pub(crate) mod task_hosts;
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
