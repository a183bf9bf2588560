//! Waiting for answers no longer than until the next request is due, to the microsecond: epoll
//! counts in milliseconds, and by default Linux delays a thread's wake by up to 50 µs more.

use std::io::{self, ErrorKind};
use std::time::Duration;

use mio::{Events, Poll};

/// Waits until there are events, at most for `limit`.
pub(super) fn wait(poll: &mut Poll, events: &mut Events, limit: Option<Duration>) -> io::Result<()> {
    let rest = match limit {
        Some(limit) if !limit.is_zero() => {
            readable_within(poll, limit)?;
            Some(Duration::ZERO)
        }
        other => other,
    };
    match poll.poll(events, rest) {
        Err(error) if error.kind() == ErrorKind::Interrupted => {
            events.clear();
            Ok(())
        }
        waited => waited,
    }
}

/// Waits until the poll has events, or `limit` is over, or a signal has come.
#[cfg(target_os = "linux")]
fn readable_within(poll: &Poll, limit: Duration) -> io::Result<()> {
    use std::os::fd::AsRawFd;

    let mut descriptor = libc::pollfd { fd: poll.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    let limit = libc::timespec {
        tv_sec: limit.as_secs() as libc::time_t,
        tv_nsec: libc::c_long::from(limit.subsec_nanos() as i32),
    };
    // SAFETY: both pointers are to whole structures that live for the length of the call, the first
    // writable and one in number; a null mask leaves the signals as they are.
    let code = unsafe { libc::ppoll(&mut descriptor, 1, &limit, std::ptr::null()) };
    match code {
        -1 => Err(io::Error::last_os_error()).or_else(|error| match error.kind() {
            ErrorKind::Interrupted => Ok(()),
            _ => Err(error),
        }),
        _ => Ok(()),
    }
}

/// Leaves it at the milliseconds.
#[cfg(not(target_os = "linux"))]
fn readable_within(_poll: &Poll, _limit: Duration) -> io::Result<()> {
    Ok(())
}

/// Has this thread, and those that it starts, wake when their time has come and not later.
#[cfg(target_os = "linux")]
pub(super) fn wake_in_time() -> io::Result<()> {
    let nanoseconds: libc::c_ulong = 1;
    // SAFETY: this option takes a number and no pointer.
    match unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, nanoseconds) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Other systems have no such setting.
#[cfg(not(target_os = "linux"))]
pub(super) fn wake_in_time() -> io::Result<()> {
    Ok(())
}
