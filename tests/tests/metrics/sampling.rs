//! Times are sampled while a runtime is asked to, and not before or after.

use std::time::Duration;

use wsrt::runtime::Builder;
use wsrt::task::yield_now;
use wsrt_tests::{LIMIT, runtime_with, spin_for, within_a_minute};

use crate::{is_at_rest, metrics_when};

#[test]
fn without_being_asked_nothing_is_sampled() {
    let runtime = runtime_with(2);
    runtime.run(async {
        for _ in 0..1_000 {
            yield_now().await;
        }
    });
    let total = runtime.metrics().snapshot().total();
    assert_eq!((total.poll_time().count(), total.schedule_latency().count()), (0, 0));
}

/// Eight hundred tasks wait behind a poll of 20 ms, and take a millisecond each at the end.
#[test]
fn the_sample_reports_waiting_and_running_times() {
    within_a_minute(|| {
        let runtime = Builder::new_current_thread().latency_histograms(true).build().expect("a runtime");
        runtime.block_on(async {
            let tasks: Vec<_> = (0..800).map(|_| wsrt::spawn(async { spin_for(Duration::from_micros(200)) })).collect();
            spin_for(Duration::from_millis(20));
            for task in tasks {
                task.await.expect("no panic");
            }
        });
        let total = runtime.metrics().snapshot().total();
        let (waits, polls) = (total.schedule_latency(), total.poll_time());
        // Eight hundred tasks, one in eight: a hundred but for the dice. To be off by half is a
        // chance of one in 10^6.
        assert!((50..=160).contains(&waits.count()) && waits.count() == polls.count(), "{waits:?} {polls:?}");
        let least = waits.quantile(0.0).expect("there are some");
        assert!(least >= Duration::from_millis(18), "all waited for 20 ms at least: {waits:?}");
        let median = polls.quantile(0.5).expect("there are some");
        assert!(median >= Duration::from_micros(185), "each took 200 µs: {polls:?}");
        assert!(polls.mean() >= Some(Duration::from_micros(200)), "{polls:?}");
    });
}

#[test]
fn sampling_is_turned_on_and_off_while_the_runtime_runs() {
    within_a_minute(|| {
        let runtime = runtime_with(2);
        let sampled = || runtime.metrics().snapshot().total().poll_time().count();
        // Wakes from outside, which a thread that is not the runtime's readies.
        let work = || (0..400).for_each(|_| runtime.block_on(runtime.spawn(async {})).expect("no panic"));
        let handle = runtime.handle();
        handle.set_latency_histograms(true);
        work();
        let first = sampled();
        assert!((10..=120).contains(&first), "about 50: {first}");
        handle.set_latency_histograms(false);
        // A poll that began before may end after.
        let stopped = metrics_when(&runtime, "rest", is_at_rest).total().poll_time().count();
        work();
        assert_eq!(sampled(), stopped);
        handle.set_latency_histograms(true);
        work();
        assert!(sampled() > stopped);
        let waits = runtime.metrics().snapshot().total();
        let longest = waits.schedule_latency().quantile(1.0).expect("there are some");
        assert!(longest < LIMIT, "no stamp of before counts: {longest:?}");
    });
}
