//! Work for a processor.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Computes for `steps` steps, each about a nanosecond long when optimised.
pub fn compute(steps: u64) {
    let mut value = 0_u64;
    for step in 0..steps {
        value = black_box(value.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(step));
    }
    black_box(value);
}

/// Keeps the processor busy for `duration`, and returns how long it was.
pub fn spin_for(duration: Duration) -> Duration {
    let start = Instant::now();
    loop {
        let elapsed = start.elapsed();
        if elapsed >= duration {
            return elapsed;
        }
        std::hint::spin_loop();
    }
}
