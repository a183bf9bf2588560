//! A large future is taken wherever a box with one is: it is not copied from function to function
//! on the stack, in a build without optimisation either.

use std::hint::black_box;
use std::thread;

use wsrt::runtime::{Builder, Handle, LocalRuntime, Runtime};
use wsrt::task::{self, JoinMap, JoinSet, LocalSet, TaskGroup, yield_now};
use wsrt_tests::{in_a_process_of_its_own, text_of, within_a_minute};

const SIZE: usize = 256 * 1024;
/// A future, and the copies of it that the test itself makes, have room in it.
const STACK: usize = 7 * SIZE;

async fn large() -> usize {
    let bytes = [1_u8; SIZE];
    black_box(&bytes);
    yield_now().await;
    bytes.iter().map(|byte| usize::from(*byte)).sum()
}

fn current_thread() -> Runtime {
    Builder::new_current_thread().thread_stack_size(STACK).build().expect("a runtime")
}

/// Runs `body` on a thread whose stack has room for a few copies, in a process that a stack
/// overflow would end.
fn on_a_small_stack(test: &str, body: impl FnOnce() + Send + 'static) {
    let output = in_a_process_of_its_own(test, &[], || {
        within_a_minute(|| {
            let thread = thread::Builder::new().stack_size(STACK).spawn(body).expect("a thread");
            thread.join().expect("no panic");
        });
    });
    text_of(&output);
}

#[test]
fn spawned_in_a_task_by_its_free_functions() {
    on_a_small_stack("spawned_in_a_task_by_its_free_functions", || {
        let runtime = Builder::new_multi_thread().worker_threads(1).thread_stack_size(STACK).build();
        let runtime = runtime.expect("a runtime");
        let spawned = runtime.run(async { wsrt::spawn(large()).await.expect("no panic") });
        assert_eq!(spawned, SIZE);
        let named = runtime.run(async { task::Builder::new().name("large").spawn(large()).await.expect("no panic") });
        assert_eq!(named, SIZE);
        assert_eq!(runtime.run(large()), SIZE);
    });
}

#[test]
fn spawned_by_a_handle_or_a_runtime() {
    on_a_small_stack("spawned_by_a_handle_or_a_runtime", || {
        let runtime = current_thread();
        let task = runtime.spawn(large());
        assert_eq!(runtime.block_on(task).expect("no panic"), SIZE);
        let task = runtime.handle().spawn(large());
        assert_eq!(runtime.block_on(task).expect("no panic"), SIZE);
        let task = task::Builder::new().spawn_on(large(), runtime.handle());
        assert_eq!(runtime.block_on(task).expect("no panic"), SIZE);
    });
}

#[test]
fn waited_for_by_a_thread() {
    on_a_small_stack("waited_for_by_a_thread", || {
        let runtime = current_thread();
        assert_eq!(runtime.block_on(large()), SIZE);
        assert_eq!(runtime.handle().block_on(large()), SIZE);
        assert_eq!(LocalSet::new().block_on(&runtime, large()), SIZE);
        assert_eq!(runtime.block_on(async { Handle::current().block_on(large()) }), SIZE);
    });
}

#[test]
fn spawned_on_this_thread_alone() {
    on_a_small_stack("spawned_on_this_thread_alone", || {
        let (runtime, set) = (current_thread(), LocalSet::new());
        let task = set.spawn_local(large());
        assert_eq!(set.block_on(&runtime, task).expect("no panic"), SIZE);
        let task = task::Builder::new().spawn_local_on(large(), &set);
        assert_eq!(set.block_on(&runtime, task).expect("no panic"), SIZE);
        let spawned = set.block_on(&runtime, async { task::spawn_local(large()).await.expect("no panic") });
        assert_eq!(spawned, SIZE);
        let named = async { task::Builder::new().spawn_local(large()).await.expect("no panic") };
        assert_eq!(runtime.block_on(named), SIZE);
        let runtime = LocalRuntime::new().expect("a runtime");
        let task = runtime.spawn_local(large());
        assert_eq!(runtime.block_on(task).expect("no panic"), SIZE);
    });
}

#[test]
fn spawned_into_sets_maps_and_groups() {
    on_a_small_stack("spawned_into_sets_maps_and_groups", || {
        let runtime = current_thread();
        runtime.block_on(async {
            let mut set = JoinSet::new();
            set.spawn(large());
            assert_eq!(set.join_all().await, [SIZE]);
        });
        runtime.block_on(async {
            let mut set = JoinSet::new();
            set.build_task().spawn(large());
            assert_eq!(set.join_all().await, [SIZE]);
        });
        runtime.block_on(async {
            let mut set = JoinSet::new();
            set.spawn_local(large());
            assert_eq!(set.join_all().await, [SIZE]);
        });
        runtime.block_on(async {
            let mut map = JoinMap::new();
            map.spawn(1, large());
            assert_eq!(map.join_next().await.expect("one task").1.expect("no panic"), SIZE);
        });
        runtime.block_on(async {
            let mut group = TaskGroup::new();
            group.spawn(async { Ok::<_, ()>(large().await) });
            assert_eq!(group.join_all().await, Ok(vec![SIZE]));
        });
        runtime.block_on(async {
            assert_eq!(task::scope(|scope| scope.spawn(large()).join()), Some(SIZE));
        });
    });
}
