//! The polls of each spawn site and of each task name are measured while that is on, and cost
//! nothing else.

use std::time::Duration;

use wsrt::runtime::{Builder, Metrics, Runtime};
use wsrt::task::{self, yield_now};
use wsrt_tests::{in_a_process_of_its_own, runtime_with, spin_for, text_of, within_a_minute};

use crate::metrics_when;

fn polls_of_sites(metrics: &Metrics) -> u64 {
    metrics.polls_by_site().iter().map(|site| site.poll_time().count()).sum()
}

/// A snapshot with that many polls: who waits for a task is woken before its last poll has ended.
fn snapshot_with(runtime: &Runtime, polls: u64) -> Metrics {
    metrics_when(runtime, "the polls of sites", |metrics| polls_of_sites(metrics) >= polls)
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
        let runtime = runtime_with(1);
        let count_after_poll = || {
            runtime.block_on(runtime.spawn(async {})).expect("it does not panic");
            polls_of_sites(&runtime.metrics().snapshot())
        };
        assert_eq!(count_after_poll(), 0);
        assert!(!runtime.handle().set_site_polls(true));
        // A processor sees a switch within a few polls.
        while count_after_poll() < 10 {}
        assert!(runtime.handle().set_site_polls(false));
        let mut count = count_after_poll();
        while count != count_after_poll() {
            count = count_after_poll();
        }
        assert_eq!([(); 10].map(|()| count_after_poll()), [count; 10]);
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

/// The names and how many polls each had, in alphabetical order, once there are so many polls.
fn names_with(runtime: &Runtime, polls: u64) -> Vec<(String, u64)> {
    let metrics = metrics_when(runtime, "the polls of names", |metrics| {
        metrics.polls_by_name().iter().map(|name| name.poll_time().count()).sum::<u64>() >= polls
    });
    let names = metrics.polls_by_name().iter();
    let mut names: Vec<_> = names.map(|name| (name.name().to_owned(), name.poll_time().count())).collect();
    names.sort();
    names
}

#[test]
fn each_name_has_its_polls_whatever_spawned_the_tasks() {
    within_a_minute(|| {
        let runtime = Builder::new_multi_thread().worker_threads(2).name_polls(true).build().expect("a runtime");
        let spawn = |name: &str| task::Builder::new().name(name).spawn_on(async {}, runtime.handle());
        let other_site = task::Builder::new().name("a").spawn_on(yield_now(), runtime.handle());
        for task in [spawn("a"), spawn("b"), runtime.spawn(async {}), other_site] {
            runtime.block_on(task).expect("it does not panic");
        }
        assert_eq!(names_with(&runtime, 4), [("a".to_owned(), 3), ("b".to_owned(), 1)]);
        assert!(runtime.metrics().snapshot().polls_by_site().is_empty(), "that is another switch");
        assert!(runtime.handle().set_name_polls(false));
    });
}

#[test]
fn many_names_are_counted_as_one() {
    within_a_minute(|| {
        let runtime = Builder::new_multi_thread().worker_threads(1).name_polls(true).build().expect("a runtime");
        for number in 0..1_000 {
            let task = task::Builder::new().name(&format!("connection {number}")).spawn_on(async {}, runtime.handle());
            runtime.block_on(task).expect("it does not panic");
        }
        let names = names_with(&runtime, 1_000);
        assert!(names.len() <= 2 * 257, "{} names", names.len());
        assert!(names[0].0 == "(other)" && names[0].1 > 100, "{names:?}");
    });
}
