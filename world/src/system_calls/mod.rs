//! The C library's functions for random bytes and for the time, in a form that gives a thread that
//! drives a simulation both from the simulation.
//!
//! A program that has the line [`interpose!()`](crate::interpose) defines them in the C library's
//! place: the linker prefers a program's own definition of a function to that of a shared library.
//! So the whole program calls these, std included. On every other thread they do what the C library
//! does: the clock is read by its own function, without a system call, after one look at a
//! thread-local. A program without the line has the C library's.
//!
//! The [names] of hosts are taken over likewise, and the [sockets] that such a thread binds.
//!
//! A signal handler may make these calls wherever it may make the C library's, but on a thread that
//! drives a simulation: elsewhere they look at one number of the thread's, which is no value with a
//! destructor to be registered, and pass on to functions that were found before `main`.
//!
//! A program that asks the kernel itself, by [`syscall`](kernel), has them too, but one that reads
//! `/dev/urandom` is not reached.

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
pub(crate) use self::names::{GivenNames, give_names};
pub(crate) use self::sockets::{GivenSockets, give_sockets, number};
use crate::entropy;
use crate::host_clock::{self, HostClock};
use crate::virtual_time;

/// The calendar when a simulation begins: the beginning of 2030.
const CALENDAR: Duration = Duration::from_secs(1_893_456_000);

/// `getentropy` gives no more at once.
const MOST_ENTROPY: usize = 256;

/// Fills `buf` with random bytes that the simulation gives, if it gives any to this thread.
fn fill(buf: &mut [u8]) -> bool {
    for piece in buf.chunks_mut(size_of::<u64>()) {
        let Some(drawn) = entropy::draw() else { return false };
        piece.copy_from_slice(&drawn.to_le_bytes()[..piece.len()]);
    }
    !buf.is_empty()
}

/// Fills the room at `buf` likewise. The kernel is asked about its flags by an empty room.
///
/// # Safety
///
/// `buf` has room for `length` bytes, or is null.
unsafe fn fill_room(buf: *mut c_void, length: size_t) -> bool {
    if buf.is_null() || length == 0 {
        return false;
    }
    // SAFETY: the caller lends the room for this call; any bytes are bytes.
    let room = unsafe { std::slice::from_raw_parts_mut(buf.cast::<u8>(), length) };
    fill(room)
}

/// Does what the C library's function of this name does.
///
/// # Safety
///
/// `buf` has room for `length` bytes.
pub unsafe extern "C" fn getrandom(buf: *mut c_void, length: size_t, flags: c_uint) -> ssize_t {
    // SAFETY: the room is as the caller says.
    if unsafe { fill_room(buf, length) } {
        return length as ssize_t;
    }
    // SAFETY: the arguments are the caller's.
    unsafe { kernel::random_bytes(buf, length, flags) as ssize_t }
}

/// Does what the C library's function of this name does.
///
/// # Safety
///
/// `buf` has room for `length` bytes.
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

/// Does the simulation's part of a call that is `C-unwind`, since a thread may be cancelled in the
/// C library's part. A panic ends the process, as in the other calls: their callers expect none.
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

/// The reading of a clock in the simulation, if this thread is given the time, and it is one of
/// those that count it. The clocks of threads and processes continue.
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

/// The reading of a host's clock when the simulation begins: of its calendar, or of the clock since
/// the start of the computer.
fn beginning(host: HostClock, is_calendar: bool) -> Duration {
    if is_calendar { calendar(host) } else { Duration::from_nanos(virtual_time::began()) }
}

/// The calendar of a host when the simulation begins.
fn calendar(host: HostClock) -> Duration {
    let by = Duration::from_nanos(host.ahead().unsigned_abs());
    if host.ahead() < 0 { CALENDAR.saturating_sub(by) } else { CALENDAR + by }
}

/// The reading now of the clock since the start of the computer, in nanoseconds.
pub fn uptime() -> u64 {
    let mut now = timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the room is `now`.
    let _ = unsafe { clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// Does what the C library's function of this name does.
///
/// # Safety
///
/// `time` has room for a `timespec`.
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

/// Does what the C library's function of this name does, without the time zone, which no system
/// has any more.
///
/// # Safety
///
/// `time` is null, or has room for a `timeval`.
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

/// Does what the C library's function of this name does.
///
/// # Safety
///
/// `time` is null, or has room for a `time_t`.
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
