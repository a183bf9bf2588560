//! Ticks beside tasks that compute: each worker always has some to poll, for 2 ms at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::{About, Figures, Plan, Runtime, lateness};
use crate::clockwork::spin;
use crate::plan::Rounds;

const PERIOD: Duration = Duration::from_millis(3);
/// The length of a poll of a task that computes.
const POLL: Duration = Duration::from_millis(2);
/// Such tasks for each worker: while one is polled, another waits.
const TASKS: usize = 2;

pub(super) const ABOUT: About = About {
    name: "timer_busy",
    summary: "4 tasks tick every 3 ms, beside two tasks for each worker that compute for 2 ms a poll; per tick",
    size: 4,
    rounds: 600,
    bare: None,
};

pub(super) fn run<R: Runtime>(runtime: &R, plan: &Plan) -> Figures {
    let rounds = plan.rounds(&ABOUT);
    let size = plan.size(&ABOUT);
    let late = runtime.run(tick_beside::<R>(plan.workers * TASKS, size, rounds));
    assert_eq!(late.len(), size * rounds.measured as usize, "the ticks of {size} tasks");
    lateness::quantiles(&late)
}

async fn tick_beside<R: Runtime>(computing: usize, ticking: usize, rounds: Rounds) -> Vec<Duration> {
    let stop = Arc::new(AtomicBool::new(false));
    let computing: Vec<_> = (0..computing).map(|_| R::spawn(compute::<R>(Arc::clone(&stop)))).collect();
    let start = Instant::now() + PERIOD;
    let phase = |number: usize| PERIOD * number as u32 / ticking as u32;
    let ticking: Vec<_> = (0..ticking).map(|number| R::spawn(tick::<R>(start + phase(number), rounds))).collect();
    let mut late = Vec::new();
    for task in ticking {
        late.extend(task.await);
    }
    // Relaxed: it guards nothing.
    stop.store(true, Ordering::Relaxed);
    for task in computing {
        task.await;
    }
    late
}

async fn compute<R: Runtime>(stop: Arc<AtomicBool>) {
    // Relaxed: see above.
    while !stop.load(Ordering::Relaxed) {
        spin(POLL);
        R::yield_now().await;
    }
}

/// Returns the lateness of each measured tick. A tick that is missed by more than a period puts
/// those after it off: each is on time or late by itself.
async fn tick<R: Runtime>(first: Instant, rounds: Rounds) -> Vec<Duration> {
    let mut late = Vec::with_capacity(rounds.measured as usize);
    let mut deadline = first;
    for number in 0..rounds.warm_up + rounds.measured {
        R::sleep_until(deadline).await;
        if number >= rounds.warm_up {
            late.push(lateness::since(deadline));
        }
        deadline = (deadline + PERIOD).max(Instant::now());
    }
    late
}
