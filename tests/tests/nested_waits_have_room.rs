//! Waits that nest on one thread until its stack has no room for more: a task that blocks there has
//! a panic of its own, and the process goes on.
#![cfg(any(target_os = "linux", target_os = "macos"))]

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::thread;

use wsrt::runtime::{Builder, Handle, Runtime};
use wsrt::sync::Semaphore;
use wsrt::task::{JoinHandle, LocalSet, spawn_local};
use wsrt_tests::{in_a_process_of_its_own, runtime_with, text_of, within_a_minute};

/// More than have room in [`STACK`] bytes.
const TASKS: usize = 3_000;
const STACK: usize = 1024 * 1024;

fn current_thread() -> Runtime {
    Builder::new_current_thread().build().expect("a runtime")
}

/// Tasks of which each blocks until all have begun, so that each runs inside the one before.
struct Herd {
    begun: Arc<AtomicUsize>,
    all_have_begun: Arc<Semaphore>,
}

impl Herd {
    fn new() -> Self {
        Self { begun: Arc::default(), all_have_begun: Arc::new(Semaphore::new(0)) }
    }

    fn task(&self) -> impl Future<Output = ()> + Send + 'static {
        let (begun, all_have_begun) = (Arc::clone(&self.begun), Arc::clone(&self.all_have_begun));
        async move {
            if begun.fetch_add(1, SeqCst) + 1 == TASKS {
                all_have_begun.add_permits(TASKS);
            }
            let acquired = Handle::current().block_on(all_have_begun.acquire());
            acquired.expect("nothing closes it").forget();
        }
    }
}

/// Some of the tasks had room, and the others a panic that says why they had none.
async fn check(tasks: Vec<JoinHandle<()>>) {
    let mut refused = 0;
    for task in tasks {
        if let Err(error) = task.await {
            let panic = error.try_into_panic().expect("nothing cancels it");
            let message = panic.downcast_ref::<&str>().copied().expect("a message");
            assert!(message.contains("its stack has no room for one more"), "{message}");
            refused += 1;
        }
    }
    assert!((1..TASKS - 50).contains(&refused), "{refused} of {TASKS} had no room");
}

/// Runs `body` on a thread with a small stack, in a process that a stack overflow would end.
fn on_a_small_stack(test: &str, body: impl FnOnce() + Send + 'static) {
    let output = in_a_process_of_its_own(test, &[("RUST_BACKTRACE", "0")], || {
        within_a_minute(|| {
            let thread = thread::Builder::new().stack_size(STACK).spawn(body).expect("a thread");
            thread.join().expect("no panic");
        });
    });
    text_of(&output);
}

#[test]
fn on_a_current_thread_runtime() {
    on_a_small_stack("on_a_current_thread_runtime", || {
        let (runtime, herd) = (current_thread(), Herd::new());
        let tasks = (0..TASKS).map(|_| runtime.spawn(herd.task())).collect();
        runtime.block_on(check(tasks));
        assert_eq!(runtime.block_on(runtime.spawn(async { 7 })).expect("no panic"), 7);
    });
}

#[test]
fn in_a_local_set_of_either_kind_of_runtime() {
    on_a_small_stack("in_a_local_set_of_either_kind_of_runtime", || {
        for runtime in [runtime_with(1), current_thread()] {
            let (set, herd) = (LocalSet::new(), Herd::new());
            let tasks = (0..TASKS).map(|_| set.spawn_local(herd.task())).collect();
            set.block_on(&runtime, check(tasks));
            let last = set.block_on(&runtime, async { spawn_local(async { 7 }).await });
            assert_eq!(last.expect("no panic"), 7);
        }
    });
}
