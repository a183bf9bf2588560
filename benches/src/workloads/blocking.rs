//! Many closures handed to the threads for blocking work, and nothing in them.

use std::hint::black_box;
use std::time::Instant;

use super::spawn_inside::check_sum;
use super::{About, Figures, Plan, Round, Runtime, rounds};

pub(super) const ABOUT: About = About {
    name: "spawn_blocking",
    summary: "a task hands 1,000 empty closures to the threads for blocking work and awaits them all; per closure",
    size: 1_000,
    rounds: 20,
    bare: None,
};

pub(super) fn run<R: Runtime>(runtime: &R, plan: &Plan) -> Figures {
    rounds::in_task(runtime, plan, &ABOUT, round::<R>)
}

async fn round<R: Runtime>(size: usize) -> Round {
    let mut jobs = Vec::with_capacity(size);
    let start = Instant::now();
    for number in 0..size {
        jobs.push(R::spawn_blocking(move || black_box(number)));
    }
    let mut sum = 0;
    for job in jobs {
        sum += job.await;
    }
    let round = Round::since(start, size);
    check_sum(sum, size);
    round
}
