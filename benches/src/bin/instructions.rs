//! The check on instruction counts: wsrt's instructions per spawn, wake, yield and join beside the
//! recorded ones.
//!
//! ```text
//! cargo run --release -p wsrt-benches --bin instructions
//! cargo run --release -p wsrt-benches --bin instructions -- --record
//! ```

use std::process::ExitCode;
use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering::Relaxed;

/// Nanoseconds from one reading of the clock to the next: about as long as eight polls of a light
/// task, after which a processor reads it anew.
const BETWEEN_READINGS: i64 = 1_000;
const SECOND: i64 = 1_000_000_000;

/// The time of the next reading. Relaxed: nothing else is read by it.
static CLOCK: AtomicI64 = AtomicI64::new(0);

/// Replaces the C library's function: the clock goes by readings, not by the system.
///
/// Under callgrind a processor is 50 times as slow, and slower still on a busy machine: what it
/// does once a millisecond, and how often it reads the clock, would change the count of each
/// operation by some per cent. The library has no such function, since all benchmarks link it.
// SAFETY: it writes a time where the C library's function of this name writes one.
#[unsafe(no_mangle)]
unsafe extern "C" fn clock_gettime(_: libc::clockid_t, time: *mut libc::timespec) -> libc::c_int {
    let now = CLOCK.fetch_add(BETWEEN_READINGS, Relaxed);
    let now = libc::timespec { tv_sec: now / SECOND, tv_nsec: now % SECOND };
    // SAFETY: the caller gives a place for a time.
    unsafe { time.write(now) };
    0
}

fn main() -> ExitCode {
    wsrt_benches::instructions::PROGRAM.main()
}
