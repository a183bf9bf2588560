//! A join map finds its tasks by their keys, and gives each key's result once.

use std::future::pending;

use wsrt::runtime::Runtime;
use wsrt::sync::oneshot;
use wsrt::task::JoinMap;
use wsrt_tests::within_a_minute;

#[test]
fn keys_of_tasks_without_outputs_are_returned() {
    within_a_minute(|| {
        Runtime::new().expect("a runtime").block_on(async {
            let mut map = JoinMap::<&str, ()>::new();
            map.spawn("panics", async { panic!("on purpose") });
            let (key, result) = map.join_next().await.expect("one");
            assert!(key == "panics" && result.unwrap_err().is_panic());
            map.spawn("waits", pending());
            map.abort_all();
            let (key, result) = map.join_next().await.expect("one");
            assert!(key == "waits" && result.unwrap_err().is_cancelled());
            assert!(map.is_empty() && map.join_next().await.is_none());
        });
    });
}

#[test]
fn a_task_in_anothers_place_has_the_only_result() {
    within_a_minute(|| {
        Runtime::new().expect("a runtime").block_on(async {
            let mut map = JoinMap::new();
            let (done, is_done) = oneshot::channel::<()>();
            map.spawn("done", async {
                drop(done);
                0
            });
            assert!(is_done.await.is_err());
            let (lives, ends) = oneshot::channel::<()>();
            map.spawn("alive", async {
                let _lives = lives;
                pending().await
            });
            map.spawn("done", async { 1 });
            map.spawn("alive", async { 2 });
            assert!(ends.await.is_err(), "it was aborted");
            assert_eq!(map.len(), 2);
            let mut results = Vec::new();
            while let Some((key, result)) = map.join_next().await {
                results.push((key, result.expect("it does not panic")));
            }
            results.sort_unstable();
            assert_eq!(results, [("alive", 2), ("done", 1)]);
        });
    });
}

#[test]
fn a_map_that_is_dropped_aborts_its_tasks() {
    within_a_minute(|| {
        Runtime::new().expect("a runtime").block_on(async {
            let mut map = JoinMap::new();
            let (lives, ends) = oneshot::channel::<()>();
            map.spawn(7, async {
                let _lives = lives;
                pending::<()>().await;
            });
            drop(map);
            assert!(ends.await.is_err());
        });
    });
}
