//! The polls of each spawn site are measured while that is on, and cost nothing else.

use std::time::Duration;

use wsrt::runtime::{Builder, Metrics, Runtime};
use wsrt::task::yield_now;
use wsrt_tests::{in_a_process_of_its_own, runtime_with, spin_for, text_of, within_a_minute};

/// A snapshot with that many polls: who waits for a task is woken before its last poll has ended.
fn snapshot_with(runtime: &Runtime, polls: u64) -> Metrics {
    loop {
        let metrics = runtime.metrics().snapshot();
        if metrics.polls_by_site().iter().map(|site| site.poll_time().count()).sum::<u64>() >= polls {
            return metrics;
        }
        std::thread::yield_now();
    }
}

#[test]
fn each_site_has_its_polls_and_their_time() {
    within_a_minute(|| {
        let runtime = Builder::new_multi_thread().worker_threads(2).site_polls(true).build().expect("a runtime");
        runtime.block_on(async {
            let yielding = wsrt::spawn(async {
                for _ in 0..99 {
                    yield_now().await;
                }
            });
            let spinning = wsrt::spawn(async { spin_for(Duration::from_millis(20)) });
            yielding.await.expect("it does not panic");
            spinning.await.expect("it does not panic");
        });
        let metrics = snapshot_with(&runtime, 101);
        let [long, short] = metrics.polls_by_site() else { panic!("{metrics:#?}") };
        assert_eq!((long.poll_time().count(), short.poll_time().count()), (1, 100));
        assert!(long.longest_poll() >= Duration::from_millis(20) && long.longest_poll() == long.poll_time().sum());
        assert!(long.spawned_at().file() == file!() && long.spawned_at().line() > short.spawned_at().line());
        assert!(runtime.metrics().snapshot().since(&metrics).polls_by_site().is_empty());
    });
}

#[test]
fn sites_are_measured_only_while_that_is_on() {
    within_a_minute(|| {
        let runtime = runtime_with(2);
        let poll = || runtime.block_on(runtime.spawn(async {})).expect("it does not panic");
        poll();
        assert!(!runtime.handle().set_site_polls(true));
        poll();
        assert!(runtime.handle().set_site_polls(false));
        poll();
        let metrics = snapshot_with(&runtime, 1);
        let polls: Vec<u64> = metrics.polls_by_site().iter().map(|site| site.poll_time().count()).collect();
        assert_eq!(polls, [1]);
    });
}

#[test]
fn a_variable_switches_the_measurement_on() {
    let test = "sites::a_variable_switches_the_measurement_on";
    let output = in_a_process_of_its_own(test, &[("WSRT_SITE_POLLS", "1")], || {
        let runtime = runtime_with(1);
        runtime.block_on(runtime.spawn(async {})).expect("it does not panic");
        eprintln!("{} site", snapshot_with(&runtime, 1).polls_by_site().len());
    });
    assert_eq!(text_of(&output), "1 site\n");
}
