//! The futures that a shutdown drops run their destructors inside the runtime, on whichever thread
//! that is.

use std::future::{Future, pending};
use std::pin::pin;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::task::{Context, Waker};
use std::thread;
use std::time::Duration;

use wsrt::runtime::{Builder, Handle, Runtime};
use wsrt::task::{JoinHandle, spawn_blocking, spawn_local};
use wsrt::time::sleep;
use wsrt_tests::{LIMIT, in_a_process_of_its_own, text_of, two_processors, within_a_minute};

fn current_thread() -> Runtime {
    Builder::new_current_thread().build().expect("a runtime")
}

/// A destructor's findings: the handles of the tasks that it has spawned.
struct Found {
    task: JoinHandle<()>,
    job: JoinHandle<()>,
}

/// Uses the runtime in its drop.
struct Spawner(Sender<Found>);

impl Drop for Spawner {
    fn drop(&mut self) {
        let task = wsrt::spawn(pending::<()>());
        let job = spawn_blocking(|| {});
        let also = Handle::current().spawn(pending::<()>());
        let mut wait = pin!(sleep(Duration::from_secs(3_600)));
        assert!(wait.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        assert!(also.is_finished() && job.is_finished(), "they are cancelled at once");
        let _ = self.0.send(Found { task, job });
    }
}

/// A task that waits, and the news of its destructor.
async fn waiting(found: Sender<Found>, began: Sender<()>) {
    let _spawner = Spawner(found);
    began.send(()).expect("the test waits");
    pending::<()>().await;
}

/// The task was cancelled, and so are the tasks that its destructor has spawned.
#[track_caller]
fn assert_cancelled<T>(task: JoinHandle<T>, found: &Receiver<Found>) {
    let other = current_thread();
    let error = other.block_on(task).err().expect("it never ended by itself");
    assert!(error.is_cancelled(), "{error}");
    let Found { task, job } = found.try_recv().expect("the destructor has run to its end");
    assert!(other.block_on(task).expect_err("nothing is run any more").is_cancelled());
    assert!(other.block_on(job).expect_err("nothing is run any more").is_cancelled());
}

/// The destructor runs on the thread that ends the runtime, mostly.
fn ended_by(runtime: Runtime, end: impl FnOnce(Runtime)) {
    let ((found, is_found), (began, has_begun)) = (channel(), channel());
    let task = runtime.spawn(waiting(found, began));
    runtime.block_on(wsrt::task::yield_now());
    has_begun.recv_timeout(LIMIT).expect("the task waits");
    end(runtime);
    assert_cancelled(task, &is_found);
}

fn destructors_on_the_thread_that_drops() {
    ended_by(two_processors(), drop);
    ended_by(current_thread(), drop);
    ended_by(current_thread(), Runtime::shutdown_background);
    ended_by(two_processors(), |runtime| thread::spawn(move || drop(runtime)).join().expect("no panic"));
    let other = two_processors();
    ended_by(two_processors(), |runtime| {
        let _inside_another = other.enter();
        drop(runtime);
    });
}

/// The poll is under way when the shutdown begins, so that its own thread drops the future.
fn destructors_on_a_machine() {
    for runtime in [two_processors(), current_thread()] {
        let ((found, is_found), (began, has_begun)) = (channel(), channel());
        let (release, released) = channel::<()>();
        let task = runtime.spawn(async move {
            let _spawner = Spawner(found);
            began.send(()).expect("the test waits");
            assert!(released.recv_timeout(LIMIT).is_err(), "nothing is sent");
            pending::<()>().await;
        });
        let (handle, driven) = (runtime.handle().clone(), runtime.spawn(pending::<()>()));
        let driver = thread::spawn(move || handle.block_on(driven).expect_err("it never ends").is_cancelled());
        has_begun.recv_timeout(LIMIT).expect("the poll begins");
        runtime.shutdown_background();
        drop(release);
        assert!(driver.join().expect("no panic"));
        await_finished(&task);
        assert_cancelled(task, &is_found);
    }
}

/// A task that nothing has polled yet, and a blocking job that no thread has begun.
fn destructors_of_what_has_not_begun() {
    let runtime = Builder::new_current_thread().max_blocking_threads(1).build().expect("a runtime");
    let ((found, is_found), (began, has_begun)) = (channel(), channel());
    let (release, released) = channel::<()>();
    let first = runtime.spawn_blocking(move || {
        began.send(()).expect("the test waits");
        assert!(released.recv_timeout(LIMIT).is_err(), "nothing is sent");
    });
    has_begun.recv_timeout(LIMIT).expect("the job begins");
    let spawner = Spawner(found.clone());
    let task = runtime.spawn(async move { drop(spawner) });
    let spawner = Spawner(found);
    let job = runtime.spawn_blocking(move || drop(spawner));
    runtime.shutdown_background();
    assert_cancelled(job, &is_found);
    assert_cancelled(task, &is_found);
    drop(release);
    current_thread().block_on(first).expect("it had begun");
}

fn destructors_of_local_tasks() {
    let runtime = current_thread();
    let ((found, is_found), (began, _has_begun)) = (channel(), channel());
    let mut task = None;
    runtime.block_on(async {
        task = Some(spawn_local(waiting(found, began)));
        wsrt::task::yield_now().await;
    });
    let task = task.expect("it is spawned");
    drop(runtime);
    assert_cancelled(task, &is_found);
}

/// The thread that drops the runtime is about to end, and its thread-locals with it.
fn destructors_in_a_thread_local() {
    struct Owner(Option<Runtime>);
    impl Drop for Owner {
        fn drop(&mut self) {
            drop(self.0.take());
        }
    }
    thread_local! {
        static OWNER: std::cell::RefCell<Owner> = const { std::cell::RefCell::new(Owner(None)) };
    }
    for runtime in [two_processors(), current_thread()] {
        let ((found, is_found), (began, has_begun)) = (channel(), channel());
        let task = runtime.spawn(waiting(found, began));
        runtime.block_on(wsrt::task::yield_now());
        has_begun.recv_timeout(LIMIT).expect("the task waits");
        let ending = thread::spawn(move || OWNER.with(|owner| owner.borrow_mut().0 = Some(runtime)));
        ending.join().expect("no panic");
        await_finished(&task);
        assert_cancelled(task, &is_found);
    }
}

fn destructors_while_unwinding() {
    for runtime in [two_processors(), current_thread()] {
        let ((found, is_found), (began, has_begun)) = (channel(), channel());
        let task = runtime.spawn(waiting(found, began));
        runtime.block_on(wsrt::task::yield_now());
        has_begun.recv_timeout(LIMIT).expect("the task waits");
        let unwinding = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
            let _runtime = runtime;
            std::panic::resume_unwind(Box::new("on purpose"));
        }));
        unwinding.expect_err("it unwinds");
        assert_cancelled(task, &is_found);
    }
}

fn await_finished<T>(task: &JoinHandle<T>) {
    while !task.is_finished() {
        thread::yield_now();
    }
}

const WAYS: [(&str, fn()); 6] = [
    ("on the thread that drops", destructors_on_the_thread_that_drops),
    ("on a machine", destructors_on_a_machine),
    ("of what has not begun", destructors_of_what_has_not_begun),
    ("of local tasks", destructors_of_local_tasks),
    ("in a thread-local", destructors_in_a_thread_local),
    ("while unwinding", destructors_while_unwinding),
];

#[test]
fn destructors_at_a_shutdown_are_inside_the_runtime() {
    for (way, body) in WAYS {
        eprintln!("{way}");
        within_a_minute(body);
    }
}

/// In a process of its own, whose standard error is looked at.
#[test]
fn destructors_at_a_shutdown_print_nothing() {
    let test = "destructors_at_a_shutdown_print_nothing";
    // A poll that waits for another thread is no stall, however long that is kept from its core.
    let environment = [("WSRT_STALL_MS", "0")];
    let body = || WAYS.iter().for_each(|(_, body)| within_a_minute(body));
    let output = in_a_process_of_its_own(test, &environment, body);
    assert!(output.status.success(), "{}", text_of(&output));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.is_empty(), "{said}");
}
