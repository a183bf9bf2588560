//! Work is shared: whatever makes tasks runnable in one place, every processor runs its part of them.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use wsrt::runtime::{Builder, Handle, Runtime};
use wsrt::task::JoinHandle;
use wsrt::time::{Instant, sleep_until};
use wsrt_tests::{compute, within_a_minute};

const TASKS: usize = 1_000;
/// Some 50 µs, and a few hundred in an unoptimised build.
const STEPS: u64 = 50_000;
/// The machine that runs the tests may have other things to do, and may give our threads unequal shares of its time. A
/// runtime that does not share fails however often it is tried.
const ATTEMPTS: usize = 10;

/// One of these tests at a time: they would take the processors away from each other.
static ALONE: Mutex<()> = Mutex::new(());

fn two_processors() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).build().expect("a runtime")
}

/// A task's work. Returns the machine it ran on.
fn work() -> ThreadId {
    compute(STEPS);
    thread::current().id()
}

/// How many of the tasks each machine ran.
async fn count(tasks: Vec<JoinHandle<ThreadId>>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for task in tasks {
        let machine = task.await.expect("computing does not panic");
        *counts.entry(format!("{machine:?}")).or_default() += 1;
    }
    counts
}

/// Both machines have run two fifths of the tasks at least, in one of several attempts.
fn assert_shared(attempt: impl Fn() -> BTreeMap<String, usize>) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut seen = Vec::new();
    for _ in 0..ATTEMPTS {
        let counts = attempt();
        assert_eq!(counts.values().sum::<usize>(), TASKS, "each task runs once");
        if counts.len() == 2 && counts.values().all(|count| *count >= TASKS * 2 / 5) {
            return;
        }
        seen.push(counts);
    }
    panic!("two processors did not share {TASKS} tasks: {seen:?}");
}

#[test]
fn tasks_born_on_one_processor_run_on_both() {
    within_a_minute(|| {
        let runtime = two_processors();
        assert_shared(|| {
            runtime.run(async { count((0..TASKS).map(|_| wsrt::spawn(async { work() })).collect()).await })
        });
    });
}

#[test]
fn tasks_from_a_foreign_thread_run_on_both() {
    within_a_minute(|| {
        let runtime = two_processors();
        assert_shared(|| {
            let tasks = (0..TASKS).map(|_| runtime.spawn(async { work() })).collect();
            runtime.block_on(count(tasks))
        });
    });
}

#[test]
fn tasks_woken_by_timers_at_the_same_moment_run_on_both() {
    within_a_minute(|| {
        let runtime = two_processors();
        assert_shared(|| {
            runtime.run(async {
                let deadline = Instant::now() + Duration::from_millis(50);
                let task = |_| {
                    wsrt::spawn(async move {
                        sleep_until(deadline).await;
                        work()
                    })
                };
                count((0..TASKS).map(task).collect()).await
            })
        });
    });
}

#[test]
fn tasks_woken_by_one_task_run_on_both() {
    within_a_minute(|| {
        let runtime = two_processors();
        assert_shared(|| {
            runtime.run(async {
                let (start, started) = tokio::sync::watch::channel(false);
                let task = |_| {
                    let mut started = started.clone();
                    wsrt::spawn(async move {
                        started.wait_for(|started| *started).await.expect("the sender is kept until all are done");
                        work()
                    })
                };
                let tasks = (0..TASKS).map(task).collect();
                start.send_replace(true);
                count(tasks).await
            })
        });
    });
}

/// A tree of tasks: each has two children, down to the leaves, which work.
fn tree(leaves: usize, handle: Handle) -> std::pin::Pin<Box<dyn Future<Output = Vec<ThreadId>> + Send>> {
    Box::pin(async move {
        if leaves == 1 {
            return vec![work()];
        }
        let left = handle.spawn(tree(leaves / 2, handle.clone()));
        let right = handle.spawn(tree(leaves - leaves / 2, handle.clone()));
        let mut machines = left.await.expect("no panic");
        machines.extend(right.await.expect("no panic"));
        machines
    })
}

#[test]
fn a_tree_of_tasks_grows_on_both() {
    within_a_minute(|| {
        let runtime = two_processors();
        assert_shared(|| {
            let handle = runtime.handle().clone();
            let machines = runtime.run(async move { tree(TASKS, handle).await });
            let mut counts = BTreeMap::new();
            for machine in machines {
                *counts.entry(format!("{machine:?}")).or_default() += 1;
            }
            counts
        });
    });
}
