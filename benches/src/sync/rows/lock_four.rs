//! Four tasks that want one mutex: for a moment, or while others run.

use std::sync::Arc;
use std::time::Instant;

use super::{About, Row, about, entries};
use crate::plan::Plan;
use crate::runtimes::Runtime;
use crate::sync::libraries::{AsyncLock, Futures, Lock, Tokio, Wsrt};
use crate::workloads::{Figures, Round, rounds};

const TASKS: usize = 4;

const ABOUT: About = about("lock_four", "four tasks lock one mutex again and again; per lock", 100_000, 8);
const HELD: About = about(
    "lock_held",
    "likewise, but each yields with the mutex locked, so the others wait in line; per lock",
    20_000,
    8,
);

pub(super) fn row<R: Runtime>() -> Row<R> {
    Row { about: ABOUT, libraries: entries!(run, R, [Wsrt, Tokio, AsyncLock, Futures]) }
}

pub(super) fn held<R: Runtime>() -> Row<R> {
    Row { about: HELD, libraries: entries!(run_held, R, [Wsrt, Tokio, AsyncLock, Futures]) }
}

fn run<R: Runtime, L: Lock>(runtime: &R, plan: &Plan) -> Figures {
    rounds::in_task(runtime, plan, &ABOUT, |size| round::<R, L>(size, false))
}

fn run_held<R: Runtime, L: Lock>(runtime: &R, plan: &Plan) -> Figures {
    rounds::in_task(runtime, plan, &HELD, |size| round::<R, L>(size, true))
}

async fn round<R: Runtime, L: Lock>(size: usize, yields: bool) -> Round {
    let each = size.div_ceil(TASKS);
    let mutex = Arc::new(L::make());
    let start = Instant::now();
    let task = |_| R::spawn(count::<R, L>(Arc::clone(&mutex), each, yields));
    let tasks: Vec<_> = (0..TASKS).map(task).collect();
    for task in tasks {
        task.await;
    }
    let round = Round::since(start, TASKS * each);
    let mutex = Arc::into_inner(mutex).expect("the tasks have ended");
    assert_eq!(L::into_count(mutex), TASKS * each, "the locks");
    round
}

async fn count<R: Runtime, L: Lock>(mutex: Arc<L::Mutex>, times: usize, yields: bool) {
    for _ in 0..times {
        match yields {
            true => L::count_while(&mutex, R::yield_now()).await,
            false => L::count(&mutex).await,
        }
    }
}
