//! Time is virtual: it jumps when no task can run, and timers keep their order.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant as Std};

use wsrt::time::{Instant, interval, sleep, sleep_until, timeout};

use crate::simulated;

const HOUR: Duration = Duration::from_secs(3_600);

#[test]
fn a_day_of_sleep_takes_no_time() {
    let began = Std::now();
    for seed in 0..50 {
        let elapsed = simulated(seed).run(async {
            let began = Instant::now();
            sleep(24 * HOUR).await;
            began.elapsed()
        });
        assert!(elapsed >= 24 * HOUR && elapsed < 24 * HOUR + Duration::from_millis(50), "seed {seed}: {elapsed:?}");
    }
    assert!(began.elapsed() < HOUR);
}

#[test]
fn timers_fire_in_order_and_never_early() {
    for seed in 0..100 {
        let fired = simulated(seed).run(async {
            let (began, fired) = (Instant::now(), Arc::new(Mutex::new(Vec::new())));
            let sleepers: Vec<_> = [3_u32, 1, 2, 0, 5, 4]
                .map(|tenths| {
                    let fired = Arc::clone(&fired);
                    wsrt::spawn(async move {
                        let deadline = began + tenths * Duration::from_millis(100);
                        sleep_until(deadline).await;
                        assert!(Instant::now() >= deadline);
                        fired.lock().expect("no panic").push(tenths);
                    })
                })
                .into();
            for sleeper in sleepers {
                sleeper.await.expect("it fires in time");
            }
            fired.lock().expect("no panic").clone()
        });
        assert_eq!(fired, [0, 1, 2, 3, 4, 5], "seed {seed}");
    }
}

#[test]
fn timeouts_fire_beside_tasks_that_never_rest() {
    for seed in 0..20 {
        simulated(seed).run(async {
            for _ in 0..8 {
                wsrt::spawn(async {
                    loop {
                        wsrt::task::yield_now().await;
                    }
                });
            }
            assert!(timeout(Duration::from_millis(5), std::future::pending::<()>()).await.is_err());
        });
    }
}

/// Two tasks that ready each other stay in runnext, for a time slice at most.
#[test]
fn a_chain_through_runnext_starves_no_task() {
    for seed in 0..5 {
        let runtime = crate::with_processors(seed, 1);
        runtime.run(async {
            let (one, other) = (wsrt::sync::mpsc::channel(1), wsrt::sync::mpsc::channel(1));
            for (sender, mut receiver) in [(one.0, other.1), (other.0, one.1)] {
                wsrt::spawn(async move { while sender.send(()).await.is_ok() && receiver.recv().await.is_some() {} });
            }
            for _ in 0..10 {
                wsrt::task::yield_now().await;
            }
        });
    }
}

#[test]
fn intervals_tick_each_period() {
    let ticks = simulated(3).run(async {
        let mut interval = interval(Duration::from_secs(60));
        let first = interval.tick().await;
        for _ in 0..60 {
            interval.tick().await;
        }
        interval.tick().await - first
    });
    assert_eq!(ticks, HOUR + Duration::from_secs(60));
}

#[test]
#[should_panic(expected = "needs a current-thread runtime")]
fn a_simulated_clock_is_not_paused() {
    simulated(1).block_on(async { wsrt::time::pause() });
}
