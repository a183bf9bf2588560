//! The same seed, the same run; another seed, another one.

use std::collections::BTreeSet;

use wsrt::sim::Record;

use crate::{simulated, with_processors, workload};

fn run(seed: u64, processors: usize) -> (Record, u64) {
    let runtime = with_processors(seed, processors);
    let order = workload::run(&runtime);
    (runtime.handle().simulation().expect("it is simulated"), order)
}

#[test]
fn a_thousand_seeds_each_give_the_same_run_twice() {
    let mut hashes = BTreeSet::new();
    let mut orders = BTreeSet::new();
    for seed in 0..1_000 {
        let processors = 1 + seed as usize % 9;
        let (record, order) = run(seed, processors);
        assert_eq!((record, order), run(seed, processors), "seed {seed}");
        assert_eq!(record.seed(), seed);
        assert!(record.steps() > 150, "{record:?}");
        hashes.insert(record.hash());
        orders.insert(order);
    }
    // A change that is to change no run has the same number before and after.
    println!("{:016x} all together", hashes.iter().fold(0, |all: u64, hash| all.rotate_left(7) ^ hash));
    assert_eq!(hashes.len(), 1_000, "each seed has a run of its own");
    assert!(orders.len() > 900, "{} orders of tasks in 1,000 runs", orders.len());
}

#[test]
fn a_run_is_the_same_on_another_thread() {
    let here = run(42, 4);
    let there = std::thread::spawn(|| run(42, 4)).join().expect("it does not panic");
    assert_eq!(here, there);
}

#[test]
fn several_waits_of_one_runtime_are_one_run() {
    let record = |seed| {
        let runtime = simulated(seed);
        let before = runtime.spawn(async { wsrt::task::yield_now().await });
        for _ in 0..3 {
            workload::run(&runtime);
        }
        runtime.block_on(before).expect("it does not panic");
        runtime.handle().simulation()
    };
    for seed in 0..20 {
        assert_eq!(record(seed), record(seed), "seed {seed}");
    }
}

#[test]
fn seeds_decide_which_branch_of_select_comes_first() {
    let first = |seed| {
        simulated(seed).run(async {
            wsrt::select! {
                () = std::future::ready(()) => 0,
                () = std::future::ready(()) => 1,
                () = std::future::ready(()) => 2,
            }
        })
    };
    let firsts: Vec<_> = (0..100).map(first).collect();
    assert_eq!(firsts, (0..100).map(first).collect::<Vec<_>>());
    assert_eq!(firsts.iter().collect::<BTreeSet<_>>().len(), 3, "{firsts:?}");
}

#[test]
fn work_is_stolen_among_simulated_processors() {
    let stolen: u64 = (0..20)
        .map(|seed| {
            let runtime = with_processors(seed, 8);
            runtime.run(async {
                let tasks: Vec<_> = (0..200)
                    .map(|_| {
                        wsrt::spawn(async {
                            for _ in 0..10 {
                                wsrt::task::yield_now().await;
                            }
                        })
                    })
                    .collect();
                for task in tasks {
                    task.await.expect("it does not panic");
                }
            });
            let metrics = runtime.metrics().snapshot();
            let processors = metrics.processors();
            let busy = processors.iter().filter(|processor| processor.poll_count() > 0).count();
            assert!(busy > 1, "seed {seed}: {busy} of 8 processors have polled");
            metrics.total().steal_count()
        })
        .sum();
    assert!(stolen > 20, "{stolen}");
}
