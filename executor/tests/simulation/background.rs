//! Background tasks in a simulation: the same class by the same loop, and the same run for a seed.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::time::Duration;

use wsrt::runtime::Builder;
use wsrt::task::{spawn_background, yield_now};
use wsrt::time::sleep;

use crate::simulated;

/// Runs two tasks that are always ready until three background tasks have ended, and returns how
/// many polls the two have had.
fn polls_beside(seed: u64, share: f64) -> usize {
    let runtime = Builder::new_simulated(seed).worker_threads(2).background_share(share).build().expect("a runtime");
    runtime.run(async {
        let (polls, ended) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        for _ in 0..2 {
            let (polls, ended) = (Arc::clone(&polls), Arc::clone(&ended));
            wsrt::spawn(async move {
                while !ended.load(SeqCst) {
                    polls.fetch_add(1, SeqCst);
                    yield_now().await;
                }
            });
        }
        let tasks: Vec<_> = (0..3).map(|_| spawn_background(yield_now())).collect();
        for task in tasks {
            task.await.expect("no panic");
        }
        ended.store(true, SeqCst);
        polls.load(SeqCst)
    })
}

#[test]
fn background_tasks_end_beside_endless_ones_under_each_seed() {
    for seed in 0..20 {
        let polls = polls_beside(seed, 0.05);
        assert_eq!(polls, polls_beside(seed, 0.05), "seed {seed}: the same run");
    }
}

#[test]
fn background_tasks_run_while_others_sleep() {
    for seed in 0..20 {
        simulated(seed).run(async move {
            let has_run = Arc::new(AtomicBool::new(false));
            let theirs = Arc::clone(&has_run);
            let task = spawn_background(async move {
                sleep(Duration::from_secs(1)).await;
                theirs.store(true, SeqCst);
            });
            sleep(Duration::from_secs(2)).await;
            assert!(has_run.load(SeqCst), "seed {seed}");
            task.await.expect("no panic");
        });
    }
}
