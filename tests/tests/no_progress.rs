//! A current-thread runtime that can make no progress any more says so, with a dump that names the
//! places. It goes on waiting where another thread may give up a lock or abort a task; a test whose
//! future has no waker left ends.

use std::future::pending;
use std::process::exit;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;

use wsrt::runtime::{Builder, Handle};
use wsrt::sync::{Barrier, Mutex, RwLock};
use wsrt::task::{JoinHandle, spawn_blocking, yield_now};
use wsrt::time::sleep;
use wsrt_tests::{in_a_process_of_its_own, text_of};

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

/// Whether the next sleep of the runtime's thread is the one that does not end.
static IS_CLOSING: AtomicBool = AtomicBool::new(true);

/// Runs `root` in a process of its own, which ends when the runtime's thread sleeps, and returns
/// the report of that.
fn report_of<F: Future<Output = ()>>(test: &str, paused: bool, root: impl FnOnce() -> F) -> String {
    report_by(test, Builder::new_current_thread().start_paused(paused), root)
}

fn report_by<F: Future<Output = ()>>(test: &str, builder: &mut Builder, root: impl FnOnce() -> F) -> String {
    let output = in_a_process_of_its_own(test, &[], || {
        let sleeps = || {
            if IS_CLOSING.load(SeqCst) {
                exit(0);
            }
        };
        let runtime = builder.on_thread_park(sleeps).build().expect("a runtime");
        runtime.block_on(async { root().await });
        panic!("it cannot end");
    });
    let errors = text_of(&output);
    assert!(output.status.success(), "{errors}");
    let reports: Vec<_> = errors.match_indices("wsrt: this runtime seems to make no progress: ").collect();
    let [(at, _)] = reports[..] else { panic!("one report: {errors}") };
    errors[at..].to_owned()
}

#[test]
fn two_tasks_on_two_locks_are_reported() {
    let report = report_of("two_tasks_on_two_locks_are_reported", false, await_a_ring);
    assert!(report.contains("`block_on` waits for the end of task "), "{report}");
    assert!(report.contains("unless another thread releases a lock or aborts a task"), "{report}");
    assert!(report.contains("\ncycle of waits: 2 tasks cannot continue"), "{report}");
    assert_eq!(report.matches("waits for Mutex made at tests/").count(), 4, "{report}");
    assert_eq!(report.matches(", held by task ").count(), 4, "{report}");
}

async fn await_a_ring() {
    for task in spawn_a_ring() {
        task.await.expect("no panic");
    }
}

#[test]
fn a_paused_clock_hides_no_ring() {
    report_of("a_paused_clock_hides_no_ring", true, await_a_ring);
}

#[test]
fn a_root_that_holds_the_lock_is_in_the_ring() {
    let report = report_of("a_root_that_holds_the_lock_is_in_the_ring", false, || async {
        let lock = Arc::new(Mutex::new(()));
        let _guard = lock.lock().await;
        let waiter = Arc::clone(&lock);
        wsrt::spawn(async move { drop(waiter.lock().await) }).await.expect("no panic");
    });
    assert!(report.contains("waits for Mutex made at tests/tests/no_progress.rs:"), "{report}");
    assert!(report.contains(", held by a future in `block_on`"), "{report}");
}

#[test]
fn a_root_that_locks_twice_is_reported() {
    let report = report_of("a_root_that_locks_twice_is_reported", false, || async {
        let lock = RwLock::new(());
        let _reader = lock.read().await;
        drop(lock.write().await);
    });
    assert!(report.contains("`block_on` waits for RwLock, to write, made at tests/tests/no_progress.rs:"), "{report}");
}

#[test]
fn tasks_that_wait_for_the_ring_are_shown_too() {
    let report = report_of("tasks_that_wait_for_the_ring_are_shown_too", false, || async {
        let [one, _other] = spawn_a_ring();
        let next = wsrt::spawn(one);
        wsrt::spawn(pending::<()>());
        drop(next.await);
    });
    assert!(report.contains("4 tasks, 0 blocking jobs: 0 running, 0 scheduled, 4 idle"), "{report}");
}

#[test]
fn threads_for_blocking_jobs_hide_no_ring() {
    report_of("threads_for_blocking_jobs_hide_no_ring", false, || async {
        IS_CLOSING.store(false, SeqCst);
        spawn_blocking(|| {}).await.expect("no panic");
        // The thread that ran it holds a handle until it has come to rest.
        while Handle::current().metrics().num_idle_blocking_threads() == 0 {
            yield_now().await;
        }
        IS_CLOSING.store(true, SeqCst);
        let [one, other] = spawn_a_ring();
        wsrt::join!(async { drop(one.await) }, async { drop(other.await) });
    });
}

/// Timers that have fired, and yields before the ring closes.
#[test]
fn a_ring_that_closes_late_is_found() {
    report_of("a_ring_that_closes_late_is_found", false, || async {
        IS_CLOSING.store(false, SeqCst);
        sleep(std::time::Duration::from_millis(1)).await;
        IS_CLOSING.store(true, SeqCst);
        let [one, other] = spawn_a_ring();
        yield_now().await;
        drop((one.await, other.await));
    });
}

#[wsrt::test]
#[should_panic(expected = "`block_on` waits for something that has not kept its waker")]
async fn a_test_that_nothing_can_wake_fails() {
    pending::<()>().await;
}

/// Another thread may have the `JoinHandle`, and abort the task by it.
#[test]
fn a_test_that_awaits_a_lost_task_says_so() {
    let mut builder = Builder::new_current_thread();
    let report = report_by("a_test_that_awaits_a_lost_task_says_so", builder.__in_test(), || async {
        wsrt::spawn(pending::<()>()).await.expect("no panic");
    });
    assert!(report.contains("`block_on` waits for the end of task "), "{report}");
    assert!(report.contains("1 task, 0 blocking jobs: 0 running, 0 scheduled, 1 idle"), "{report}");
}
