//! An ordinary thread spawns many empty tasks through a handle while the runtime is idle, and
//! awaits them all.

use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

use super::spawn_inside::check_sum;
use super::{About, Figures, Plan, Round, Runtime, rounds};

/// The workers' time to fall asleep before each round. Only the figure depends on it: the runtime
/// is to be idle when the first task comes.
const SETTLE: Duration = Duration::from_millis(2);

pub(super) const ABOUT: About = About {
    name: "spawn_outside",
    summary: "a thread outside spawns 10,000 empty tasks through a handle, the runtime idle, and awaits them all; per task",
    size: 10_000,
    rounds: 20,
    bare: None,
};

pub(super) fn run<R: Runtime>(runtime: &R, plan: &Plan) -> Figures {
    let size = plan.size(&ABOUT);
    let total = rounds::repeat_blocking(plan.rounds(&ABOUT), || round(runtime, size));
    Ok(vec![total.per_operation()])
}

/// Spawns `size` tasks from the calling thread, after a pause.
pub(super) fn round<R: Runtime>(runtime: &R, size: usize) -> Round {
    let handle = runtime.handle();
    let mut tasks = Vec::with_capacity(size);
    thread::sleep(SETTLE);
    let start = Instant::now();
    for number in 0..size {
        tasks.push(R::spawn_on(&handle, async move { black_box(number) }));
    }
    let sum = runtime.block_on(async {
        let mut sum = 0;
        for task in tasks {
            sum += task.await;
        }
        sum
    });
    let round = Round::since(start, size);
    check_sum(sum, size);
    round
}
