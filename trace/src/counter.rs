//! The cheapest counter of time: the CPU's own where it can be trusted, else the system's monotonic clock.
//!
//! Trusted is one that runs at the same rate whatever the core does, and shows the same on all cores: x86's time stamp counter
//! where the CPU says that it is invariant and Linux, which compares the cores, goes by it too; ARM's generic timer always.

use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

/// Whether the CPU's counter is read. False until somebody has asked, so that nobody reads one that is not to be trusted.
static FROM_CPU: AtomicBool = AtomicBool::new(false);

/// The counter of this process.
#[derive(Clone, Copy, Debug)]
pub struct Counter;

impl Counter {
    /// Chooses what is read. To be called before the first stamp that is compared with others.
    pub fn choose() -> Self {
        static CHOSEN: OnceLock<bool> = OnceLock::new();
        // Relaxed: the events that follow are published by the recorder's start.
        FROM_CPU.store(*CHOSEN.get_or_init(cpu::is_trusted), Relaxed);
        Self
    }

    /// Whether what is read is the CPU's own counter, whose unit only calibration tells; else it counts nanoseconds.
    #[cfg(test)]
    pub fn is_from_cpu(self) -> bool {
        FROM_CPU.load(Relaxed)
    }

    /// What the counter shows now.
    #[inline]
    pub fn read() -> u64 {
        if FROM_CPU.load(Relaxed) { cpu::read() } else { monotonic_nanos() }
    }
}

/// The system's monotonic clock, in nanoseconds.
#[cfg(unix)]
pub fn monotonic_nanos() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is there to be written to, and every system has this clock.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Nanoseconds since the first call, by std's monotonic clock.
#[cfg(not(unix))]
pub fn monotonic_nanos() -> u64 {
    since_first_call()
}

#[cfg_attr(unix, allow(dead_code, reason = "for systems without `clock_gettime`"))]
fn since_first_call() -> u64 {
    static FIRST: OnceLock<Instant> = OnceLock::new();
    FIRST.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod cpu {
    use core::arch::x86_64::{__cpuid, _rdtsc};

    pub(super) fn read() -> u64 {
        // SAFETY: every x86-64 has this instruction, and systems leave it to programs.
        unsafe { _rdtsc() }
    }

    /// Where Linux tells its clock source, it is the counter or made of it: otherwise the kernel has found the cores apart.
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
        // SAFETY: every x86-64 has this instruction, and this leaf.
        let highest = unsafe { __cpuid(HIGHEST) }.eax;
        // SAFETY: as above; the leaf is there.
        highest >= POWER && unsafe { __cpuid(POWER) }.edx & 1 << 8 != 0
    }
}

#[cfg(all(target_arch = "aarch64", not(miri)))]
mod cpu {
    pub(super) fn read() -> u64 {
        let count: u64;
        // SAFETY: reads a register that systems leave to programs, and touches nothing else.
        unsafe { core::arch::asm!("mrs {}, cntvct_el0", out(reg) count, options(nomem, nostack, preserves_flags)) };
        count
    }

    /// The architecture says so.
    pub(super) fn is_trusted() -> bool {
        true
    }
}

#[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri))))]
mod cpu {
    pub(super) fn read() -> u64 {
        super::monotonic_nanos()
    }

    pub(super) fn is_trusted() -> bool {
        false
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_counter_goes_on_at_one_rate_on_every_thread() {
        let counter = Counter::choose();
        let (began, began_nanos) = (Counter::read(), monotonic_nanos());
        thread::sleep(Duration::from_millis(20));
        let other = thread::spawn(Counter::read).join().expect("it only reads");
        let (ended, ended_nanos) = (Counter::read(), monotonic_nanos());
        assert!(began < other && other < ended, "{began} {other} {ended}");
        let rate = (ended - began) as f64 / (ended_nanos - began_nanos) as f64;
        // Between 10 MHz and 10 GHz; exactly 1 where it counts nanoseconds.
        assert!((0.01..10.0).contains(&rate), "{rate}");
        assert!(counter.is_from_cpu() || (0.9..1.1).contains(&rate), "{rate}");
    }

    #[test]
    fn what_stands_in_for_the_system_clock_goes_on_too() {
        let began = since_first_call();
        thread::sleep(Duration::from_millis(2));
        assert!(since_first_call() - began >= 2_000_000);
    }
}
