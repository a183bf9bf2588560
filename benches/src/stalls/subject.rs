//! A runtime that the cases of stuck polls run on: one with timers.

use std::future::Future;
use std::time::{Duration, Instant};

use crate::runtimes::{Runtime, Tokio, Wsrt};

/// A runtime with timers.
pub(super) trait Subject: Runtime {
    fn sleep_until(deadline: Instant) -> impl Future<Output = ()> + Send;
}

impl Subject for Wsrt {
    fn sleep_until(deadline: Instant) -> impl Future<Output = ()> + Send {
        wsrt::time::sleep_until(deadline.into())
    }
}

impl Subject for Tokio {
    fn sleep_until(deadline: Instant) -> impl Future<Output = ()> + Send {
        tokio::time::sleep_until(deadline.into())
    }
}

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
