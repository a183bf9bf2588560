//! Tasks, timers, threads, runtimes and whatever else comes and goes leave no memory behind.
#![cfg(target_os = "linux")]

mod counting;

use std::future::pending;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use wsrt::runtime::{Builder, FlightRecorder, Handle, Runtime};
use wsrt::sync::{Mutex, Notify, broadcast, mpsc, oneshot, watch};
use wsrt::task::{self, JoinSet, spawn_blocking, yield_now};
use wsrt::time::{sleep, timeout};
use wsrt::{parallel, process, signal};
use wsrt_tests::{Directory, runtime_with};

use crate::counting::{alone, stays_flat};

/// Awaits a round again and again, on a runtime of two processors.
fn stays_flat_on_a_runtime<F: Future<Output = ()> + Send + 'static>(rounds: usize, round: fn() -> F) {
    alone(move || {
        let runtime = runtime_with(2);
        stays_flat(rounds, || runtime.block_on(runtime.spawn(round())).expect("a round does not panic"));
    });
}

#[test]
fn tasks_that_end_in_any_way_leave_nothing() {
    stays_flat_on_a_runtime(1000, || async {
        let mut set = JoinSet::new();
        for index in 0..6 {
            set.spawn(async move { if index % 2 == 0 { pending().await } else { yield_now().await } });
        }
        set.join_next().await.expect("one ends").expect("in good order");
        drop(set);
        let aborted = wsrt::spawn(pending::<()>());
        aborted.abort();
        assert!(aborted.await.is_err());
        // Without the panic hook, which would write a line each time.
        let panicked = wsrt::spawn(async { std::panic::resume_unwind(Box::new("as planned")) });
        assert!(panicked.await.is_err_and(|error: task::JoinError| error.is_panic()));
        task::Builder::new().name("named").spawn(async {}).await.expect("it ends");
    });
}

#[test]
fn timers_that_were_cancelled_leave_nothing() {
    stays_flat_on_a_runtime(1000, || async {
        for hours in 1..20 {
            let long = sleep(Duration::from_secs(3600 * hours));
            assert!(timeout(Duration::ZERO, long).await.is_err(), "it is far away");
        }
    });
}

#[test]
fn channels_and_locks_leave_nothing() {
    stays_flat_on_a_runtime(1000, || async {
        let (sender, mut receiver) = mpsc::channel(1);
        let (reply, answer) = oneshot::channel();
        let (news, mut heard) = broadcast::channel(4);
        let (value, mut seen) = watch::channel(0);
        let (mutex, notify) = (Arc::new(Mutex::new(())), Arc::new(Notify::new()));
        let held = mutex.lock().await;
        let other = wsrt::spawn({
            let (mutex, notify) = (Arc::clone(&mutex), Arc::clone(&notify));
            async move {
                sender.send(1).await.expect("it is received");
                reply.send(2).expect("it is awaited");
                news.send(3).expect("it is heard");
                value.send(4).expect("it is seen");
                notify.notified().await;
                drop(mutex.lock().await);
            }
        });
        assert_eq!(receiver.recv().await, Some(1));
        assert_eq!(answer.await, Ok(2));
        assert_eq!(heard.recv().await, Ok(3));
        seen.changed().await.expect("it is sent");
        assert!(timeout(Duration::ZERO, mutex.lock()).await.is_err(), "it is held");
        notify.notify_one();
        drop(held);
        other.await.expect("it does not panic");
    });
}

#[test]
fn threads_for_blocking_jobs_leave_nothing() {
    alone(|| {
        let runtime = Builder::new_multi_thread().worker_threads(2).thread_keep_alive(Duration::ZERO).build();
        let runtime = runtime.expect("a runtime");
        stays_flat(1000, || {
            let jobs = [1, 2, 3].map(|number| runtime.spawn_blocking(move || number));
            for job in jobs {
                runtime.block_on(job).expect("it does not panic");
            }
        });
    });
}

#[test]
fn parallel_loops_leave_nothing() {
    stays_flat_on_a_runtime(1000, || async {
        let sum = parallel::reduce(0..1000_u64, || 0, |number| number, |one, other| one + other);
        assert_eq!(sum, 499_500);
        let (one, other) = parallel::join(|| 1, || 2);
        assert_eq!(one + other, 3);
    });
}

fn use_it(runtime: &Runtime) {
    let handle = runtime.handle().clone();
    runtime.block_on(async {
        drop(wsrt::spawn(pending::<()>()));
        drop(wsrt::spawn(sleep(Duration::from_secs(1000))));
        handle.spawn_blocking(|| 7).await.expect("it does not panic");
        yield_now().await;
    });
}

#[test]
fn runtimes_that_come_and_go_leave_nothing() {
    alone(|| {
        stays_flat(400, || {
            let several = Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
            let one = Builder::new_current_thread().build().expect("a runtime");
            use_it(&several);
            use_it(&one);
            drop(several);
            one.shutdown_background();
        });
    });
}

#[test]
fn threads_that_drive_a_runtime_leave_nothing() {
    alone(|| {
        let several = runtime_with(2);
        let one = Builder::new_current_thread().build().expect("a runtime");
        stays_flat(1000, || {
            let come_and_go = |handle: &Handle| {
                handle.block_on(async { yield_now().await });
                drop(handle.spawn(async {}));
                let _entered = handle.enter();
            };
            thread::scope(|scope| {
                scope.spawn(|| come_and_go(several.handle()));
                scope.spawn(|| one.block_on(sleep(Duration::ZERO)));
            });
        });
    });
}

#[test]
fn processes_and_signals_leave_nothing() {
    stays_flat_on_a_runtime(300, || async {
        let listener = signal::unix::signal(signal::unix::SignalKind::user_defined1());
        let mut child = process::Command::new("sleep").arg("1000").kill_on_drop(true).spawn().expect("it starts");
        child.kill().await.expect("it runs");
        assert!(process::Command::new("true").status().await.expect("it runs").success());
        drop(listener);
    });
}

#[test]
fn dumps_and_histograms_leave_nothing() {
    stays_flat_on_a_runtime(1000, || async {
        let handle = Handle::current();
        handle.set_latency_histograms(true);
        assert!(!handle.dump().to_json().is_empty());
        spawn_blocking(|| ()).await.expect("it does not panic");
        handle.set_latency_histograms(false);
    });
}

#[test]
fn an_endless_flight_recorder_keeps_no_more_and_more() {
    alone(|| {
        let scratch = Directory::new();
        let recorder = FlightRecorder::new(scratch.path("flight")).keep(Duration::from_millis(10)).max_bytes(1 << 16);
        let runtime = Builder::new_multi_thread().worker_threads(2).flight_recorder(recorder).build();
        let runtime = runtime.expect("a runtime");
        stays_flat(1000, || {
            // A thread that records, and is gone; tasks with names.
            thread::scope(|scope| {
                scope.spawn(|| {
                    let named = |_| task::Builder::new().name("named").spawn_on(async {}, runtime.handle());
                    let tasks: Vec<_> = (0..10).map(named).collect();
                    tasks.into_iter().for_each(|task| runtime.block_on(task).expect("it does not panic"));
                });
            });
        });
    });
}
