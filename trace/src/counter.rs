//! The cheapest available time counter: the CPU's own where it can be trusted, and the system's
//! monotonic clock elsewhere.
//!
//! A CPU's counter is trusted if it runs at a constant rate and shows the same value on all cores.
//! On x86, that is the time stamp counter if the CPU reports it as invariant and Linux, which
//! compares the cores, uses it for its own clock. On ARM, it is the generic timer in all cases.

use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

/// True if the CPU's counter is used. False until `choose` has found that the counter can be
/// trusted.
static FROM_CPU: AtomicBool = AtomicBool::new(false);

/// Returns the time of the simulation that the current thread drives, in nanoseconds.
static OF_SIMULATION: OnceLock<fn() -> Option<u64>> = OnceLock::new();

/// The counter with which events are stamped. The whole process uses the same counter.
#[derive(Clone, Copy, Debug)]
pub struct StampCounter;

impl StampCounter {
    /// Chooses the counter for this process. Call this before taking the first stamp; only the
    /// first call has an effect.
    ///
    /// A program that can run simulations passes `of_simulation`. On a thread for which that
    /// function returns a number of nanoseconds, the number is used as the stamp. All stamps of the
    /// process then count nanoseconds.
    pub fn choose(of_simulation: Option<fn() -> Option<u64>>) -> Self {
        static CHOSEN: OnceLock<bool> = OnceLock::new();
        // Relaxed: the start of the recorder publishes it to the threads that stamp events.
        let is_from_cpu = *CHOSEN.get_or_init(|| match of_simulation {
            Some(time) => {
                let _ = OF_SIMULATION.set(time);
                false
            }
            None => cpu::is_trusted(),
        });
        FROM_CPU.store(is_from_cpu, Relaxed);
        Self
    }

    /// Returns whether the CPU's own counter is used. If `false`, stamps count nanoseconds.
    #[cfg(test)]
    pub fn is_from_cpu(self) -> bool {
        FROM_CPU.load(Relaxed)
    }

    /// Returns the current value of the counter. Only [`ClockSync`](crate::ClockSync) can convert
    /// the value to nanoseconds.
    #[inline]
    pub fn read() -> u64 {
        if FROM_CPU.load(Relaxed) {
            return cpu::read();
        }
        Self::read_system()
    }

    #[inline(never)]
    fn read_system() -> u64 {
        OF_SIMULATION.get().and_then(|time| time()).unwrap_or_else(monotonic_nanos)
    }
}

/// Returns the time of the system's monotonic clock, in nanoseconds.
#[cfg(unix)]
pub fn monotonic_nanos() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for the write; every system has this clock.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Returns the number of nanoseconds since the first call, measured with the standard library's
/// monotonic clock.
#[cfg(not(unix))]
pub fn monotonic_nanos() -> u64 {
    since_first_call()
}

#[cfg_attr(unix, allow(dead_code, reason = "for systems without `clock_gettime`"))]
fn since_first_call() -> u64 {
    static FIRST: OnceLock<Instant> = OnceLock::new();
    FIRST.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

/// Reads the monotonic clock, the clock since boot and the wall clock one after the other, in
/// nanoseconds.
pub(crate) fn clocks() -> [u64; 3] {
    let monotonic = monotonic_nanos();
    let calendar = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    [monotonic, boot_nanos().unwrap_or(monotonic), calendar.map_or(0, |since| since.as_nanos() as u64)]
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn boot_nanos() -> Option<u64> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for the write.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_BOOTTIME, &raw mut time) };
    (status == 0).then_some(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn boot_nanos() -> Option<u64> {
    None
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod cpu {
    use core::arch::x86_64::{__cpuid, _rdtsc};

    #[inline]
    pub(super) fn read() -> u64 {
        // SAFETY: every x86-64 CPU has this instruction, and systems let programs use it.
        unsafe { _rdtsc() }
    }

    /// Returns whether Linux trusts the counter. Linux names its clock source: if the source is
    /// neither the counter nor derived from it, the kernel has found cores that differ. Other
    /// systems do not tell, so there the CPU's own report is trusted.
    pub(super) fn is_trusted() -> bool {
        let source = std::fs::read_to_string("/sys/devices/system/clocksource/clocksource0/current_clocksource");
        let is_used =
            source.map_or(true, |name| matches!(name.trim(), "tsc" | "kvm-clock" | "hyperv_clocksource_tsc_page"));
        is_used && is_invariant()
    }

    #[allow(unused_unsafe, reason = "newer compilers have made the call safe")]
    fn is_invariant() -> bool {
        const HIGHEST: u32 = 0x8000_0000;
        const POWER: u32 = 0x8000_0007;
        // SAFETY: every x86-64 CPU has this instruction, and this leaf.
        let highest = unsafe { __cpuid(HIGHEST) }.eax;
        // SAFETY: every x86-64 CPU has this instruction; `highest` shows that it has this leaf.
        highest >= POWER && unsafe { __cpuid(POWER) }.edx & 1 << 8 != 0
    }
}

#[cfg(all(target_arch = "aarch64", not(miri)))]
mod cpu {
    #[inline]
    pub(super) fn read() -> u64 {
        let count: u64;
        // SAFETY: it reads a register that systems let programs read, and touches nothing else.
        unsafe { core::arch::asm!("mrs {}, cntvct_el0", out(reg) count, options(nomem, nostack, preserves_flags)) };
        count
    }

    /// Returns `true`, because the architecture guarantees a trustworthy counter.
    pub(super) fn is_trusted() -> bool {
        true
    }
}

#[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri))))]
mod cpu {
    #[inline]
    pub(super) fn read() -> u64 {
        super::monotonic_nanos()
    }

    pub(super) fn is_trusted() -> bool {
        false
    }
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_counter_runs_at_one_rate_on_every_thread() {
        let counter = StampCounter::choose(None);
        let (began, began_nanos) = (StampCounter::read(), monotonic_nanos());
        thread::sleep(Duration::from_millis(20));
        let other = thread::spawn(StampCounter::read).join().expect("it only reads");
        let (ended, ended_nanos) = (StampCounter::read(), monotonic_nanos());
        assert!(began < other && other < ended, "{began} {other} {ended}");
        let rate = (ended - began) as f64 / (ended_nanos - began_nanos) as f64;
        // Between 10 MHz and 10 GHz; exactly 1 where it counts nanoseconds.
        assert!((0.01..10.0).contains(&rate), "{rate}");
        assert!(counter.is_from_cpu() || (0.9..1.1).contains(&rate), "{rate}");
    }

    #[test]
    fn the_stand_in_for_the_system_clock_runs_too() {
        let began = since_first_call();
        thread::sleep(Duration::from_millis(2));
        assert!(since_first_call() - began >= 2_000_000);
    }
}
