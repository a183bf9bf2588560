//! Spawns, the waits of blocking jobs for their threads, and busy time, in snapshots.

use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use wsrt::runtime::Builder;
use wsrt::task::LocalSet;
use wsrt_tests::{LIMIT, runtime_with, spin_for, within_a_minute};

#[test]
fn spawns_are_counted_and_refused_ones_are_not() {
    within_a_minute(|| {
        let runtime = runtime_with(2);
        let before = runtime.metrics().snapshot();
        runtime.block_on(async {
            for _ in 0..1000 {
                wsrt::spawn(async {}).await.expect("no panic");
            }
            wsrt::task::spawn_blocking(|| {}).await.expect("no panic");
        });
        let set = LocalSet::new();
        set.spawn_local(async {});
        runtime.block_on(set);
        let metrics = runtime.metrics();
        assert_eq!(metrics.snapshot().since(&before).spawn_count(), 1000);
        assert_eq!(metrics.spawned_tasks_count(), 1000);
        let handle = runtime.handle().clone();
        drop(runtime);
        drop(handle.spawn(async {}));
        assert_eq!(metrics.spawned_tasks_count(), 1000);
    });
}

#[test]
fn jobs_are_counted_with_the_time_in_their_queue() {
    within_a_minute(|| {
        let runtime = Builder::new_current_thread().max_blocking_threads(1).build().expect("a runtime");
        let (release, released) = channel::<()>();
        let (begun, has_begun) = channel();
        let first = runtime.spawn_blocking(move || {
            begun.send(()).expect("the test waits");
            released.recv_timeout(LIMIT).expect("the test lets it go");
        });
        has_begun.recv_timeout(LIMIT).expect("it begins");
        let at_first = runtime.metrics().snapshot();
        assert_eq!(at_first.blocking_job_count(), 1);
        let second = runtime.spawn_blocking(|| {});
        let queued = Instant::now();
        assert_eq!(runtime.metrics().snapshot().blocking_job_count(), 1, "it waits");
        spin_for(Duration::from_millis(3));
        let waited = queued.elapsed();
        release.send(()).expect("the job waits");
        runtime.block_on(async {
            first.await.expect("no panic");
            second.await.expect("no panic");
        });
        let metrics = runtime.metrics().snapshot();
        let since = metrics.since(&at_first);
        assert_eq!(since.blocking_job_count(), 1);
        assert!(since.blocking_queue_wait() >= waited, "{metrics:?}");
        assert!(metrics.blocking_queue_wait_max() >= waited);
        assert!(metrics.blocking_queue_wait_max() <= metrics.blocking_queue_wait());
    });
}

#[test]
fn busy_time_grows_while_tasks_run() {
    within_a_minute(|| {
        let runtime = runtime_with(2);
        let before = runtime.metrics().snapshot();
        let began = Instant::now();
        runtime.run(async { spin_for(Duration::from_millis(5)) });
        let after = runtime.metrics().snapshot();
        let during = after.since(&before);
        let most = 2 * began.elapsed() + Duration::from_millis(1);
        assert!((Duration::from_millis(5)..=most).contains(&during.total().busy_time()), "{during:?}");
        let sum: Duration = after.processors().iter().map(|processor| processor.busy_time()).sum();
        assert_eq!(sum, after.total().busy_time());
    });
}
