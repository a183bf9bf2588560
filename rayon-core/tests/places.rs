//! Where closures run: in the runtime of the caller, in a pool, or in the process-wide pool.

use std::sync::mpsc::channel;
use std::thread;

use rayon_core::{
    ThreadPoolBuilder, broadcast, current_num_threads, current_thread_index, join, join_context, scope, spawn,
};
use wsrt::runtime::{Builder, Runtime};

fn runtime(workers: usize) -> Runtime {
    Builder::new_multi_thread().worker_threads(workers).build().expect("a runtime")
}

#[test]
fn a_call_from_outside_moves_to_the_process_wide_pool() {
    let caller = thread::current().id();
    let (a, b) = join(|| thread::current().id(), || thread::current().id());
    assert!(a != caller && b != caller);
    assert_eq!(join_context(|a| a.migrated(), |b| b.migrated()), (true, true));
    assert_eq!(current_thread_index(), None);
}

#[test]
fn a_call_in_a_task_begins_on_the_tasks_thread() {
    runtime(2).block_on(async {
        let task = wsrt::spawn(async {
            let caller = thread::current().id();
            let (a, _) = join(|| thread::current().id(), || ());
            assert_eq!(a, caller);
            assert_eq!(scope(|_| thread::current().id()), caller);
            assert_eq!(current_num_threads(), 2);
        });
        task.await.expect("no panic");
    });
}

#[test]
fn idle_processors_help_a_task() {
    runtime(2).block_on(async {
        let task = wsrt::spawn(async {
            let (sender, receiver) = channel();
            // The first one waits for the other, which only another thread can run.
            join(move || receiver.recv().expect("it is sent"), move || sender.send(()).expect("it is received"));
        });
        task.await.expect("no panic");
    });
}

#[test]
fn a_pool_in_a_task_has_threads_of_its_own() {
    let pool = ThreadPoolBuilder::new().num_threads(3).build().expect("a pool");
    runtime(2).block_on(async move {
        let task = wsrt::spawn(async move {
            let caller = thread::current().id();
            assert_ne!(pool.install(|| thread::current().id()), caller);
            assert_eq!(pool.install(current_num_threads), 3);
            assert!(pool.install(current_thread_index).is_some_and(|index| index < 3));
        });
        task.await.expect("no panic");
    });
}

#[test]
fn a_current_thread_runtime_has_the_process_wide_pool_compute() {
    let runtime = Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async {
        let caller = thread::current().id();
        assert_ne!(join(|| thread::current().id(), || ()).0, caller);
    });
}

#[test]
fn a_thread_outside_of_pools_has_no_index() {
    assert_eq!(wsrt::parallel::scope(|_| current_thread_index()), None);
}

#[test]
fn a_call_stays_in_its_runtime_beside_another_one() {
    let (first, second) = (runtime(3), runtime(2));
    first.block_on(async move {
        let task = wsrt::spawn(async move {
            scope(|_| {
                let _entered = second.enter();
                assert_eq!(current_num_threads(), 3);
                assert_eq!(broadcast(|context| context.num_threads()), [3; 3]);
            });
            wsrt::task::spawn_blocking(|| drop(second)).await
        });
        task.await.expect("no panic").expect("no panic");
    });
}

#[test]
fn a_spawned_closure_of_a_task_runs() {
    runtime(1).block_on(async {
        let (sender, receiver) = wsrt::sync::oneshot::channel();
        spawn(move || sender.send(1 + 1).expect("it is received"));
        assert_eq!(receiver.await, Ok(2));
    });
}
