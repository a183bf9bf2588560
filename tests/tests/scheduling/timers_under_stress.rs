//! Timers that are armed, put off, brought forward, dropped and handed over on several processors
//! at once: none is early, none is lost, and those that were dropped wake no task.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use wsrt::runtime::Builder;
use wsrt::task::JoinSet;
use wsrt::time::{Instant, Sleep, sleep, sleep_until, timeout};
use wsrt_tests::{LIMIT, assert_no_wake_was_lost, within_a_minute};

const TASKS: u64 = 64;
const STEPS: u64 = 300;

/// Numbers that look random, and are the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    fn soon(&mut self) -> Instant {
        Instant::now() + Duration::from_micros(self.below(2_000))
    }
}

/// Polls it once, so that it is armed unless it is over.
async fn arm(sleep: &mut Pin<Box<Sleep>>) {
    poll_fn(|context| {
        let _ = sleep.as_mut().poll(context);
        Poll::Ready(())
    })
    .await;
}

async fn ends_on_time(mut sleep: Pin<Box<Sleep>>) {
    sleep.as_mut().await;
    assert!(Instant::now() >= sleep.deadline(), "early by {:?}", sleep.deadline() - Instant::now());
    assert!(sleep.is_elapsed());
}

async fn step(random: &mut Random) {
    let mut timer = Box::pin(sleep_until(random.soon()));
    arm(&mut timer).await;
    match random.below(6) {
        0 => drop(timer),
        1 => ends_on_time(timer).await,
        2 => {
            // Put off and brought forward while it may be firing.
            for _ in 0..random.below(8) {
                timer.as_mut().reset(random.soon());
            }
            ends_on_time(timer).await;
        }
        3 => {
            timer.as_mut().reset(Instant::now() + LIMIT);
            timer.as_mut().reset(random.soon());
            ends_on_time(timer).await;
        }
        4 => wsrt::spawn(ends_on_time(timer)).await.expect("no panic"),
        _ => {
            let limit = Duration::from_micros(random.below(1_000));
            let began = Instant::now();
            match timeout(limit, timer.as_mut()).await {
                Ok(()) => assert!(Instant::now() >= timer.deadline()),
                Err(_) => assert!(began.elapsed() >= limit),
            }
        }
    }
}

#[test]
fn no_timer_is_early_or_lost_under_stress() {
    within_a_minute(|| {
        for processors in [1, 2, 4] {
            let runtime = Builder::new_multi_thread().worker_threads(processors).build().expect("a runtime");
            runtime.run(async {
                let mut tasks = JoinSet::new();
                for seed in 0..TASKS {
                    tasks.spawn(async move {
                        let mut random = Random(seed);
                        for _ in 0..STEPS {
                            step(&mut random).await;
                        }
                    });
                }
                while let Some(task) = tasks.join_next().await {
                    task.expect("no timer is early");
                }
                sleep(Duration::from_millis(1)).await;
            });
            assert_no_wake_was_lost(&runtime);
        }
    });
}
