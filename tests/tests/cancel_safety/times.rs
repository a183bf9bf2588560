//! Timers: a tick is not lost, and a time limit drops what it limits.

use std::future::pending;
use std::time::Duration;

use wsrt::future::FutureExt;
use wsrt::runtime::Builder;
use wsrt::sync::CancellationToken;
use wsrt::test::cancel_at_each_await;
use wsrt::time::{Instant, Interval, advance, interval, sleep, sleep_until, timeout, timeout_at};
use wsrt_tests::{Roll, RollEntry, within_a_minute};

use crate::later;

const SECOND: Duration = Duration::from_secs(1);

/// Runs a test whose clock jumps to the next timer.
fn run<F: Future>(test: impl FnOnce() -> F + Send + 'static) {
    within_a_minute(|| {
        let runtime = Builder::new_current_thread().start_paused(true).build().expect("a runtime");
        runtime.block_on(async { drop(test().await) });
    });
}

/// Of `Interval::tick`.
#[test]
fn no_tick_is_lost() {
    run(async || {
        let make = async || (Instant::now(), interval(SECOND), Vec::new());
        type State = (Instant, Interval, Vec<u64>);
        async fn take_ticks((began, interval, ticks): &mut State) {
            while ticks.len() < 4 {
                let due = interval.tick().await;
                ticks.push((due - *began).as_secs());
            }
        }
        let operation = async |state: &mut State| take_ticks(state).await;
        let check = async |mut state: State, _| {
            take_ticks(&mut state).await;
            assert_eq!(state.2, [0, 1, 2, 3]);
        };
        cancel_at_each_await(make, operation, check).await;
    });
}

/// Of `time/sleep::sleep` and `time/sleep::sleep_until`: a new future waits for the same deadline.
#[test]
fn a_deadline_stays_the_same() {
    run(async || {
        let make = async || Instant::now() + SECOND;
        let check = async |deadline: Instant, _| {
            sleep_until(deadline).await;
            assert!(Instant::now() >= deadline && Instant::now() < deadline + SECOND);
        };
        cancel_at_each_await(make, async |deadline: &mut Instant| sleep_until(*deadline).await, check).await;
        cancel_at_each_await(make, async |_: &mut Instant| sleep(SECOND).await, check).await;
    });
}

/// Of `time/timeout::timeout` and `time/timeout::timeout_at`, and of the methods of `FutureExt`.
#[test]
fn a_limit_drops_what_it_limits() {
    async fn endless(_entry: RollEntry) {
        pending().await
    }
    run(async || {
        let make = async || Roll::new(1);
        let check = async |drops: Roll, output: Option<bool>| {
            drops.assert_each_dropped_once();
            assert!(output.is_none_or(|is_late| is_late));
        };
        let operation = async |drops: &mut Roll| timeout(SECOND, endless(drops.entry(0))).await.is_err();
        cancel_at_each_await(make, operation, check).await;
        let operation =
            async |drops: &mut Roll| timeout_at(Instant::now() + SECOND, endless(drops.entry(0))).await.is_err();
        cancel_at_each_await(make, operation, check).await;
        let token = CancellationToken::new();
        let operation = async |drops: &mut Roll| {
            let limited = endless(drops.entry(0)).timeout(SECOND).timeout_at(Instant::now() + 2 * SECOND);
            limited
                .until_cancelled(&token)
                .await
                .expect("nothing cancels it")
                .expect("the first limit is over")
                .is_err()
        };
        cancel_at_each_await(make, operation, check).await;
    });
}

/// Of `time/paused::advance`.
#[test]
fn the_clock_advances_by_the_first_poll() {
    run(async || {
        let make = async || {
            wsrt::spawn(later());
            Instant::now()
        };
        let check = async |before: Instant, _| assert_eq!(before.elapsed(), SECOND);
        cancel_at_each_await(make, async |_: &mut Instant| advance(SECOND).await, check).await;
    });
}
