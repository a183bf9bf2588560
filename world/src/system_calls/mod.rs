//! Replacements for the C library's functions for random bytes and time, which answer from the
//! simulation on a thread that drives one.
//!
//! In a program that invokes [`interpose!()`](crate::interpose), the linker prefers these
//! definitions to the ones in the shared C library, so that the whole program calls them, the
//! standard library included. On threads that drive no simulation, the replacements behave like the
//! C library: after one check of a thread-local, the clock is read with the C library's own
//! function and without a system call. A program that does not invoke the macro keeps the C
//! library's functions.
//!
//! Look-ups of host [names] and calls that bind [sockets] are replaced in the same way.
//!
//! A signal handler may call these functions wherever it may call the originals, except on a thread
//! that drives a simulation. On other threads, the replacements check one thread-local number,
//! which needs no destructor to be registered, and forward to functions that were looked up before
//! `main`.
//!
//! A program that asks the kernel directly with [`syscall`](kernel) is covered as well, but a
//! program that reads `/dev/urandom` is not.

mod interpose;
mod kernel;
mod names;
mod own;
mod report;
mod sockets;
mod timed_wait;

use std::ffi::c_void;
use std::time::Duration;

use libc::{c_int, c_long, c_uint, clockid_t, size_t, ssize_t, time_t, timespec, timeval};

pub use self::interpose::{interposed, lacks_interposition};
pub(crate) use self::names::{NamesOverride, override_names};
pub(crate) use self::sockets::{SocketsOverride, number, override_sockets};
use crate::entropy;
use crate::host_clock::{self, HostClock};
use crate::virtual_time;

/// The wall-clock time at which every simulation begins: the start of 2030.
const CALENDAR: Duration = Duration::from_secs(1_893_456_000);

/// The maximum number of bytes that `getentropy` returns per call.
const MOST_ENTROPY: usize = 256;

/// Fills `buf` with random bytes from the simulation. Returns `false`, and leaves `buf` unchanged,
/// if no simulation provides entropy to this thread.
fn fill(buf: &mut [u8]) -> bool {
    for piece in buf.chunks_mut(size_of::<u64>()) {
        let Some(drawn) = entropy::draw() else { return false };
        piece.copy_from_slice(&drawn.to_le_bytes()[..piece.len()]);
    }
    !buf.is_empty()
}

/// Fills the memory at `buf` with random bytes from the simulation, like `fill`. The kernel is
/// asked to check the flags with an empty buffer.
///
/// # Safety
///
/// `buf` must be null or have room for `length` bytes.
unsafe fn fill_room(buf: *mut c_void, length: size_t) -> bool {
    if buf.is_null() || length == 0 {
        return false;
    }
    // SAFETY: the caller lends the room for this call; any bytes are bytes.
    let room = unsafe { std::slice::from_raw_parts_mut(buf.cast::<u8>(), length) };
    fill(room)
}

/// Replaces the C library's `getrandom`: fills `buf` with random bytes. On a thread that drives
/// a simulation, the bytes follow from the seed.
///
/// # Safety
///
/// `buf` must have room for `length` bytes.
pub unsafe extern "C" fn getrandom(buf: *mut c_void, length: size_t, flags: c_uint) -> ssize_t {
    // SAFETY: the room is as the caller says.
    if unsafe { fill_room(buf, length) } {
        return length as ssize_t;
    }
    // SAFETY: the arguments are the caller's.
    unsafe { kernel::random_bytes(buf, length, flags) as ssize_t }
}

/// Replaces the C library's `getentropy`: fills `buf` with random bytes. On a thread that drives
/// a simulation, the bytes follow from the seed.
///
/// # Safety
///
/// `buf` must have room for `length` bytes.
pub unsafe extern "C" fn getentropy(buf: *mut c_void, length: size_t) -> c_int {
    if length > MOST_ENTROPY {
        return fail(libc::EIO);
    }
    let mut done = 0;
    while done < length {
        // SAFETY: the rest of the room lies in it.
        let rest = unsafe { buf.cast::<u8>().add(done) };
        // SAFETY: as much room is left there.
        match unsafe { getrandom(rest.cast(), length - done, 0) } {
            count @ 1.. => done += count as usize,
            _ if std::io::Error::last_os_error().raw_os_error() == Some(libc::EINTR) => {}
            _ => return -1,
        }
    }
    0
}

/// Runs the simulation's part of a `C-unwind` call, in whose other part, the C library's, the
/// thread may be cancelled. A panic ends the process, as in the other calls, because callers in C
/// do not expect a panic.
extern "C" fn contained<R>(part: impl FnOnce() -> R) -> R {
    part()
}

fn fail(error: c_int) -> c_int {
    // SAFETY: the C library returns the address of this thread's error number.
    let place = unsafe { libc::__errno_location() };
    // SAFETY: it is this thread's, which is here.
    unsafe { *place = error };
    -1
}

/// Returns the simulated reading of a clock. Returns `None` if no simulation provides the time to
/// this thread, or if the clock does not count time: the CPU clocks of threads and processes are
/// not simulated.
fn simulated(clock: clockid_t) -> Option<Duration> {
    let is_calendar = match clock {
        libc::CLOCK_REALTIME | libc::CLOCK_REALTIME_COARSE | libc::CLOCK_TAI => true,
        libc::CLOCK_MONOTONIC | libc::CLOCK_MONOTONIC_COARSE | libc::CLOCK_MONOTONIC_RAW | libc::CLOCK_BOOTTIME => {
            false
        }
        _ => return None,
    };
    let now = virtual_time::read()?;
    let host = host_clock::of_current_task().unwrap_or_default();
    Some(beginning(host, is_calendar) + Duration::from_nanos(host.shown(now)))
}

/// Returns what a host's clock shows when the simulation begins: the wall clock if `is_calendar` is
/// `true`, and the monotonic clock otherwise.
fn beginning(host: HostClock, is_calendar: bool) -> Duration {
    if is_calendar { calendar(host) } else { Duration::from_nanos(virtual_time::began()) }
}

/// Returns what a host's wall clock shows when the simulation begins.
fn calendar(host: HostClock) -> Duration {
    let by = Duration::from_nanos(host.ahead().unsigned_abs());
    if host.ahead() < 0 { CALENDAR.saturating_sub(by) } else { CALENDAR + by }
}

/// Returns the current reading of the system's monotonic clock, in nanoseconds. On a thread that
/// drives a simulation, this is the simulated clock.
pub fn uptime() -> u64 {
    let mut now = timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the room is `now`.
    let _ = unsafe { clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// Replaces the C library's `clock_gettime`: reads a clock. On a thread that drives a
/// simulation, every clock except the CPU clocks shows the simulated time.
///
/// # Safety
///
/// `time` must have room for a `timespec`.
pub unsafe extern "C" fn clock_gettime(clock: clockid_t, time: *mut timespec) -> c_int {
    match simulated(clock) {
        Some(shown) => {
            let shown =
                timespec { tv_sec: shown.as_secs() as time_t, tv_nsec: c_long::from(shown.subsec_nanos() as i32) };
            // SAFETY: the caller lends the room for this call.
            unsafe { time.write(shown) };
            0
        }
        // SAFETY: the arguments are the caller's.
        None => unsafe { own::clock_gettime(clock, time) },
    }
}

/// Replaces the C library's `gettimeofday`: returns the wall-clock time. On a thread that drives
/// a simulation, the result is the simulated time. The time zone, which no system provides any
/// more, is ignored.
///
/// # Safety
///
/// `time` must be null or have room for a `timeval`.
pub unsafe extern "C" fn gettimeofday(time: *mut timeval, _zone: *mut c_void) -> c_int {
    if time.is_null() {
        return 0;
    }
    let mut now = timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the room is `now`.
    let answer = unsafe { clock_gettime(libc::CLOCK_REALTIME, &raw mut now) };
    if answer == 0 {
        // SAFETY: the caller lends the room for this call.
        unsafe { time.write(timeval { tv_sec: now.tv_sec, tv_usec: now.tv_nsec / 1_000 }) };
    }
    answer
}

/// Replaces the C library's `time`: returns the wall-clock time in seconds. On a thread that
/// drives a simulation, the result is the simulated time.
///
/// # Safety
///
/// `time` must be null or have room for a `time_t`.
pub unsafe extern "C" fn time(time: *mut time_t) -> time_t {
    let mut now = timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the room is `now`.
    if unsafe { clock_gettime(libc::CLOCK_REALTIME_COARSE, &raw mut now) } != 0 {
        return -1;
    }
    if !time.is_null() {
        // SAFETY: the caller lends the room for this call.
        unsafe { time.write(now.tv_sec) };
    }
    now.tv_sec
}
