//! Timed futex waits on a thread that drives a simulation.
//!
//! The standard library and parking_lot wait like this in `recv_timeout`, in `park_timeout`, and in
//! the timed waits of their condition variables. They compute the timeout with the simulation's
//! clock, but the kernel would measure it with its own. Only a thread outside the simulation can
//! wake the waiting thread, and has as much time to do so on the system's clock. If no thread does,
//! the simulation's clock moves to the end of the timeout. Otherwise the clock does not move.
//!
//! Waits that the C library makes internally cannot be seen here: `pthread_cond_timedwait`,
//! `sem_timedwait`, and `clock_nanosleep` with TIMER_ABSTIME.

use std::time::Duration;

use libc::{c_int, c_long, time_t, timespec};

use super::{beginning, kernel, own};
use crate::host_clock;
use crate::virtual_time;

/// Performs the wait if the system call with these arguments is a timed wait, and if a simulation
/// provides the time to this thread.
///
/// # Safety
///
/// The same requirements apply as for the system call `futex`.
pub(super) unsafe fn wait(arguments: [c_long; 6]) -> Option<c_long> {
    let now = virtual_time::shown()?;
    let [word, operation, expected, limit, _, mask] = arguments;
    let operation = operation as c_int;
    let is_until = match operation & libc::FUTEX_CMD_MASK {
        libc::FUTEX_WAIT => false,
        libc::FUTEX_WAIT_BITSET => true,
        _ => return None,
    };
    // SAFETY: such a wait has a limit, or null there.
    let limit = duration(unsafe { (limit as *const timespec).as_ref() }?)?;

    let host = host_clock::of_current_task().unwrap_or_default();
    let ends_at = if is_until {
        let is_calendar = operation & libc::FUTEX_CLOCK_REALTIME != 0;
        host.moment(nanos(limit.saturating_sub(beginning(host, is_calendar))))
    } else {
        host.moment(host.shown(now).saturating_add(nanos(limit)))
    };
    let until = systems_now() + Duration::from_nanos(ends_at.saturating_sub(now));
    let until = timespec { tv_sec: until.as_secs() as time_t, tv_nsec: c_long::from(until.subsec_nanos() as i32) };

    let operation = libc::FUTEX_WAIT_BITSET | (operation & libc::FUTEX_PRIVATE_FLAG);
    let mask = if is_until { mask } else { libc::FUTEX_BITSET_MATCH_ANY.into() };
    let arguments = [word, operation.into(), expected, &raw const until as c_long, 0, mask];
    loop {
        // SAFETY: the word is as the caller says, and the limit lives until the end of the call.
        let answer = unsafe { kernel::ask(libc::SYS_futex, arguments) };
        match std::io::Error::last_os_error().raw_os_error() {
            // A signal has come. To the caller no time would have passed, and it would begin again.
            Some(libc::EINTR) if answer < 0 => continue,
            Some(libc::ETIMEDOUT) if answer < 0 => virtual_time::move_to(ends_at),
            _ => {}
        }
        return Some(answer);
    }
}

/// Converts a caller's time to a duration, or returns `None` if the kernel would reject the time.
fn duration(time: &timespec) -> Option<Duration> {
    let nanos = u32::try_from(time.tv_nsec).ok().filter(|nanos| *nanos < 1_000_000_000)?;
    Some(Duration::new(u64::try_from(time.tv_sec).ok()?, nanos))
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Returns the reading of the system's own monotonic clock.
fn systems_now() -> Duration {
    let mut now = timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the room is `now`.
    let _ = unsafe { own::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    duration(&now).unwrap_or_default()
}
