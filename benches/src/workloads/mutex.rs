//! Four tasks that want one async mutex again and again.
//!
//! The mutex is tokio's on every runtime; `bare` is its own share.

use std::future::ready;
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::Mutex;

use super::bare::by_turns;
use super::{About, Bare, Round, Workload, rounds};
use crate::Failure;
use crate::metric::Measurement;
use crate::plan::Plan;
use crate::runtimes::Runtime;

const TASKS: usize = 4;

pub(super) struct ContendedMutex;

impl Workload for ContendedMutex {
    const ABOUT: About = About {
        name: "mutex",
        summary: "four tasks lock one async mutex, 400,000 times all together; per lock",
        size: 400_000,
        rounds: 2,
        bare: Some(Bare::Round(bare)),
    };

    fn run<R: Runtime>(runtime: &R, plan: &Plan) -> Result<Vec<Measurement>, Failure> {
        let rounds = plan.rounds(&Self::ABOUT);
        let each = locks_each(plan.size(&Self::ABOUT));
        let total = runtime.run(rounds::repeat(rounds, move || round::<R>(each)));
        Ok(vec![total.per_operation()])
    }
}

fn locks_each(size: usize) -> usize {
    size.div_ceil(TASKS)
}

async fn round<R: Runtime>(each: usize) -> Round {
    let count = Arc::new(Mutex::new(0));
    let start = Instant::now();
    let tasks: Vec<_> = (0..TASKS).map(|_| R::spawn(lock(Arc::clone(&count), each))).collect();
    for task in tasks {
        task.await;
    }
    let round = Round::since(start, TASKS * each);
    assert_eq!(*count.lock().await, TASKS * each, "the locks");
    round
}

fn bare(size: usize) -> Round {
    let each = locks_each(size);
    let count = Arc::new(Mutex::new(0));
    let start = Instant::now();
    by_turns(lock(Arc::clone(&count), each), ready(()));
    Round::since(start, each)
}

async fn lock(count: Arc<Mutex<usize>>, times: usize) {
    for _ in 0..times {
        *count.lock().await += 1;
    }
}
