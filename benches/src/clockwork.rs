//! Burning time and measuring it.

use std::time::{Duration, Instant};

/// Burns CPU time.
pub(crate) fn spin(duration: Duration) {
    let start = Instant::now();
    while start.elapsed() < duration {
        std::hint::spin_loop();
    }
}

/// Milliseconds since `start`.
pub(crate) fn millis_since(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}
