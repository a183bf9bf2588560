//! Many tasks that do nothing but yield to each other.

use std::time::Instant;

use super::{About, Figures, Plan, Round, Runtime, rounds};

/// How often each task yields.
const YIELDS: usize = 1_000;

pub(super) const ABOUT: About = About {
    name: "yield",
    summary: "200 tasks (the size) yield 1,000 times each; per yield",
    size: 200,
    rounds: 10,
    bare: None,
};

pub(super) fn run<R: Runtime>(runtime: &R, plan: &Plan) -> Figures {
    rounds::in_task(runtime, plan, &ABOUT, round::<R>)
}

async fn round<R: Runtime>(size: usize) -> Round {
    let mut tasks = Vec::with_capacity(size);
    let start = Instant::now();
    for _ in 0..size {
        tasks.push(R::spawn(yielding::<R>()));
    }
    let mut yields = 0;
    for task in tasks {
        yields += task.await;
    }
    let round = Round::since(start, size * YIELDS);
    assert_eq!(yields, size * YIELDS, "the yields of {size} tasks");
    round
}

async fn yielding<R: Runtime>() -> usize {
    let mut yields = 0;
    while yields < YIELDS {
        R::yield_now().await;
        yields += 1;
    }
    yields
}
