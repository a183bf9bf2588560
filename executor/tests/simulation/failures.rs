//! A run that has failed does not pass, wherever it failed: inside another's wait, in the last
//! step, in a task without a handle.

use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use wsrt::runtime::{Builder, Handle};
use wsrt::sim::{self, Sim};
use wsrt::sync::oneshot;
use wsrt::task::{JoinHandle, JoinSet, block_in_place, spawn_blocking, yield_now};
use wsrt::time::{Instant, sleep};

const SECOND: Duration = Duration::from_secs(1);

/// The message of the panic with which a run ends.
fn failure<F: Future<Output: Send> + Send>(test: impl FnOnce(Sim) -> F + Send) -> String {
    let run = catch_unwind(AssertUnwindSafe(|| drop(sim::run(1, test))));
    *run.expect_err("the run fails").downcast::<String>().expect("a text")
}

/// A job that waits inside the simulation until it is sent something.
fn waiting_job() -> (oneshot::Sender<()>, JoinHandle<bool>) {
    let (sender, receiver) = oneshot::channel();
    (sender, spawn_blocking(move || receiver.blocking_recv().is_ok()))
}

#[test]
fn a_panic_beside_a_job_that_waits_fails_the_run() {
    let text = failure(|sim| async move {
        let (sender, job) = waiting_job();
        sleep(SECOND).await;
        sim.host("node", || async {
            sleep(SECOND).await;
            panic!("the log is corrupt");
        });
        sleep(SECOND * 5).await;
        let _ = sender.send(());
        job.await.expect("it is sent something")
    });
    assert!(text.contains("the host `node`") && text.contains("the log is corrupt"), "{text}");
}

#[test]
fn an_invariant_broken_beside_a_waiting_job_fails_the_run() {
    let text = failure(|sim| async move {
        let (sender, job) = waiting_job();
        sleep(SECOND).await;
        let mut steps = 0;
        sim.invariant("no fifth step", move || {
            steps += 1;
            steps != 5
        });
        sleep(SECOND * 5).await;
        let _ = sender.send(());
        job.await.expect("it is sent something")
    });
    assert!(text.contains("the invariant `no fifth step` does not hold"), "{text}");
}

#[test]
fn an_invariant_that_the_last_step_breaks_fails_the_run() {
    let text = failure(|sim| async move {
        let leaders = Arc::new(AtomicU32::new(1));
        let seen = Arc::clone(&leaders);
        sim.invariant("one leader", move || seen.load(Relaxed) == 1);
        yield_now().await;
        leaders.store(2, Relaxed);
    });
    assert!(text.contains("the invariant `one leader` does not hold"), "{text}");
}

#[test]
fn a_deadlock_in_a_job_fails_the_run() {
    let text = failure(|_| async {
        let (sender, job) = waiting_job();
        let is_sent = job.await;
        drop(sender);
        is_sent
    });
    assert!(text.contains("nothing in this simulation can continue"), "{text}");
    let text = failure(|_| async {
        let (sender, receiver) = oneshot::channel::<()>();
        let task = wsrt::spawn(async move { Handle::current().block_on(receiver).is_ok() });
        let is_sent = task.await;
        drop(sender);
        is_sent
    });
    assert!(text.contains("nothing in this simulation can continue"), "{text}");
}

#[test]
fn a_deadline_beside_a_waiting_job_fails_the_run() {
    let text = failure(|sim| async move {
        sim.deadline(SECOND);
        let (sender, job) = waiting_job();
        sleep(SECOND * 2).await;
        let _ = sender.send(());
        job.await.expect("it is sent something")
    });
    assert!(text.contains("the deadline of 1s has come"), "{text}");
}

#[test]
fn a_run_ends_with_its_test_though_jobs_wait() {
    let output = sim::run(1, |_| async {
        let (sender, job) = waiting_job();
        wsrt::spawn(async {
            loop {
                sleep(SECOND).await;
            }
        });
        sleep(SECOND).await;
        std::mem::forget((sender, job));
        5
    });
    assert_eq!(output, 5);
    let output = sim::run(1, |_| async {
        let (sender, job) = waiting_job();
        sleep(SECOND).await;
        std::mem::forget((sender, job));
        6
    });
    assert_eq!(output, 6, "nothing else could go on");
}

#[test]
fn a_panic_without_a_handle_fails_the_run() {
    let text = failure(|_| async {
        drop(wsrt::spawn(async { panic!("an assertion") }));
        sleep(SECOND).await;
    });
    assert!(text.contains("no `JoinHandle` tells of it") && text.contains("an assertion"), "{text}");
    let text = failure(|sim| async move {
        sim.host("node", || async {
            drop(spawn_blocking(|| panic!("in a job")));
            sleep(SECOND).await;
        });
        sleep(SECOND).await;
    });
    assert!(text.contains("the host `node`") && text.contains("in a job"), "{text}");
}

#[test]
fn panics_that_are_awaited_or_allowed_fail_no_run() {
    sim::run(1, |sim| async move {
        let task = wsrt::spawn(async { panic!("it is awaited") });
        let error: Result<(), _> = task.await;
        assert!(error.expect_err("it panics").is_panic());
        sim.allow_panics();
        drop(wsrt::spawn(async { panic!("it is allowed") }));
        sim.host("node", || async { panic!("it is allowed") });
        sleep(SECOND).await;
    });
}

/// The commonest end of a test: it does not ask the server how it did.
#[test]
fn a_panic_fails_the_run_whose_handle_is_dropped_later() {
    let text = failure(|_| async {
        let server = wsrt::spawn(async { panic!("the server") });
        sleep(SECOND).await;
        server.abort();
    });
    assert!(text.contains("the server"), "{text}");
    let text = failure(|_| async {
        let mut set = JoinSet::new();
        set.spawn(async { panic!("one of them") });
        sleep(SECOND).await;
        drop(set);
        sleep(SECOND).await;
    });
    assert!(text.contains("one of them"), "{text}");
}

#[test]
fn a_host_that_returns_an_error_fails_the_run() {
    let text = failure(|sim| async move {
        sim.host("node", || async { wsrt::net::TcpListener::bind("10.9.9.9:80").await.map(drop) });
        sleep(SECOND).await;
    });
    assert!(text.contains("the host `node`") && text.contains("ended with an error"), "{text}");
}

#[test]
fn another_runtime_is_not_waited_for_inside() {
    let is_refused = |builder: fn() -> Builder| {
        sim::run(1, move |_| async move {
            let job = spawn_blocking(move || builder().build().expect("a runtime").block_on(sleep(SECOND)));
            let panic = job.await.expect_err("it is refused").into_panic();
            let text = panic.downcast_ref::<&str>().expect("a text");
            assert!(text.contains("not simulated"), "{text}");
        });
    };
    is_refused(Builder::new_current_thread);
    is_refused(Builder::new_multi_thread);
}

#[test]
fn a_failure_has_its_words_where_the_test_itself_blocks() {
    let text = failure(|sim| async move {
        let began = Instant::now();
        sim.invariant("two seconds", move || began.elapsed() < 2 * SECOND);
        block_in_place(|| Handle::current().block_on(sleep(5 * SECOND)));
    });
    assert!(text.contains("the invariant `two seconds` does not hold"), "{text}");
}

/// A worker that isolates panics. It waits again and again once its wait is to be left.
#[test]
fn subject_that_catches_each_panic() {
    if env::var_os("IS_SUBJECT").is_none() {
        return;
    }
    sim::run(1, |sim| async move {
        let handle = Handle::current();
        spawn_blocking(move || {
            loop {
                let _ = catch_unwind(AssertUnwindSafe(|| handle.block_on(sleep(SECOND))));
            }
        });
        sim.host("bad", || async {
            sleep(2 * SECOND).await;
            panic!("the log is corrupt");
        });
        sleep(100 * SECOND).await;
    });
}

#[test]
fn a_loop_that_catches_panics_ends_with_the_run() {
    let mut subject = Command::new(env::current_exe().expect("it runs"));
    subject.args(["failures::subject_that_catches_each_panic", "--exact", "--nocapture"]).env("IS_SUBJECT", "1");
    let output = subject.output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(101), "{text}");
    assert!(text.contains("the log is corrupt") && text.contains("WSRT_SIM_SEED=1 repeats it"), "{text}");
    assert!(text.contains("catches the panic by which its wait is left"), "{text}");
}
