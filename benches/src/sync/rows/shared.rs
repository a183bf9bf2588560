//! Four tasks that share a readers-writer lock, or a semaphore.

use std::sync::Arc;
use std::time::Instant;

use super::{About, Row, about, entries};
use crate::plan::Plan;
use crate::runtimes::Runtime;
use crate::sync::libraries::{AsyncLock, ReadLock, Semaphore, Tokio, Wsrt};
use crate::workloads::{Figures, Round, rounds};

const TASKS: usize = 4;
/// One in so many locks is for writing.
const A_WRITE_IN: usize = 100;

const READ_WRITE: About =
    about("read_write", "four tasks lock one RwLock, each time in a hundred for writing; per lock", 100_000, 8);
const ACQUIRE_FOUR: About =
    about("acquire_four", "four tasks take a permit of a semaphore of two and give it back", 100_000, 8);

pub(super) fn read_write<R: Runtime>() -> Row<R> {
    Row { about: READ_WRITE, libraries: entries!(run_read_write, R, [Wsrt, Tokio, AsyncLock]) }
}

pub(super) fn acquire_four<R: Runtime>() -> Row<R> {
    Row { about: ACQUIRE_FOUR, libraries: entries!(run_acquire_four, R, [Wsrt, Tokio, AsyncLock]) }
}

fn run_read_write<R: Runtime, L: ReadLock>(runtime: &R, plan: &Plan) -> Figures {
    rounds::in_task(runtime, plan, &READ_WRITE, |size| async move {
        let each = size.div_ceil(TASKS);
        let lock = Arc::new(L::make());
        let start = Instant::now();
        let tasks: Vec<_> = (0..TASKS).map(|_| R::spawn(read_and_write::<L>(Arc::clone(&lock), each))).collect();
        for task in tasks {
            task.await;
        }
        let round = Round::since(start, TASKS * each);
        assert_eq!(L::read(&lock).await, TASKS * (each / A_WRITE_IN), "the writes");
        round
    })
}

async fn read_and_write<L: ReadLock>(lock: Arc<L::RwLock>, times: usize) {
    let mut last = 0;
    for time in 1..=times {
        if time % A_WRITE_IN == 0 {
            L::count(&lock).await;
        } else {
            let count = L::read(&lock).await;
            assert!(count >= last, "a write was undone");
            last = count;
        }
    }
}

fn run_acquire_four<R: Runtime, L: Semaphore>(runtime: &R, plan: &Plan) -> Figures {
    rounds::in_task(runtime, plan, &ACQUIRE_FOUR, |size| async move {
        let each = size.div_ceil(TASKS);
        let semaphore = Arc::new(L::make(2));
        let start = Instant::now();
        let pass = |semaphore: Arc<L::Semaphore>| async move {
            for _ in 0..each {
                L::pass(&semaphore).await;
            }
        };
        let tasks: Vec<_> = (0..TASKS).map(|_| R::spawn(pass(Arc::clone(&semaphore)))).collect();
        for task in tasks {
            task.await;
        }
        Round::since(start, TASKS * each)
    })
}
