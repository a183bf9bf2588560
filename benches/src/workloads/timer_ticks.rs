//! Heartbeats: many tasks that do next to nothing, ten times a second each.

use std::time::{Duration, Instant};

use super::timer_sleepers::scatter;
use super::{About, Figures, Plan, Runtime, lateness};
use crate::usage::Usage;

/// Ten a second.
const PERIOD: Duration = Duration::from_millis(100);

pub(super) const ABOUT: About = About {
    name: "timer_ticks",
    summary: "1,000 tasks tick every 100 ms, each at its own phase, for two seconds; per tick",
    size: 1_000,
    rounds: 20,
    bare: None,
};

pub(super) fn run<R: Runtime>(runtime: &R, plan: &Plan) -> Figures {
    let rounds = plan.rounds(&ABOUT);
    let size = plan.size(&ABOUT);
    let before = Usage::now()?;
    let late = runtime.run(tick_all::<R>(size, rounds.measured));
    let used = Usage::now()?.since(before);
    assert_eq!(late.len(), size * rounds.measured as usize, "the ticks of {size} tasks");
    lateness::measurements(&late, used)
}

/// Ticks `ticks` times with each of `size` tasks, and returns how late each tick was.
pub(super) async fn tick_all<R: Runtime>(size: usize, ticks: u32) -> Vec<Duration> {
    let start = Instant::now() + PERIOD;
    let period = PERIOD.as_nanos() as u64;
    let tasks: Vec<_> = (0..size as u64)
        .map(|number| start + Duration::from_nanos(scatter(number) % period))
        .map(|first| R::spawn(tick::<R>(first, ticks)))
        .collect();
    let mut late = Vec::with_capacity(size * ticks as usize);
    for task in tasks {
        late.extend(task.await);
    }
    late
}

async fn tick<R: Runtime>(first: Instant, ticks: u32) -> Vec<Duration> {
    let mut late = Vec::with_capacity(ticks as usize);
    for number in 0..ticks {
        let deadline = first + PERIOD * number;
        R::sleep_until(deadline).await;
        late.push(lateness::since(deadline));
    }
    late
}
