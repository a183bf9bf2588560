//! Many closures handed to the threads for blocking work, and nothing in them.

use std::hint::black_box;
use std::time::Instant;

use super::spawn_inside::check_sum;
use super::{About, Round, Workload, rounds};
use crate::Failure;
use crate::metric::Measurement;
use crate::plan::Plan;
use crate::runtimes::Runtime;

pub(super) struct Blocking;

impl Workload for Blocking {
    const ABOUT: About = About {
        name: "spawn_blocking",
        summary: "a task hands 1,000 empty closures to the threads for blocking work and awaits them all; per closure",
        size: 1_000,
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
