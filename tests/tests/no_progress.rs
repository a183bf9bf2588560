//! A current-thread runtime that can make no progress any more says so, with a dump that names the
//! places: `block_on` panics in place of waiting for ever.

use std::future::pending;
use std::sync::Arc;

use wsrt::runtime::{Builder, Handle, Runtime};
use wsrt::sync::{Barrier, Mutex, RwLock};
use wsrt::task::{JoinHandle, spawn_blocking, yield_now};
use wsrt::time::sleep;
use wsrt_tests::{panic_message, within_a_minute};

fn current_thread() -> Runtime {
    Builder::new_current_thread().build().expect("a runtime")
}

/// Two tasks that wait for each other's lock.
fn spawn_a_ring() -> [JoinHandle<()>; 2] {
    let (one, other) = (Arc::new(Mutex::new(())), Arc::new(Mutex::new(())));
    let both = Arc::new(Barrier::new(2));
    [(Arc::clone(&one), Arc::clone(&other)), (other, one)].map(|(first, second)| {
        let both = Arc::clone(&both);
        wsrt::spawn(async move {
            let _first = first.lock().await;
            both.wait().await;
            drop(second.lock().await);
        })
    })
}

/// Checks that `root` ends in a report, and returns that.
fn report_of(runtime: &Runtime, root: impl Future<Output = ()>) -> String {
    let message = panic_message(|| runtime.block_on(root));
    assert!(message.starts_with("wsrt: this runtime can make no progress: "), "{message}");
    // And it is there for others.
    assert_eq!(runtime.block_on(async { wsrt::spawn(async { 7 }).await.expect("no panic") }), 7);
    message
}

#[test]
fn two_tasks_on_two_locks_end_the_wait() {
    within_a_minute(|| {
        for paused in [false, true] {
            let runtime = Builder::new_current_thread().start_paused(paused).build().expect("a runtime");
            let message = report_of(&runtime, async {
                for task in spawn_a_ring() {
                    task.await.expect("no panic");
                }
            });
            assert!(message.contains("which waits for the end of task "), "{message}");
            assert!(message.contains("\ncycle of waits: 2 tasks cannot go on"), "{message}");
            assert_eq!(message.matches("waits for Mutex made at tests/").count(), 4, "{message}");
            assert_eq!(message.matches(", held by task ").count(), 4, "{message}");
        }
    });
}

#[test]
fn a_root_that_holds_the_lock_is_in_the_ring() {
    within_a_minute(|| {
        let message = report_of(&current_thread(), async {
            let lock = Arc::new(Mutex::new(()));
            let _guard = lock.lock().await;
            let waiter = Arc::clone(&lock);
            wsrt::spawn(async move { drop(waiter.lock().await) }).await.expect("no panic");
        });
        assert!(message.contains("waits for Mutex made at tests/tests/no_progress.rs:"), "{message}");
        assert!(message.contains(", held by a future in `block_on`"), "{message}");
    });
}

#[test]
fn a_root_that_locks_twice_is_reported() {
    within_a_minute(|| {
        let message = report_of(&current_thread(), async {
            let lock = RwLock::new(());
            let _reader = lock.read().await;
            drop(lock.write().await);
        });
        assert!(message.contains("which waits for RwLock, to write, made at tests/tests/no_progress.rs:"), "{message}");
    });
}

#[test]
fn tasks_that_wait_for_the_ring_are_shown_too() {
    within_a_minute(|| {
        let message = report_of(&current_thread(), async {
            let [one, _other] = spawn_a_ring();
            let next = wsrt::spawn(one);
            wsrt::spawn(pending::<()>());
            drop(next.await);
        });
        assert!(message.contains("4 tasks, 0 blocking jobs: 0 running, 0 scheduled, 4 idle"), "{message}");
    });
}

#[test]
fn threads_for_blocking_jobs_hide_no_ring() {
    within_a_minute(|| {
        report_of(&current_thread(), async {
            spawn_blocking(|| {}).await.expect("no panic");
            // The thread that ran it holds a handle until it has come to rest.
            while Handle::current().metrics().num_idle_blocking_threads() == 0 {
                yield_now().await;
            }
            let [one, other] = spawn_a_ring();
            wsrt::join!(async { drop(one.await) }, async { drop(other.await) });
        });
    });
}

/// Timers that have fired, and yields before the ring closes.
#[test]
fn a_ring_that_closes_late_is_found() {
    within_a_minute(|| {
        report_of(&current_thread(), async {
            sleep(std::time::Duration::from_millis(1)).await;
            let [one, other] = spawn_a_ring();
            yield_now().await;
            drop((one.await, other.await));
        });
    });
}

#[wsrt::test]
#[should_panic(expected = "which waits for something that has not kept its waker")]
async fn a_test_that_nothing_can_wake_fails() {
    pending::<()>().await;
}

#[wsrt::test(start_paused = true)]
#[should_panic(expected = "which waits for the end of task ")]
async fn a_test_that_awaits_a_lost_task_fails() {
    wsrt::spawn(pending::<()>()).await.expect("no panic");
}
