//! One task locks a mutex that nothing else wants.

use std::time::Instant;

use super::{About, Row, about, entries};
use crate::plan::Plan;
use crate::runtimes::Runtime;
use crate::sync::libraries::{AsyncLock, Futures, Lock, Tokio, Wsrt};
use crate::workloads::{Figures, Round, rounds};

const ABOUT: About = about("lock", "one task locks a mutex that nothing else wants; per lock", 20_000, 50);

pub(super) fn row<R: Runtime>() -> Row<R> {
    Row { about: ABOUT, libraries: entries!(run, R, [Wsrt, Tokio, AsyncLock, Futures]) }
}

fn run<R: Runtime, L: Lock>(runtime: &R, plan: &Plan) -> Figures {
    rounds::in_task(runtime, plan, &ABOUT, |size| async move {
        let mutex = L::make();
        let start = Instant::now();
        for _ in 0..size {
            L::count(&mutex).await;
        }
        let round = Round::since(start, size);
        assert_eq!(L::into_count(mutex), size, "the locks");
        round
    })
}
