//! A simulated runtime ends as others do: each task is dropped once.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use wsrt::runtime::{Builder, Handle, Runtime};
use wsrt::task::{spawn_blocking, yield_now};
use wsrt::time::{Instant, sleep};

use crate::simulated;

/// Counts its drops.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, SeqCst);
    }
}

fn populate(runtime: &Runtime, dropped: &Arc<AtomicUsize>) -> usize {
    for number in 0..10 {
        let counted = Counted(Arc::clone(dropped));
        runtime.spawn(async move {
            let _counted = counted;
            match number % 4 {
                0 => pending().await,
                1 => sleep(Duration::from_secs(3_600)).await,
                2 => loop {
                    yield_now().await;
                },
                _ => drop(wsrt::spawn(pending::<()>())),
            }
        });
    }
    10
}

#[test]
fn dropping_it_drops_each_task_once() {
    for seed in 0..50 {
        let dropped = Arc::new(AtomicUsize::new(0));
        let runtime = simulated(seed);
        let count = populate(&runtime, &dropped);
        runtime.block_on(sleep(Duration::from_micros(seed)));
        drop(runtime);
        assert_eq!(dropped.load(SeqCst), count, "seed {seed}");
    }
}

#[test]
fn it_may_end_in_its_own_task() {
    for seed in 0..50 {
        let dropped = Arc::new(AtomicUsize::new(0));
        let runtime = simulated(seed);
        let count = populate(&runtime, &dropped);
        let handle = runtime.handle().clone();
        handle.block_on(async move {
            let task = wsrt::spawn(async move {
                sleep(Duration::from_micros(50)).await;
                runtime.shutdown_background();
            });
            let _ = task.await;
        });
        assert_eq!(dropped.load(SeqCst), count, "seed {seed}");
    }
}

#[test]
fn it_drains() {
    for seed in 0..50 {
        let runtime = simulated(seed);
        let job = runtime.spawn_blocking(|| 7);
        runtime.spawn(async {
            sleep(Duration::from_secs(1)).await;
            spawn_blocking(yield_now).await.expect("it runs").await;
        });
        let drained = runtime.drain(Instant::now() + Duration::from_secs(60));
        assert!(drained.is_complete(), "seed {seed}: {drained}");
        assert_eq!(runtime.block_on(job).expect("it has run"), 7);
    }
}

#[test]
fn panics_stay_in_their_tasks() {
    let runtime = simulated(1);
    runtime.block_on(async {
        let task = wsrt::spawn(async { panic!("in a task") });
        let job = spawn_blocking(|| panic!("in a job"));
        let (task, job): (Result<(), _>, Result<(), _>) = (task.await, job.await);
        assert!(task.expect_err("it panics").is_panic() && job.expect_err("it panics").is_panic());
    });
}

#[test]
fn it_may_run_inside_of_another_runtime() {
    let outer = Builder::new_multi_thread().worker_threads(1).build().expect("threads");
    let inner = outer.run(async {
        let runtime = simulated(4);
        let elapsed = runtime.block_on(async {
            let began = Instant::now();
            wsrt::spawn(sleep(Duration::from_secs(60))).await.expect("it does not panic");
            began.elapsed()
        });
        assert_eq!(Handle::current().simulation(), None, "the outer one is back");
        elapsed
    });
    assert!(inner >= Duration::from_secs(60));
}

#[test]
fn hooks_of_threads_are_called_in_pairs() {
    let counts = [(); 4].map(|()| Arc::new(AtomicUsize::new(0)));
    let hook = |at: usize| {
        let count = Arc::clone(&counts[at]);
        move || {
            count.fetch_add(1, SeqCst);
        }
    };
    let runtime = Builder::new_simulated(3)
        .on_thread_start(hook(0))
        .on_thread_stop(hook(1))
        .on_thread_park(hook(2))
        .on_thread_unpark(hook(3))
        .build()
        .expect("it takes a few descriptors");
    runtime.block_on(sleep(Duration::from_millis(10)));
    drop(runtime);
    let [starts, stops, parks, unparks] = counts.map(|count| count.load(SeqCst));
    assert_eq!(starts, stops);
    assert!(starts > 0 && parks > 0 && unparks > 0);
}
