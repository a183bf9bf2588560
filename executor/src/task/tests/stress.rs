//! Many threads at one task at a time: loom's cases at a larger scale, with real memory and under
//! the sanitizers.

use std::sync::Barrier;
use std::thread;

use super::*;

const ROUNDS: usize = if cfg!(debug_assertions) { 300 } else { 3000 };

/// Runs tasks until `done` returns true.
fn run_until(home: &Home, done: impl Fn() -> bool) {
    while !done() {
        home.run();
        thread::yield_now();
    }
    home.run();
}

#[test]
fn wakes_aborts_joins_and_runs_drop_everything_once() {
    for round in 0..ROUNDS {
        let home = Home::default();
        let future =
            Scripted::new(&[Step::Pending, Step::Pending, if round % 3 == 0 { Step::Panic } else { Step::Ready }]);
        let (counts, waker) = (Arc::clone(&future.counts), Arc::clone(&future.waker));
        let mut handle = home.spawn(future);
        home.run();
        let waker = waker.lock().unwrap().take().expect("polled");
        let abort = handle.abort_handle();
        let start = Barrier::new(5);
        thread::scope(|scope| {
            for by_value in [true, false] {
                let (waker, start) = (waker.clone(), &start);
                scope.spawn(move || {
                    start.wait();
                    waker.wake_by_ref();
                    if by_value {
                        waker.wake();
                    }
                });
            }
            let start = &start;
            scope.spawn(move || {
                start.wait();
                if round % 2 == 0 {
                    abort.abort();
                }
            });
            scope.spawn(move || {
                start.wait();
                let (one, other) = (Arc::<Bell>::default(), Arc::<Bell>::default());
                let _ = poll(&mut handle, &one).is_pending() && poll(&mut handle, &other).is_pending();
            });
            start.wait();
            home.run();
        });
        waker.wake();
        home.run();
        home.shut_down();
        assert_eq!(counts.future_drops.load(SeqCst), 1);
        assert_eq!(counts.outputs.load(SeqCst), counts.output_drops.load(SeqCst));
    }
}

#[test]
fn foreign_wakers_during_the_shutdown_are_harmless() {
    for _ in 0..ROUNDS {
        let home = Home::default();
        let mut wakers = Vec::new();
        let mut all = Vec::new();
        for _ in 0..8 {
            let future = Scripted::new(&[Step::Pending]);
            all.push(Arc::clone(&future.counts));
            wakers.push(Arc::clone(&future.waker));
            drop(home.spawn(future));
        }
        home.run();
        let wakers: Vec<Waker> = wakers.iter().filter_map(|waker| waker.lock().unwrap().take()).collect();
        assert_eq!(wakers.len(), 8);
        let start = Barrier::new(2);
        thread::scope(|scope| {
            scope.spawn(|| {
                start.wait();
                wakers.into_iter().for_each(Waker::wake);
            });
            start.wait();
            home.0.owned.close(TaskRef::shut_down);
            run_until(&home, || home.0.owned.is_empty());
        });
        assert!(all.iter().all(|counts| counts.future_drops.load(SeqCst) == 1));
        assert_eq!((home.queued(), home.cells()), (0, 0));
    }
}
