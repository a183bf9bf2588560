//! A task that waits, and that nothing is left to wake or end, is an orphan: dumps, metrics,
//! reports and tests say so. A task that anything may still wake or end is none.

use std::future::{Future, pending, poll_fn};
use std::io::{BufRead, BufReader, Write, stdin};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use wsrt::net::UdpSocket;
use wsrt::runtime::{Builder, Handle, TaskDump, TaskState};
use wsrt::sync::{Notify, oneshot};
use wsrt::task::{self, LocalSet, spawn_local, yield_now};
use wsrt::time::sleep;
use wsrt_tests::{beside_a_process_of_its_own, two_processors, within_a_minute};

fn spawn(name: &str, task: impl Future<Output = ()> + Send + 'static) -> wsrt::task::JoinHandle<()> {
    task::Builder::new().name(name).spawn(task)
}

/// The names of the orphans, in alphabetical order, once no task is in a queue.
async fn orphans() -> Vec<String> {
    loop {
        yield_now().await;
        let dump = Handle::current().dump();
        if dump.tasks().iter().all(|task| task.state() == TaskState::Idle) {
            let orphans = dump.tasks().iter().filter(|task| task.is_orphan());
            let mut names: Vec<_> = orphans.map(|task| task.name().unwrap_or("").to_owned()).collect();
            names.sort();
            assert_eq!(Handle::current().metrics().num_orphan_tasks(), names.len());
            assert_eq!(Handle::current().metrics().snapshot().num_orphan_tasks(), names.len());
            return names;
        }
    }
}

/// Runs the future on a thread that does nothing else, so that each dump finds the tasks at rest.
fn on_one_thread<F: Future>(root: F) -> F::Output {
    Builder::new_current_thread().build().expect("a runtime").block_on(root)
}

#[test]
fn a_task_whose_handles_are_gone_is_an_orphan() {
    on_one_thread(async {
        let handle = spawn("waits", pending());
        let (first, second) = (handle.abort_handle(), handle.abort_handle());
        assert!(orphans().await.is_empty(), "three handles may abort it");
        drop(handle);
        drop(first);
        assert!(orphans().await.is_empty(), "one may");
        drop(second);
        assert_eq!(orphans().await, ["waits"]);
    });
}

/// A future that keeps no waker.
struct Forgetful;

impl Future for Forgetful {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        Poll::Pending
    }
}

/// A place for one waker, where the second task takes the first one's.
async fn wait_in(slot: Arc<Mutex<Option<Waker>>>) {
    poll_fn(|cx| {
        *slot.lock().expect("no panic") = Some(cx.waker().clone());
        Poll::<()>::Pending
    })
    .await;
}

#[test]
fn three_leaks_are_three_orphans() {
    on_one_thread(async {
        spawn("never", pending());
        spawn("forgetful", Forgetful);
        let slot = Arc::new(Mutex::new(None));
        spawn("displaced", wait_in(Arc::clone(&slot)));
        yield_now().await;
        spawn("in its place", wait_in(slot));
        assert_eq!(orphans().await, ["displaced", "forgetful", "never"]);
    });
}

#[test]
fn a_task_that_something_may_wake_is_no_orphan() {
    on_one_thread(async {
        let (_sender, receiver) = oneshot::channel::<()>();
        spawn("channel", async { drop(receiver.await) });
        let notify = Arc::new(Notify::new());
        let notified = Arc::clone(&notify);
        spawn("notify", async move { notified.notified().await });
        spawn("timer", sleep(Duration::from_secs(3600)));
        let socket = UdpSocket::bind("127.0.0.1:0").await.expect("a port");
        spawn("socket", async move { drop(socket.recv(&mut [0; 8]).await) });
        let (_give, taken) = oneshot::channel::<()>();
        let awaited = spawn("awaited", async { drop(taken.await) });
        spawn("joiner", async { drop(awaited.await) });
        spawn("blocking", async { drop(wsrt::task::spawn_blocking(|| ()).await) });
        assert!(orphans().await.is_empty());
    });
}

#[test]
fn a_task_of_a_local_set_can_be_an_orphan() {
    let runtime = Builder::new_current_thread().build().expect("a runtime");
    LocalSet::new().block_on(&runtime, async {
        let local = spawn_local(pending::<()>());
        assert!(orphans().await.is_empty());
        drop(local);
        assert_eq!(orphans().await, [""]);
    });
}

#[test]
fn a_dump_says_so_in_words_and_in_json() {
    on_one_thread(async {
        spawn("lost", pending());
        assert_eq!(orphans().await, ["lost"]);
        let dump = Handle::current().dump();
        let line = dump.tasks().iter().map(TaskDump::to_string).next().expect("one task");
        assert!(line.ends_with(": orphan, nothing is left that could wake or end it"), "{line}");
        let handle = spawn("held", pending());
        assert_eq!(orphans().await, ["lost"]);
        let text = Handle::current().dump().to_string();
        assert!(text.contains(": idle, no waker is left, and only a `JoinHandle` could end it"), "{text}");
        drop(handle);
        assert!(dump.to_json().contains("\"waits_on\":[],\"orphan\":true,"), "{}", dump.to_json());
    });
}

/// The program in which a spawn site is reported, and then another one.
fn leak_twice() {
    let runtime = two_processors();
    for _ in 0..3 {
        drop(runtime.spawn(pending::<()>()));
    }
    // The first has been reported by then.
    stdin().read_line(&mut String::new()).expect("the test writes");
    drop(task::Builder::new().name("second").spawn_on(Forgetful, runtime.handle()));
    drop(runtime.spawn(pending::<()>()).abort_handle());
    stdin().read_line(&mut String::new()).expect("the test ends");
}

#[test]
fn a_running_program_reports_each_spawn_site_once() {
    within_a_minute(|| {
        let test = "a_running_program_reports_each_spawn_site_once";
        let mut child = beside_a_process_of_its_own(test, &[], leak_twice);
        let mut input = child.stdin.take().expect("a pipe");
        let errors = BufReader::new(child.stderr.take().expect("a pipe")).lines();
        let mut reports = errors.map(|line| line.expect("text")).filter(|line| line.contains(" is an orphan"));
        let first = reports.next().expect("the watcher finds it");
        assert!(first.starts_with("wsrt: task ") && first.contains(", spawned at tests/tests/orphans.rs:"), "{first}");
        assert!(first.contains("neither a waker nor a `JoinHandle` or `AbortHandle`"), "{first}");
        writeln!(input).expect("it reads");
        let mut others: Vec<_> = reports.by_ref().take(2).collect();
        others.sort_by_key(|line| !line.contains(" \"second\", "));
        assert!(others[0].contains(" \"second\", spawned at tests/tests/orphans.rs:"), "{others:?}");
        assert!(others.iter().all(|line| !line.contains("more of this spawn site")), "{others:?}");
        drop(input);
        assert_eq!(reports.next(), None);
        assert!(child.wait().expect("it ends").success());
    });
}

#[wsrt::test]
#[should_panic(expected = "nothing is left to wake or end")]
async fn a_test_that_leaves_an_orphan_fails() {
    spawn("left", pending());
    assert_eq!(orphans().await, ["left"]);
}

#[wsrt::test(flavor = "multi_thread", worker_threads = 2)]
#[should_panic(expected = " \"left\", spawned at tests/tests/orphans.rs:")]
async fn a_test_on_several_threads_fails_as_well() {
    drop(spawn("left", pending()));
    while !Handle::current().dump().tasks().iter().any(TaskDump::is_orphan) {
        yield_now().await;
    }
}

#[wsrt::test(configure = |builder| builder.report_orphans(false))]
async fn a_test_may_leave_orphans_on_purpose() {
    spawn("left", pending());
    assert_eq!(orphans().await, ["left"]);
}

#[wsrt::test]
async fn a_test_that_aborts_its_tasks_leaves_none() {
    let task = spawn("aborted", pending());
    yield_now().await;
    task.abort();
    assert!(task.await.expect_err("it is aborted").is_cancelled());
}
