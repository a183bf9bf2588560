//! A task spawns one task, awaits it, and again.

use std::hint::black_box;
use std::time::Instant;

use super::spawn_inside::check_sum;
use super::{About, Figures, Plan, Round, Runtime, rounds};

pub(super) const ABOUT: About = About {
    name: "spawn_await",
    summary: "a task spawns an empty task, awaits it, and again, 10,000 times; per task",
    size: 10_000,
    rounds: 20,
    bare: None,
};

pub(super) fn run<R: Runtime>(runtime: &R, plan: &Plan) -> Figures {
    rounds::in_task(runtime, plan, &ABOUT, round::<R>)
}

async fn round<R: Runtime>(size: usize) -> Round {
    let start = Instant::now();
    let mut sum = 0;
    for number in 0..size {
        sum += R::spawn(async move { black_box(number) }).await;
    }
    let round = Round::since(start, size);
    check_sum(sum, size);
    round
}
