//! A clock that stands still while the process is stopped.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

/// How often the clock moves.
pub(crate) const TICK: Duration = Duration::from_millis(50);
/// The most that it moves by: a longer tick means that the process, or the machine, was stopped.
const LONGEST_TICK: Duration = Duration::from_secs(1);

/// The time for which the process was awake: limits in this time survive SIGSTOP.
#[derive(Default)]
pub(crate) struct Awake {
    /// In nanoseconds. Written by the clock's thread alone.
    now: AtomicU64,
}

impl Awake {
    /// Starts the clock's thread, which ends with the process. It does not use the runtime, so that
    /// it moves though the runtime hangs.
    pub(crate) fn start() -> io::Result<Arc<Self>> {
        let clock = Arc::new(Self::default());
        let moved = Arc::clone(&clock);
        thread::Builder::new().name("soak-clock".into()).spawn(move || {
            let mut before = Instant::now();
            loop {
                thread::sleep(TICK);
                let now = Instant::now();
                let tick = (now - before).min(LONGEST_TICK);
                moved.now.fetch_add(tick.as_nanos() as u64, Relaxed);
                before = now;
            }
        })?;
        Ok(clock)
    }

    pub(crate) fn now(&self) -> Duration {
        Duration::from_nanos(self.now.load(Relaxed))
    }
}
