//! How fast the loads go: as fast as they can, or so that the process has a given share of a core.

use std::fs;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// The kernel's unit for processor times in `/proc`.
const KERNEL_TICK: Duration = Duration::from_millis(10);
const SHORTEST: Duration = Duration::from_micros(200);
const LONGEST: Duration = Duration::from_secs(2);

/// The pause before each action of a load, adjusted by the watcher.
pub(crate) struct Pace {
    share: Option<f64>,
    /// In nanoseconds; zero if there is no share to keep to.
    pause: AtomicU64,
}

impl Pace {
    pub(crate) fn new(share: Option<f64>) -> Self {
        let pause = if share.is_some() { Duration::from_millis(20) } else { Duration::ZERO };
        Self { share, pause: AtomicU64::new(pause.as_nanos() as u64) }
    }

    /// The pause before the next action, `shortest` at least; a different one each time.
    pub(crate) fn pause(&self, shortest: Duration) -> Duration {
        let pause = Duration::from_nanos(self.pause.load(Relaxed)).mul_f64(0.5 + fastrand::f64());
        pause.max(shortest)
    }

    /// Makes pauses longer if the process has used more than its share of `elapsed`, else shorter.
    pub(crate) fn adjust(&self, used: Duration, elapsed: Duration) {
        let Some(share) = self.share else { return };
        let excess = used.as_secs_f64() / elapsed.as_secs_f64().max(1e-3) / share;
        let pause = Duration::from_nanos(self.pause.load(Relaxed)).mul_f64(excess.clamp(0.7, 1.4));
        self.pause.store(pause.clamp(SHORTEST, LONGEST).as_nanos() as u64, Relaxed);
    }
}

/// The processor time of this process and of the children that it has waited for.
pub(crate) fn used_time() -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The program's name, in parentheses, may have spaces in it.
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: u32 = fields.skip(11).take(4).filter_map(|field| field.parse::<u32>().ok()).sum();
    KERNEL_TICK * ticks
}
