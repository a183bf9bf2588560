//! Burning time and measuring it.

use std::time::{Duration, Instant};

/// Burns CPU time.
pub(super) fn spin(duration: Duration) {
    let start = Instant::now();
    while start.elapsed() < duration {
        std::hint::spin_loop();
    }
}

/// Milliseconds since `start`.
pub(super) fn millis_since(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}
