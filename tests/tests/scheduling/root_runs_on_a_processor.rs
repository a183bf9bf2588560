//! The root future runs on a processor, as any task does: the tasks that it spawns and wakes stay
//! there. A root of the attributes that is not Send runs on the calling thread instead.

use std::panic::catch_unwind;
use std::rc::Rc;
use std::sync::Mutex;
use std::thread::{self, ThreadId};

use wsrt::runtime::Builder;
use wsrt::task;
use wsrt_tests::within_a_minute;

#[test]
fn the_root_of_run_is_a_task_on_a_machine() {
    within_a_minute(|| {
        let runtime =
            Builder::new_multi_thread().worker_threads(2).thread_name("root-machine").build().expect("a runtime");
        let here = thread::current().id();
        runtime.run(async move {
            assert!(task::try_id().is_some(), "the root is a task");
            assert_ne!(thread::current().id(), here, "the calling thread only waits");
            assert_eq!(thread::current().name(), Some("root-machine"));
        });
    });
}

#[test]
fn the_future_of_block_on_stays_on_its_thread() {
    within_a_minute(|| {
        let runtime = Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
        let here = thread::current().id();
        runtime.block_on(async {
            assert_eq!(task::try_id(), None);
            for _ in 0..10 {
                task::yield_now().await;
                assert_eq!(thread::current().id(), here);
            }
        });
    });
}

/// With one processor, the root and its children share it, and each child runs only when the root
/// waits.
#[test]
fn what_the_root_spawns_waits_on_the_same_processor() {
    within_a_minute(|| {
        // Without spares, which would stand in for a root that is kept from its core.
        let mut builder = Builder::new_multi_thread();
        let runtime = builder.worker_threads(1).max_machines(1).build().expect("a runtime");
        runtime.run(async {
            let root = thread::current().id();
            for _ in 0..100 {
                let child = wsrt::spawn(async { thread::current().id() });
                assert!(!child.is_finished(), "nobody else is there to run it");
                assert_eq!(child.await.expect("no panic"), root);
            }
        });
    });
}

#[wsrt::main(worker_threads = 1)]
async fn root_of_the_macro() -> (bool, Option<String>) {
    (task::try_id().is_some(), thread::current().name().map(str::to_owned))
}

#[test]
fn the_root_of_the_macro_runs_on_a_machine() {
    within_a_minute(|| assert_eq!(root_of_the_macro(), (true, Some("wsrt-machine".to_owned()))));
}

/// The thread of the root, its task if it is one, and the thread of a task that it spawned.
type Places = (ThreadId, Option<task::Id>, ThreadId);

#[wsrt::main(worker_threads = 2)]
async fn root_with_an_rc() -> Places {
    let not_send = Rc::new(thread::current().id());
    let child = wsrt::spawn(async { thread::current().id() }).await.expect("no panic");
    assert_eq!(*not_send, thread::current().id(), "it stays where it is");
    (*not_send, task::try_id(), child)
}

#[wsrt::main(worker_threads = 2)]
#[allow(clippy::await_holding_lock)]
async fn root_with_a_guard() -> Places {
    static LOCK: Mutex<u32> = Mutex::new(0);
    let mut guard = LOCK.lock().expect("no test panics with it");
    let child = wsrt::spawn(async { thread::current().id() }).await.expect("no panic");
    *guard += 1;
    (thread::current().id(), task::try_id(), child)
}

#[wsrt::main(worker_threads = 2)]
async fn root_with_a_local_output() -> Rc<Places> {
    let child = wsrt::spawn(async { thread::current().id() }).await.expect("no panic");
    Rc::new((thread::current().id(), task::try_id(), child))
}

#[test]
fn a_root_that_is_not_send_runs_on_this_thread() {
    within_a_minute(|| {
        let here = thread::current().id();
        for (root, id, child) in [root_with_an_rc(), root_with_a_guard(), *root_with_a_local_output()] {
            assert_eq!((root, id), (here, None));
            assert_ne!(child, here, "its tasks run on the processors");
        }
    });
}

#[wsrt::main(worker_threads = 1)]
async fn root_that_panics_here() {
    let not_send = Rc::new("boom");
    task::yield_now().await;
    panic!("{not_send}");
}

#[test]
fn the_panic_of_a_root_on_this_thread_goes_on() {
    within_a_minute(|| {
        let payload = catch_unwind(root_that_panics_here).expect_err("it panics");
        assert_eq!(payload.downcast_ref::<String>().map(String::as_str), Some("boom"));
    });
}

#[wsrt::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_multi_thread_test_need_not_be_send() -> Result<(), Box<dyn std::error::Error>> {
    let not_send = Rc::new(7);
    assert_eq!(wsrt::spawn(async { 7 }).await?, *not_send);
    assert_eq!(task::try_id(), None);
    Ok(())
}

#[wsrt::main(flavor = "current_thread")]
async fn root_on_the_current_thread() -> thread::ThreadId {
    wsrt::spawn(async { thread::current().id() }).await.expect("no panic")
}

#[test]
fn a_current_thread_runtime_stays_on_the_calling_thread() {
    within_a_minute(|| assert_eq!(root_on_the_current_thread(), thread::current().id()));
}

#[wsrt::test(flavor = "multi_thread")]
async fn a_multi_thread_test_is_a_task() {
    assert!(task::try_id().is_some());
}

#[wsrt::test]
async fn a_test_may_hold_what_is_not_send() -> Result<(), task::JoinError> {
    let local = std::rc::Rc::new(7);
    let theirs = std::rc::Rc::clone(&local);
    assert_eq!(task::spawn_local(async move { *theirs }).await?, 7);
    Ok(())
}
