//! Four tasks that want one async mutex again and again.
//!
//! The mutex is tokio's on every runtime; `bare` is its own share.

use std::future::ready;
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::Mutex;

use super::bare::by_turns;
use super::{About, Bare, Figures, Plan, Round, Runtime, rounds};

const TASKS: usize = 4;

pub(super) const ABOUT: About = About {
    name: "mutex",
    summary: "four tasks lock one async mutex, 400,000 times all together; per lock",
    size: 400_000,
    rounds: 2,
    bare: Some(Bare::Round(bare)),
};

pub(super) fn run<R: Runtime>(runtime: &R, plan: &Plan) -> Figures {
    rounds::in_task(runtime, plan, &ABOUT, |size| round::<R>(locks_each(size)))
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
