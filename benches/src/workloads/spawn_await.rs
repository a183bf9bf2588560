//! A task spawns one task, awaits it, and again.

use std::hint::black_box;
use std::time::Instant;

use super::spawn_inside::check_sum;
use super::{About, Round, Workload, rounds};
use crate::Failure;
use crate::metric::Measurement;
use crate::plan::Plan;
use crate::runtimes::Runtime;

pub(super) struct SpawnAwait;

impl Workload for SpawnAwait {
    const ABOUT: About = About {
        name: "spawn_await",
        summary: "a task spawns an empty task, awaits it, and again, 10,000 times; per task",
        size: 10_000,
        rounds: 20,
        bare: None,
    };

    fn run<R: Runtime>(runtime: &R, plan: &Plan) -> Result<Vec<Measurement>, Failure> {
        let rounds = plan.rounds(&Self::ABOUT);
        let size = plan.size(&Self::ABOUT);
        let total = runtime.run(rounds::repeat(rounds, move || round::<R>(size)));
        Ok(vec![total.per_operation()])
    }
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
