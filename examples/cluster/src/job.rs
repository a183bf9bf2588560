//! The work of a job of this example: it computes for as long as its payload says, and returns a
//! checksum.
//!
//! A program of your own has its own work here.

use std::hint::black_box;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// The longest that a job may compute, in microseconds.
const MOST_COST_US: u64 = 60_000_000;
/// Steps between two looks at the clock.
const STEPS: u64 = 1_000;

/// Does the job. A mistake in the payload is the result then: a job is done once, well or not.
///
/// The payload is an object; `cost_us` is for how many microseconds it computes (none by default),
/// `wait_us` for how many it waits before, as for an answer from elsewhere.
pub async fn run(payload: &str) -> Value {
    let (wait, cost) = match costs(payload) {
        Ok(costs) => costs,
        Err(error) => return json!({ "error": error }),
    };
    if !wait.is_zero() {
        wsrt::time::sleep(wait).await;
    }
    if cost.is_zero() {
        return json!({ "steps": 0 });
    }
    // In a task of its own: this one has the lease to keep up meanwhile.
    match wsrt::spawn(async move { compute(cost) }).await {
        Ok(steps) => json!({ "steps": steps }),
        Err(error) => json!({ "error": error.to_string() }),
    }
}

fn costs(payload: &str) -> Result<(Duration, Duration), String> {
    let payload: Value = serde_json::from_str(payload).map_err(|error| format!("the payload is not JSON: {error}"))?;
    let cost = |name: &str| match payload.get(name) {
        None => Ok(Duration::ZERO),
        Some(value) => match value.as_u64() {
            Some(cost) if cost <= MOST_COST_US => Ok(Duration::from_micros(cost)),
            _ => Err(format!("{name} must be a whole number from 0 to {MOST_COST_US}, not {value}")),
        },
    };
    Ok((cost("wait_us")?, cost("cost_us")?))
}

fn compute(cost: Duration) -> u64 {
    let start = Instant::now();
    let mut steps = 0;
    let mut value = 1_u64;
    while start.elapsed() < cost {
        for step in 0..STEPS {
            value = black_box(value.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(step));
        }
        steps += STEPS;
    }
    black_box(value);
    steps
}
