//! A replacement for the C library's `syscall`.
//!
//! A thread that drives a simulation and asks the kernel directly for random bytes or for the time
//! gets both from the simulation. The cryptography of ring does so, through the crate getrandom.
//! The standard library and parking_lot use `syscall` for their waits, including [timed
//! waits](timed_wait).

use std::ffi::{c_long, c_void};

use libc::{c_uint, clockid_t, size_t, timespec};

use super::{clock_gettime, fill_room, own, simulated, timed_wait};

/// Replaces the C library's `syscall`: makes a system call. On a thread that drives a
/// simulation, calls for random bytes, for the time, and for timed waits are answered by the
/// simulation.
///
/// The function always takes six arguments. If a caller passes fewer, the kernel ignores the
/// others.
///
/// # Safety
///
/// The same requirements apply as for the requested system call.
pub unsafe extern "C" fn syscall(
    number: c_long,
    first: c_long,
    second: c_long,
    third: c_long,
    fourth: c_long,
    fifth: c_long,
    sixth: c_long,
) -> c_long {
    let arguments = [first, second, third, fourth, fifth, sixth];
    match number {
        libc::SYS_getrandom => {
            let (room, length) = (first as *mut c_void, second as size_t);
            // SAFETY: the caller lends so much room.
            if unsafe { fill_room(room, length) } {
                return second;
            }
        }
        libc::SYS_clock_gettime if simulated(first as clockid_t).is_some() => {
            // SAFETY: the caller lends the room for the time.
            return unsafe { clock_gettime(first as clockid_t, second as *mut timespec) }.into();
        }
        libc::SYS_futex => {
            // SAFETY: the arguments are the caller's.
            if let Some(answer) = unsafe { timed_wait::wait(arguments) } {
                return answer;
            }
        }
        _ => {}
    }
    // SAFETY: the arguments are the caller's.
    unsafe { ask(number, arguments) }
}

/// Makes a system call through the C library's own function.
///
/// # Safety
///
/// The same requirements apply as for the requested system call.
pub(super) unsafe fn ask(number: c_long, arguments: [c_long; 6]) -> c_long {
    let [first, second, third, fourth, fifth, sixth] = arguments;
    // SAFETY: the caller's promises are those that the kernel asks for.
    unsafe { own::syscall(number, first, second, third, fourth, fifth, sixth) }
}

/// Asks the kernel for random bytes. Older versions of the C library have no function for this.
///
/// # Safety
///
/// `room` must have room for `length` bytes.
pub(super) unsafe fn random_bytes(room: *mut c_void, length: size_t, flags: c_uint) -> c_long {
    // SAFETY: the arguments are the system call's, and the caller vouches for the memory.
    unsafe { ask(libc::SYS_getrandom, [room as c_long, length as c_long, flags.into(), 0, 0, 0]) }
}
