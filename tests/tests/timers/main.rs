//! Timers never fire early, fire in the order of their deadlines, and need no thread of their own.

mod elsewhere;
mod intervals;
mod long_polls;

use std::future::{Future, pending, poll_fn, ready};
use std::io;
use std::pin::pin;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use tokio_test::{assert_pending, assert_ready, assert_ready_eq};
use wsrt::runtime::{Builder, Handle};
use wsrt::task::JoinSet;
use wsrt::time::{Instant, interval, interval_at, sleep, sleep_until, timeout, timeout_at};
use wsrt_tests::{LIMIT, Roll, runtime_with, spin_for, within_a_minute};

const fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Numbers that look random, and are the same in each run.
fn scatter(number: u64) -> u64 {
    let mixed = (number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 17
}

/// Whether `future` is ready at its first poll.
async fn is_ready_at_once(future: impl Future) -> bool {
    let mut future = pin!(future);
    poll_fn(|context| Poll::Ready(future.as_mut().poll(context).is_ready())).await
}

#[test]
fn thousands_of_sleeps_end_after_their_deadlines() {
    within_a_minute(|| {
        for processors in [1, 2] {
            runtime_with(processors).run(async {
                let mut sleepers = JoinSet::new();
                for number in 0..4_000 {
                    sleepers.spawn(async move {
                        // By the standard library's clock, which knows nothing of the runtime's.
                        let start = std::time::Instant::now();
                        let duration = Duration::from_micros(scatter(number) % 60_000);
                        sleep(duration).await;
                        (duration, start.elapsed())
                    });
                }
                while let Some(sleeper) = sleepers.join_next().await {
                    let (asked, slept) = sleeper.expect("no panic");
                    assert!(slept >= asked, "asked for {asked:?}, slept {slept:?}");
                }
            });
        }
    });
}

#[test]
fn short_sleeps_one_after_the_other_end_after_their_deadlines() {
    within_a_minute(|| {
        let runtime = runtime_with(1);
        let body = async {
            for number in 0..300 {
                let deadline = Instant::now() + Duration::from_nanos(scatter(number) % 1_500_000);
                sleep_until(deadline).await;
                assert!(Instant::now() >= deadline);
            }
        };
        runtime.run(body);
    });
}

/// Below a millisecond, the unit of the system's poll: rounded up to it, no sleep would be as
/// short.
#[cfg(target_os = "linux")]
#[test]
fn a_deadline_below_a_millisecond_is_kept() {
    within_a_minute(|| {
        for runtime in [runtime_with(1), runtime_with(2), Builder::new_current_thread().build().expect("a runtime")] {
            let shortest = async {
                let mut shortest = Duration::MAX;
                for _ in 0..200 {
                    let start = std::time::Instant::now();
                    sleep(Duration::from_micros(100)).await;
                    shortest = shortest.min(start.elapsed());
                }
                shortest
            };
            let shortest = runtime.run(shortest);
            assert!(shortest >= Duration::from_micros(100) && shortest < Duration::from_micros(600), "{shortest:?}");
        }
    });
}

/// How late half of a crowd of sleepers are, at the least.
async fn lateness_of_a_crowd() -> Duration {
    let start = Instant::now() + millis(20);
    let mut sleepers = JoinSet::new();
    for number in 0..2_000 {
        let deadline = start + Duration::from_micros(scatter(number) % 200_000);
        sleepers.spawn(async move {
            sleep_until(deadline).await;
            Instant::now().checked_duration_since(deadline).expect("none is early")
        });
    }
    let mut late = sleepers.join_all().await;
    late.sort_unstable();
    late[late.len() / 2]
}

/// A crowd may share a wake, but for a millisecond at most. It is tried again where other programs
/// have kept the machines from their cores.
#[test]
fn a_crowd_of_sleepers_is_not_held_up_for_long() {
    within_a_minute(|| {
        let late = (0..20).map(|_| runtime_with(2).run(lateness_of_a_crowd())).find(|late| *late < millis(10));
        assert!(late.is_some(), "half of them were later than 10 ms, twenty times");
    });
}

#[test]
fn a_limit_that_moves_with_each_request_keeps_one_timer() {
    within_a_minute(|| {
        runtime_with(1).run(async {
            let mut limit = pin!(sleep(LIMIT));
            assert!(poll_fn(|context| Poll::Ready(limit.as_mut().poll(context))).await.is_pending());
            for _ in 0..200_000 {
                limit.as_mut().reset(Instant::now() + LIMIT);
            }
            let soon = Instant::now() + millis(3);
            limit.as_mut().reset(soon);
            limit.as_mut().await;
            assert!(Instant::now() >= soon);
        });
    });
}

/// A server drops the time limit of a request, and sets another one for the next.
#[test]
fn limits_set_and_dropped_by_turns_are_one_timer() {
    within_a_minute(|| {
        runtime_with(1).run(async {
            for number in 0..50 {
                assert!(!is_ready_at_once(sleep(LIMIT + millis(number))).await);
            }
            let held = Handle::current().metrics().snapshot().total().timers_held();
            assert_eq!(held, 1);
            assert!(!is_ready_at_once(sleep(millis(3))).await, "one that is due earlier has its own place");
            let soon = Instant::now() + millis(3);
            sleep_until(soon).await;
            assert!(Instant::now() >= soon);
        });
    });
}

#[test]
fn a_thread_in_block_on_can_sleep_too() {
    within_a_minute(|| {
        for runtime in [runtime_with(1), Builder::new_current_thread().build().expect("a runtime")] {
            for _ in 0..50 {
                let deadline = Instant::now() + Duration::from_micros(700);
                runtime.block_on(sleep_until(deadline));
                assert!(Instant::now() >= deadline);
            }
        }
    });
}

/// Spawns sleepers for `deadlines`, in this order, and returns the order in which they woke up. On
/// a current-thread runtime, which promises that order: a processor whose thread is kept from its
/// core may be robbed by a spare one.
fn order_of(deadlines: impl Fn(Instant) -> Vec<Instant> + Send + 'static) -> (Vec<Instant>, Vec<usize>) {
    let runtime = Builder::new_current_thread().build().expect("a runtime");
    runtime.run(async move {
        loop {
            let first = Instant::now() + millis(20);
            let deadlines = deadlines(first);
            let (order, is_late) = order_once(first, &deadlines).await;
            // A deadline that is over when its sleeper begins waits for none before it.
            if !is_late {
                return (deadlines, order);
            }
        }
    })
}

/// Returns the order, and whether a sleeper began after `first`.
async fn order_once(first: Instant, deadlines: &[Instant]) -> (Vec<usize>, bool) {
    let (order, is_late) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
    let mut sleepers = JoinSet::new();
    for (index, deadline) in deadlines.iter().copied().enumerate() {
        let (order, is_late) = (Arc::clone(&order), Arc::clone(&is_late));
        sleepers.spawn(async move {
            let mut sleeper = pin!(sleep_until(deadline));
            let polled = poll_fn(|context| Poll::Ready(sleeper.as_mut().poll(context))).await;
            if Instant::now() >= first {
                is_late.store(true, SeqCst);
            }
            if polled.is_pending() {
                sleeper.await;
            }
            order.lock().expect("no panic").push(index);
        });
    }
    sleepers.join_all().await;
    let order = order.lock().expect("no panic").clone();
    (order, is_late.load(SeqCst))
}

#[test]
fn timers_fire_in_the_order_of_their_deadlines() {
    within_a_minute(|| {
        let (deadlines, order) =
            order_of(|base| (0..50).map(|number| base + Duration::from_micros(scatter(number) % 20_000)).collect());
        assert_eq!(order.len(), 50);
        assert!(order.is_sorted_by_key(|index| deadlines[*index]), "{order:?}");
    });
}

#[test]
fn timers_for_one_moment_fire_in_arming_order() {
    within_a_minute(|| {
        let (_, order) = order_of(|base| vec![base; 50]);
        assert_eq!(order, (0..50).collect::<Vec<_>>());
    });
}

#[test]
fn a_deadline_that_has_passed_is_ready_at_once() {
    within_a_minute(|| {
        runtime_with(1).run(async {
            assert!(is_ready_at_once(sleep(Duration::ZERO)).await);
            let before = Instant::now();
            spin_for(Duration::from_micros(10));
            assert!(is_ready_at_once(sleep_until(before)).await);
            assert!(!is_ready_at_once(sleep(LIMIT)).await);
        });
    });
}

#[test]
fn no_duration_is_too_long() {
    within_a_minute(|| {
        runtime_with(1).run(async {
            assert!(!is_ready_at_once(sleep(Duration::MAX)).await);
            assert!(!is_ready_at_once(timeout(Duration::MAX, pending::<()>())).await);
            assert_eq!(timeout(Duration::MAX, ready(7)).await, Ok(7));
            let mut ticks = interval(Duration::MAX);
            ticks.tick().await;
            assert!(!is_ready_at_once(ticks.tick()).await);
            // And shorter timers fire beside them.
            let forever = wsrt::spawn(sleep(Duration::MAX));
            sleep(millis(1)).await;
            assert!(!forever.is_finished());
        });
    });
}

#[test]
fn a_sleep_can_be_reset_in_place() {
    within_a_minute(|| {
        runtime_with(2).run(async {
            let mut later = pin!(sleep(LIMIT));
            assert!(poll_fn(|context| Poll::Ready(later.as_mut().poll(context))).await.is_pending());
            let deadline = Instant::now() + millis(20);
            later.as_mut().reset(deadline);
            assert_eq!(later.deadline(), deadline);
            later.as_mut().await;
            assert!(Instant::now() >= deadline && later.is_elapsed());

            let mut sooner = pin!(sleep(LIMIT * 10));
            assert!(poll_fn(|context| Poll::Ready(sooner.as_mut().poll(context))).await.is_pending());
            sooner.as_mut().reset(Instant::now() + millis(1));
            sooner.as_mut().await;

            // Once more after it has ended.
            let again = Instant::now() + millis(200);
            sooner.as_mut().reset(again);
            assert!(!sooner.is_elapsed());
            sooner.await;
            assert!(Instant::now() >= again);
        });
    });
}

#[test]
fn a_sleep_may_move_between_tasks_and_threads() {
    within_a_minute(|| {
        let runtime = runtime_with(2);
        for _ in 0..100 {
            let mut sleeping = Box::pin(sleep(millis(2)));
            runtime.run(async move {
                // Polled by a task first, then by a thread, which has to be woken in its place.
                if poll_fn(|context| Poll::Ready(sleeping.as_mut().poll(context))).await.is_ready() {
                    return;
                }
                let handle = wsrt::runtime::Handle::current();
                let elsewhere = wsrt::task::spawn_blocking(move || handle.block_on(sleeping));
                elsewhere.await.expect("it is woken there");
            });
        }
    });
}

/// Armed and dropped a million times, as timeouts are: the runtime goes on firing the timers that
/// are left.
#[test]
fn dropped_timers_do_not_hold_up_others() {
    within_a_minute(|| {
        runtime_with(2).run(async {
            let wanted = wsrt::spawn(sleep(millis(30)));
            for _ in 0..200_000 {
                assert!(!is_ready_at_once(sleep(LIMIT)).await);
            }
            wanted.await.expect("no panic");
        });
    });
}

#[test]
fn timeout_gives_the_output_if_it_is_in_time() {
    within_a_minute(|| {
        runtime_with(1).run(async {
            assert_eq!(timeout(LIMIT, async { 7 }).await, Ok(7));
            // Both are ready: the output wins.
            assert_eq!(timeout(Duration::ZERO, ready(7)).await, Ok(7));
            let past = Instant::now();
            assert_eq!(timeout_at(past, ready(7)).await, Ok(7));
        });
    });
}

#[test]
fn timeout_gives_the_future_up_when_it_is_late() {
    within_a_minute(|| {
        let roll = Roll::new(1);
        let entry = roll.entry(0);
        runtime_with(1).run(async move {
            let start = Instant::now();
            let late = async move {
                let _entry = entry;
                pending::<()>().await;
            };
            let elapsed = timeout(millis(10), late).await.expect_err("it is never ready");
            assert!(start.elapsed() >= millis(10));
            let error = io::Error::from(elapsed);
            assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        });
        roll.assert_each_dropped_once();
    });
}

/// Runs a test's body on runtimes of both kinds, and where the clock stands.
fn on_each_clock<F: Future<Output = ()>>(body: impl Fn() -> F + Send + 'static) {
    within_a_minute(move || {
        runtime_with(2).block_on(body());
        Builder::new_current_thread().build().expect("a runtime").block_on(body());
        Builder::new_current_thread().start_paused(true).build().expect("a runtime").block_on(body());
    });
}

const HOUR: Duration = Duration::from_secs(3_600);

#[test]
fn a_sleep_reset_into_the_past_is_ready_next() {
    on_each_clock(|| async {
        // A past that the clock of a fresh machine has.
        let past = Instant::now();
        for is_now in [false, true] {
            let mut wait = tokio_test::task::spawn(sleep(HOUR));
            assert_pending!(wait.poll());
            let deadline = if is_now { Instant::now() } else { past };
            wait.enter(|_, sleep| sleep.reset(deadline));
            assert!(wait.is_woken(), "the task that waits hears of it");
            assert!(wait.enter(|_, sleep| sleep.is_elapsed()));
            assert_ready!(wait.poll());
            assert_ready!(wait.poll(), "it stays so");

            // And once more with the same timer.
            wait.enter(|_, sleep| sleep.reset(Instant::now() + HOUR));
            assert_pending!(wait.poll());
            wait.enter(|_, sleep| sleep.reset(deadline));
            assert_ready!(wait.poll());
        }
    });
}

#[test]
fn an_interval_reset_into_the_past_ticks_next() {
    on_each_clock(|| async {
        let past = Instant::now();
        let mut clock = interval_at(past + HOUR, HOUR);
        let mut poll = tokio_test::task::spawn(());
        assert_pending!(poll.enter(|cx, _| clock.poll_tick(cx)));
        clock.reset_at(past);
        assert!(poll.is_woken());
        assert_ready_eq!(poll.enter(|cx, _| clock.poll_tick(cx)), past);

        assert_pending!(poll.enter(|cx, _| clock.poll_tick(cx)), "the next is an hour away");
        clock.reset_immediately();
        assert_ready!(poll.enter(|cx, _| clock.poll_tick(cx)));
        assert_pending!(poll.enter(|cx, _| clock.poll_tick(cx)));
        clock.reset_after(Duration::ZERO);
        assert_ready!(poll.enter(|cx, _| clock.poll_tick(cx)));
        assert_pending!(poll.enter(|cx, _| clock.poll_tick(cx)));
        clock.reset();
        assert_pending!(poll.enter(|cx, _| clock.poll_tick(cx)), "a period from now");
    });
}
