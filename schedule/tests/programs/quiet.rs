//! A runtime in which nothing happens.

use std::time::Duration;

use wsrt::task::yield_now;
use wsrt_schedule::thread::{self, number, time_run};

use crate::support::runtime;

/// Once a poll that lasted is over, and the threads that came for it have gone, no thread of the
/// runtime takes a step, the watcher's neither.
pub(crate) fn nobody_wakes_at_rest() {
    let runtime = runtime(2);
    let blocks = runtime.spawn(async { thread::sleep(Duration::from_millis(20)) });
    let yields = runtime.spawn(yield_now());
    runtime.block_on(blocks).expect("no panic");
    runtime.block_on(yields).expect("no panic");
    thread::sleep(Duration::from_secs(60));
    let hour = steps_of_others_in(Duration::from_secs(3_600));
    let second = steps_of_others_in(Duration::from_secs(1));
    assert_eq!(hour, second, "a thread has woken");
}

/// Before time goes on, whoever waits for events looks once.
fn steps_of_others_in(time: Duration) -> u64 {
    let run = || (1..32).filter(|&other| other != number()).filter_map(time_run).sum::<u64>();
    let before = run();
    thread::sleep(time);
    run() - before
}
