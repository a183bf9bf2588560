//! The root future runs on a processor, as any task does: the tasks that it spawns and wakes stay
//! there.

use std::thread;

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
        let runtime = Builder::new_multi_thread().worker_threads(1).build().expect("a runtime");
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
