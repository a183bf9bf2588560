//! Work is shared: whatever makes tasks runnable in one place, every processor runs its part of
//! them.
//!
//! Each task waits, without giving up its processor, until another one has come to the same point:
//! on the other processor, since there are two. So two processors that share run half of the tasks
//! each, however the system shares out its cores among their threads; and a processor that left the
//! other without work would wait for ever.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::thread::{self, ThreadId};
use std::time::Duration;

use wsrt::runtime::{Builder, Handle, Runtime};
use wsrt::task::JoinHandle;
use wsrt::time::{Instant, sleep_until};
use wsrt_tests::{assert_no_wake_was_lost, within_a_minute};

/// An even number: they meet in pairs.
const TASKS: usize = 1_000;

/// Two processors, and no spares that would stand in for one that waits.
fn two_processors() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).max_machines(2).build().expect("a runtime")
}

/// Where tasks meet, two by two.
#[derive(Clone, Default)]
struct Meeting(Arc<AtomicUsize>);

impl Meeting {
    /// A task's work: meets another task. Returns the machine it ran on.
    fn work(&self) -> ThreadId {
        let place = self.0.fetch_add(1, SeqCst);
        let complete = (place | 1) + 1;
        while self.0.load(SeqCst) < complete {
            thread::yield_now();
        }
        thread::current().id()
    }
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

/// Each machine has run one task of each pair.
#[track_caller]
fn assert_shared(counts: &BTreeMap<String, usize>) {
    assert!(counts.len() == 2 && counts.values().all(|&count| count == TASKS / 2), "{counts:?}");
}

#[test]
fn tasks_born_on_one_processor_run_on_both() {
    within_a_minute(|| {
        let meeting = Meeting::default();
        let task = move |_| {
            let meeting = meeting.clone();
            wsrt::spawn(async move { meeting.work() })
        };
        let runtime = two_processors();
        assert_shared(&runtime.run(async move { count((0..TASKS).map(task).collect()).await }));
        assert_no_wake_was_lost(&runtime);
    });
}

#[test]
fn tasks_from_a_foreign_thread_run_on_both() {
    within_a_minute(|| {
        let (runtime, meeting) = (two_processors(), Meeting::default());
        let task = |_| {
            let meeting = meeting.clone();
            runtime.spawn(async move { meeting.work() })
        };
        let tasks = (0..TASKS).map(task).collect();
        assert_shared(&runtime.block_on(count(tasks)));
        assert_no_wake_was_lost(&runtime);
    });
}

#[test]
fn tasks_woken_together_by_timers_run_on_both() {
    within_a_minute(|| {
        let runtime = two_processors();
        let counts = runtime.run(async {
            let (deadline, meeting) = (Instant::now() + Duration::from_millis(50), Meeting::default());
            let task = |_| {
                let meeting = meeting.clone();
                wsrt::spawn(async move {
                    sleep_until(deadline).await;
                    meeting.work()
                })
            };
            count((0..TASKS).map(task).collect()).await
        });
        assert_shared(&counts);
        assert_no_wake_was_lost(&runtime);
    });
}

#[test]
fn tasks_woken_by_one_task_run_on_both() {
    within_a_minute(|| {
        let runtime = two_processors();
        let counts = runtime.run(async {
            let (start, started) = tokio::sync::watch::channel(false);
            let meeting = Meeting::default();
            let task = |_| {
                let (mut started, meeting) = (started.clone(), meeting.clone());
                wsrt::spawn(async move {
                    started.wait_for(|started| *started).await.expect("the sender is kept until all are done");
                    meeting.work()
                })
            };
            let tasks = (0..TASKS).map(task).collect();
            start.send_replace(true);
            count(tasks).await
        });
        assert_shared(&counts);
        assert_no_wake_was_lost(&runtime);
    });
}

/// A tree of tasks: each has two children, down to the leaves, which meet.
fn tree(
    leaves: usize,
    handle: Handle,
    meeting: Meeting,
) -> std::pin::Pin<Box<dyn Future<Output = Vec<ThreadId>> + Send>> {
    Box::pin(async move {
        if leaves == 1 {
            return vec![meeting.work()];
        }
        let left = handle.spawn(tree(leaves / 2, handle.clone(), meeting.clone()));
        let right = handle.spawn(tree(leaves - leaves / 2, handle.clone(), meeting));
        let mut machines = left.await.expect("no panic");
        machines.extend(right.await.expect("no panic"));
        machines
    })
}

#[test]
fn a_tree_of_tasks_grows_on_both() {
    within_a_minute(|| {
        let runtime = two_processors();
        let handle = runtime.handle().clone();
        let machines = runtime.run(async move { tree(TASKS, handle, Meeting::default()).await });
        let mut counts = BTreeMap::new();
        for machine in machines {
            *counts.entry(format!("{machine:?}")).or_default() += 1;
        }
        assert_shared(&counts);
        assert_no_wake_was_lost(&runtime);
    });
}
