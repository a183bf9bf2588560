//! Many tasks that sleep once each, for times that have nothing to do with each other.

use std::time::{Duration, Instant};

use super::{About, Figures, Plan, Runtime, lateness};
use crate::usage::Usage;

/// The mean time from one deadline to the next.
const BETWEEN: Duration = Duration::from_micros(100);
/// From the first spawn to the first deadline: all tasks sleep by then.
const LEAD: Duration = Duration::from_millis(50);

pub(super) const ABOUT: About = About {
    name: "timer_sleepers",
    summary: "10,000 tasks sleep until random moments within a second; per sleeper",
    size: 10_000,
    rounds: 1,
    bare: None,
};

pub(super) fn run<R: Runtime>(runtime: &R, plan: &Plan) -> Figures {
    let rounds = plan.rounds(&ABOUT);
    let size = plan.size(&ABOUT);
    let before = Usage::now()?;
    let mut late = Vec::new();
    for round in 0..rounds.measured {
        late.extend(runtime.run(sleep_all::<R>(size, u64::from(round))));
    }
    let used = Usage::now()?.since(before);
    assert_eq!(late.len(), size * rounds.measured as usize, "the sleepers that woke up");
    lateness::measurements(&late, used)
}

async fn sleep_all<R: Runtime>(size: usize, seed: u64) -> Vec<Duration> {
    let start = Instant::now() + LEAD;
    let spread = BETWEEN.as_nanos() as u64 * size as u64;
    let sleepers: Vec<_> = (0..size as u64)
        .map(|number| start + Duration::from_nanos(scatter(seed << 32 | number) % spread))
        .map(|deadline| R::spawn(sleep_one::<R>(deadline)))
        .collect();
    let mut late = Vec::with_capacity(size);
    for sleeper in sleepers {
        late.push(sleeper.await);
    }
    late
}

async fn sleep_one<R: Runtime>(deadline: Instant) -> Duration {
    R::sleep_until(deadline).await;
    lateness::since(deadline)
}

/// Numbers that look random, and are the same in each run.
pub(super) fn scatter(number: u64) -> u64 {
    let mixed = (number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 17
}
