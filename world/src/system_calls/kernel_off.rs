//! The twin of `kernel.rs` where the C library's `syscall` is not taken over: programs that ask the
//! kernel itself have the system's answers.

use std::ffi::{c_long, c_void};

use libc::{c_int, c_uint, clockid_t, size_t, timespec};

/// Asks the kernel for random bytes.
///
/// # Safety
///
/// `room` has room for `length` bytes.
pub(super) unsafe fn random_bytes(room: *mut c_void, length: size_t, flags: c_uint) -> c_long {
    // SAFETY: the arguments are the system call's, and the caller vouches for the memory.
    unsafe { libc::syscall(libc::SYS_getrandom, room, length, flags) }
}

/// Reads a clock by a system call.
///
/// # Safety
///
/// `time` has room for a `timespec`.
pub(super) unsafe extern "C" fn read_clock(clock: clockid_t, time: *mut timespec) -> c_int {
    // SAFETY: the arguments are the system call's, and the caller vouches for them.
    unsafe { libc::syscall(libc::SYS_clock_gettime, clock, time) as c_int }
}
