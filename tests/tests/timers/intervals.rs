//! Intervals keep their beat, whatever the task does between the ticks.

use std::thread;
use std::time::Duration;

use wsrt::time::{Instant, Interval, MissedTickBehavior, interval, interval_at};
use wsrt_tests::{LIMIT, panic_message, runtime_with, within_a_minute};

use crate::{is_ready_at_once, millis};

#[test]
fn an_interval_ticks_on_the_beat_from_its_start() {
    within_a_minute(|| {
        runtime_with(1).run(async {
            let start = Instant::now();
            let mut ticks = interval_at(start, millis(3));
            for number in 0..20 {
                let due = start + millis(3) * number;
                let tick = ticks.tick().await;
                assert_eq!(tick, due, "each tick tells when it was due");
                assert!(Instant::now() >= due, "tick {number} is early");
            }
        });
    });
}

#[test]
fn the_first_tick_of_an_interval_is_at_once() {
    within_a_minute(|| {
        runtime_with(1).run(async {
            let mut ticks = interval(LIMIT);
            assert!(is_ready_at_once(ticks.tick()).await);
            assert!(!is_ready_at_once(ticks.tick()).await);
            assert_eq!(ticks.period(), LIMIT);
        });
    });
}

/// An interval whose first tick was at its start, and whose next two, at 20 and 40 ms, were missed
/// since the task was stuck. On a machine that is busy more of them may have been missed, which the
/// tests allow for.
async fn interval_after_a_pause(behavior: MissedTickBehavior) -> (Instant, Interval) {
    let start = Instant::now();
    let mut ticks = interval_at(start, millis(20));
    ticks.set_missed_tick_behavior(behavior);
    assert_eq!(ticks.missed_tick_behavior(), behavior);
    ticks.tick().await;
    thread::sleep(millis(50));
    (start, ticks)
}

#[test]
fn burst_makes_up_for_missed_ticks_at_once() {
    within_a_minute(|| {
        runtime_with(1).run(async {
            let (start, mut ticks) = interval_after_a_pause(MissedTickBehavior::Burst).await;
            assert!(is_ready_at_once(ticks.tick()).await, "the first that was missed");
            assert!(is_ready_at_once(ticks.tick()).await, "the second");
            for number in 3..6 {
                assert_eq!(ticks.tick().await, start + millis(20) * number, "the beat is kept");
            }
        });
    });
}

#[test]
fn delay_ticks_at_once_and_a_whole_period_after_that() {
    within_a_minute(|| {
        runtime_with(1).run(async {
            let (_, mut ticks) = interval_after_a_pause(MissedTickBehavior::Delay).await;
            let late = Instant::now();
            assert!(is_ready_at_once(ticks.tick()).await, "one for all that were missed");
            for number in 1..4 {
                ticks.tick().await;
                assert!(late.elapsed() >= millis(20) * number, "the beat starts anew: {:?}", late.elapsed());
            }
        });
    });
}

#[test]
fn skip_ticks_at_once_and_then_on_the_old_beat() {
    within_a_minute(|| {
        runtime_with(1).run(async {
            let (start, mut ticks) = interval_after_a_pause(MissedTickBehavior::Skip).await;
            assert_eq!(ticks.tick().await, start + millis(20), "the first that was missed");
            let next = ticks.tick().await.duration_since(start);
            assert!(next >= millis(60), "those in between are skipped: {next:?}");
            assert_eq!(next.as_nanos() % millis(20).as_nanos(), 0, "the beat is kept: {next:?}");
        });
    });
}

#[test]
fn an_interval_can_be_reset() {
    within_a_minute(|| {
        runtime_with(1).run(async {
            let mut ticks = interval(LIMIT * 10);
            ticks.tick().await;
            ticks.reset_immediately();
            assert!(is_ready_at_once(ticks.tick()).await);
            let start = Instant::now();
            ticks.reset_after(millis(5));
            ticks.tick().await;
            assert!(start.elapsed() >= millis(5));
            let at = Instant::now() + millis(5);
            ticks.reset_at(at);
            assert_eq!(ticks.tick().await, at);
            ticks.reset();
            assert!(!is_ready_at_once(ticks.tick()).await);
        });
    });
}

#[test]
fn an_interval_of_nothing_is_refused() {
    let message = panic_message(|| interval(Duration::ZERO));
    assert!(message.contains("interval") && message.contains("zero"), "{message}");
}
