//! From 16 processors on, each searcher that finds work wakes two more, so that those awake double.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use wsrt::runtime::{Builder, Runtime};
use wsrt::sim::{Costs, compute};
use wsrt::time::Instant;

use crate::with_processors;

fn with_costs(seed: u64, processors: usize) -> Runtime {
    let mut builder = Builder::new_simulated(seed);
    builder.simulated_costs(Costs::default()).worker_threads(processors).build().expect("it takes a few descriptors")
}

/// How long it takes until each processor has a long task, of as many that are spawned at once.
fn time_until_all_work(seed: u64, processors: usize) -> Duration {
    with_costs(seed, processors).run(async move {
        // All of them sleep.
        wsrt::time::sleep(Duration::from_millis(10)).await;
        let (began, starts) = (Instant::now(), Arc::new(Mutex::new(Vec::new())));
        let tasks: Vec<_> = (0..processors)
            .map(|_| {
                let starts = Arc::clone(&starts);
                wsrt::spawn(async move {
                    starts.lock().expect("no panic").push(began.elapsed());
                    compute(Duration::from_millis(20)).await;
                })
            })
            .collect();
        for task in tasks {
            task.await.expect("it does not panic");
        }
        let starts = starts.lock().expect("no panic");
        starts.iter().copied().max().expect("there are tasks")
    })
}

/// Where each woke one more, 16 would take 0.36 ms, and 64 would take 1.6 ms.
#[test]
fn processors_wake_in_time_of_their_logarithm() {
    let micros = Duration::from_micros;
    for seed in 0..10 {
        let (few, many) = (time_until_all_work(seed, 16), time_until_all_work(seed, 64));
        assert!(few < micros(180) && many < micros(280), "seed {seed}: {few:?} and {many:?}");
    }
}

/// By drawn times too, which take machines out of step.
#[test]
fn many_processors_share_work_and_repeat_their_run() {
    let run = |seed, processors| {
        let runtime = with_processors(seed, processors);
        runtime.run(async move {
            let tasks: Vec<_> = (0..20 * processors)
                .map(|number| {
                    wsrt::spawn(async move {
                        for _ in 0..10 {
                            wsrt::task::yield_now().await;
                        }
                        number
                    })
                })
                .collect();
            for (number, task) in tasks.into_iter().enumerate() {
                assert_eq!(task.await.expect("it does not panic"), number);
            }
        });
        let metrics = runtime.metrics().snapshot();
        let busy = metrics.processors().iter().filter(|processor| processor.poll_count() > 0).count();
        (runtime.handle().simulation().expect("it is simulated"), busy)
    };
    for processors in [16, 64] {
        for seed in 0..5 {
            let (record, busy) = run(seed, processors);
            assert_eq!((record, busy), run(seed, processors), "seed {seed}");
            assert!(busy > processors / 2, "seed {seed}: {busy} of {processors} have polled");
        }
    }
}
