//! Waits on a futex that the system refuses.
//!
//! strace cannot tell a wait on a futex from a wake, which no system refuses. So the probe defines
//! the C library's `syscall`, through which the standard library and the locks call, and refuses
//! some of the waits while a plan is in force.

use std::ffi::{c_int, c_long};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// The calls so far, and the plan: from the first of them to the last one, each one of so many
/// fails, with this error. Relaxed throughout: the plan begins and ends at no certain call.
static CALLS: AtomicU64 = AtomicU64::new(0);
static REFUSED: AtomicU64 = AtomicU64::new(0);
static FIRST: AtomicU64 = AtomicU64::new(0);
static LAST: AtomicU64 = AtomicU64::new(0);
static PERIOD: AtomicU64 = AtomicU64::new(1);
static ERROR: AtomicU64 = AtomicU64::new(0);

/// Puts a plan in force: `ERROR FIRST LAST PERIOD`, all numbers. Returns how many waits the one
/// before it has refused.
pub(crate) fn begin(plan: &str) -> Option<u64> {
    let mut numbers = plan.split(' ').map(|number| number.parse::<u64>().ok());
    let [error, first, last, period] = [(); 4].map(|()| numbers.next().flatten());
    ERROR.store(error?, Relaxed);
    PERIOD.store(period?.max(1), Relaxed);
    CALLS.store(0, Relaxed);
    FIRST.store(first?, Relaxed);
    LAST.store(last?, Relaxed);
    Some(REFUSED.swap(0, Relaxed))
}

fn is_refused(operation: c_long) -> bool {
    let command = operation as c_int & libc::FUTEX_CMD_MASK;
    if !matches!(command, libc::FUTEX_WAIT | libc::FUTEX_WAIT_BITSET) {
        return false;
    }
    let (call, first) = (CALLS.fetch_add(1, Relaxed) + 1, FIRST.load(Relaxed));
    (first..=LAST.load(Relaxed)).contains(&call) && (call - first) % PERIOD.load(Relaxed) == 0
}

/// Stands in for the C library's function of that name, which takes up to six arguments in the
/// registers of this one.
///
/// # Safety
///
/// As for the system call.
#[unsafe(no_mangle)]
unsafe extern "C" fn syscall(
    number: c_long,
    first: c_long,
    second: c_long,
    third: c_long,
    fourth: c_long,
    fifth: c_long,
    sixth: c_long,
) -> c_long {
    if number == libc::SYS_futex && is_refused(second) {
        REFUSED.fetch_add(1, Relaxed);
        // SAFETY: takes nothing, and returns a pointer to the thread's own number.
        let number = unsafe { libc::__errno_location() };
        // SAFETY: the number is the thread's own, which lives.
        unsafe { *number = ERROR.load(Relaxed) as c_int };
        return -1;
    }
    // SAFETY: the name is a C string, and the next definition is that of the C library.
    let next = unsafe { libc::dlsym(libc::RTLD_NEXT, c"syscall".as_ptr()) };
    type Call = unsafe extern "C" fn(c_long, ...) -> c_long;
    // SAFETY: the C library's function has this type.
    let next = unsafe { std::mem::transmute::<*mut libc::c_void, Call>(next) };
    // SAFETY: the caller's promises are those that the system asks for.
    unsafe { next(number, first, second, third, fourth, fifth, sixth) }
}
