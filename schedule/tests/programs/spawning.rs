//! Trees of tasks that are spawned, woken and joined.

use wsrt::runtime::{Builder, Runtime};

pub(crate) fn runtime(processors: usize) -> Runtime {
    Builder::new_multi_thread().worker_threads(processors).build().expect("the system has descriptors and threads")
}

/// One task that joins another, on two processors.
pub(crate) fn spawn_and_join() {
    let runtime = runtime(2);
    let sum = runtime.block_on(async {
        let tasks: Vec<_> = (0..3).map(|number| wsrt::spawn(async move { number })).collect();
        let mut sum = 0;
        for task in tasks {
            sum += task.await.expect("it does not panic");
        }
        sum
    });
    assert_eq!(sum, 3);
}
