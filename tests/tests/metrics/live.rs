//! The view of a running runtime.

use std::time::Duration;

use wsrt::runtime::{Builder, worker_index};
use wsrt_tests::{runtime_with, within_a_minute};

use crate::{is_at_rest, metrics_when};

#[test]
fn a_worker_alternates_between_busy_and_idle() {
    within_a_minute(|| {
        let runtime = Builder::new_current_thread().build().expect("a runtime");
        let metrics = runtime.metrics();
        assert_eq!((metrics.worker_park_count(0), metrics.worker_park_unpark_count(0)), (1, 1));
        let during = runtime.block_on(async { metrics.worker_park_unpark_count(0) });
        assert_eq!(during, 2);
        assert_eq!((metrics.worker_park_count(0), metrics.worker_park_unpark_count(0)), (2, 3));
        drop(runtime);
        assert_eq!((metrics.worker_park_count(0), metrics.worker_park_unpark_count(0)), (2, 4));
    });
}

#[test]
fn a_poll_under_way_counts_as_busy_time() {
    within_a_minute(|| {
        let runtime = runtime_with(1);
        let metrics = runtime.metrics();
        metrics_when(&runtime, "rest", is_at_rest);
        let idle = metrics.worker_total_busy_duration(0);
        assert_eq!(metrics.worker_total_busy_duration(0), idle, "it is idle");
        let grown = loop {
            let inside = metrics.clone();
            let grown = runtime.run(async move {
                let before = inside.worker_total_busy_duration(0);
                std::thread::sleep(Duration::from_millis(5));
                let grown = inside.worker_total_busy_duration(0) - before;
                (worker_index() == Some(0)).then_some(grown)
            });
            // On a busy machine a spare may have run it.
            if let Some(grown) = grown {
                break grown;
            }
        };
        assert!(grown >= Duration::from_millis(5), "{grown:?}");
    });
}

#[test]
#[should_panic(expected = "there is no worker 2")]
fn a_worker_that_is_not_there_panics() {
    let _ = runtime_with(2).metrics().worker_poll_count(2);
}
