//! A task spawns many empty tasks and awaits them all.

use std::hint::black_box;
use std::time::Instant;

use super::{About, Figures, Plan, Round, Runtime, rounds};

pub(super) const ABOUT: About = About {
    name: "spawn_inside",
    summary: "a task spawns 10,000 empty tasks and awaits them all; per task",
    size: 10_000,
    rounds: 20,
    bare: None,
};

pub(super) fn run<R: Runtime>(runtime: &R, plan: &Plan) -> Figures {
    rounds::in_task(runtime, plan, &ABOUT, round::<R>)
}

/// Spawns `size` tasks in place. Each returns its own number, so that the sum shows whether each
/// ran once.
pub(super) async fn round<R: Runtime>(size: usize) -> Round {
    let mut tasks = Vec::with_capacity(size);
    let start = Instant::now();
    for number in 0..size {
        tasks.push(R::spawn(async move { black_box(number) }));
    }
    let mut sum = 0;
    for task in tasks {
        sum += task.await;
    }
    let round = Round::since(start, size);
    check_sum(sum, size);
    round
}

/// Checks the sum of the numbers below `size`.
///
/// # Panics
///
/// Panics if it is another: then a task was lost, or gave another one's output.
pub(super) fn check_sum(sum: usize, size: usize) {
    assert_eq!(sum, size * size.saturating_sub(1) / 2, "the sum of the numbers of {size} tasks");
}
