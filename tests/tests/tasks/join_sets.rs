//! A join set gives each result once, whichever thread spawned the task and wherever it ran.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::time::Duration;

use wsrt::runtime::{Builder, Runtime};
use wsrt::task::{JoinSet, join_set};
use wsrt_tests::within_a_minute;

#[test]
fn a_task_done_before_entering_the_set_is_found() {
    within_a_minute(|| {
        // A runtime that is drained refuses: those tasks are done at once.
        let runtime = Runtime::new().expect("a runtime");
        assert!(runtime.drain(wsrt::time::Instant::now()).is_complete());
        let mut set = JoinSet::<()>::new();
        let ids: Vec<_> = (0..10).map(|_| set.spawn_on(async {}, runtime.handle()).id()).collect();
        assert_eq!(set.len(), 10);
        let mut seen = Vec::new();
        runtime.block_on(async {
            while let Some(result) = set.join_next_with_id().await {
                let error = result.expect_err("refused");
                assert!(error.is_cancelled());
                seen.push(error.id());
            }
        });
        assert_eq!(seen, ids);
    });
}

#[test]
fn a_waiting_set_learns_of_a_task_already_done() {
    within_a_minute(|| {
        let refuses = Runtime::new().expect("a runtime");
        assert!(refuses.drain(wsrt::time::Instant::now()).is_complete());
        Builder::new_current_thread().build().expect("a runtime").block_on(async {
            let mut set = JoinSet::<()>::new();
            set.spawn(std::future::pending());
            // Polled once, pending; then a task comes in that is done.
            wsrt::time::timeout(Duration::from_millis(1), set.join_next()).await.expect_err("none is done");
            let id = set.spawn_on(async {}, refuses.handle()).id();
            assert_eq!(set.join_next().await.expect("two").expect_err("refused").id(), id);
            set.shutdown().await;
        });
    });
}

#[test]
fn builders_name_tasks_of_every_kind() {
    fn begin(set: &mut JoinSet<u32>) -> join_set::Builder<'_, u32> {
        set.build_task().name("a name")
    }
    within_a_minute(|| {
        let runtime = Builder::new_current_thread().build().expect("a runtime");
        let mut set = JoinSet::new();
        begin(&mut set).spawn_on(async { 1 }, runtime.handle());
        begin(&mut set).spawn_blocking_on(|| 2, runtime.handle());
        let outputs: BTreeSet<_> = runtime.block_on(async {
            begin(&mut set).spawn(async { 3 });
            begin(&mut set).spawn_blocking(|| 4);
            begin(&mut set).spawn_local(async { 5 });
            set.join_all().await.into_iter().collect()
        });
        assert_eq!(outputs, (1..=5).collect());
    });
}

#[test]
fn a_set_may_be_shared_though_its_outputs_may_not() {
    within_a_minute(|| {
        let runtime = Runtime::new().expect("a runtime");
        let mut set = JoinSet::new();
        set.spawn_on(async { Cell::new(1) }, runtime.handle());
        std::thread::scope(|scope| {
            let set = &set;
            scope.spawn(move || assert_eq!(set.len(), 1));
        });
        assert_eq!(runtime.block_on(set.join_all()), [Cell::new(1)]);
    });
}

#[test]
fn a_thousand_tasks_on_many_processors_are_each_found_once() {
    within_a_minute(|| {
        Runtime::new().expect("a runtime").run(async {
            for _ in 0..20 {
                let mut set: JoinSet<usize> = (0..1000).map(|n| async move { n }).collect();
                let mut seen = BTreeSet::new();
                while let Some(result) = set.join_next().await {
                    assert!(seen.insert(result.expect("no panic")));
                }
                assert_eq!(seen.len(), 1000);
            }
        });
    });
}
