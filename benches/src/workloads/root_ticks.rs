//! A clock of one millisecond on the thread in `block_on`, beside a runtime that rests: the timers
//! are no task's, and the thread that arms the next one is the one that the last one woke.

use std::time::{Duration, Instant};

use super::{About, Figures, Plan, Runtime, lateness};
use crate::usage::Usage;

const PERIOD: Duration = Duration::from_millis(1);

pub(super) const ABOUT: About = About {
    name: "root_ticks",
    summary: "the future of `block_on` ticks every ms, for three seconds; per tick",
    size: 3_000,
    rounds: 1,
    bare: None,
};

pub(super) fn run<R: Runtime>(runtime: &R, plan: &Plan) -> Figures {
    let rounds = plan.rounds(&ABOUT);
    let ticks = plan.size(&ABOUT) * rounds.measured as usize;
    let before = Usage::now()?;
    let late = runtime.block_on(tick::<R>(ticks));
    let used = Usage::now()?.since(before);
    lateness::measurements(&late, used)
}

async fn tick<R: Runtime>(ticks: usize) -> Vec<Duration> {
    let mut late = Vec::with_capacity(ticks);
    let mut deadline = Instant::now();
    for _ in 0..ticks {
        deadline += PERIOD;
        R::sleep_until(deadline).await;
        late.push(lateness::since(deadline));
    }
    late
}
