//! A handle is a spawner by futures-task's trait, for libraries that ask for one.

use std::sync::mpsc::channel;

use futures_task::{FutureObj, Spawn};
use wsrt::runtime::Builder;
use wsrt_tests::{LIMIT, within_a_minute};

/// Spawns through the trait alone, as a library does.
fn spawn_boxed(spawner: &dyn Spawn, future: impl Future<Output = ()> + Send + 'static) -> Result<(), bool> {
    spawner.spawn_obj(FutureObj::new(Box::new(future))).map_err(|error| error.is_shutdown())
}

#[test]
fn a_handle_spawns_for_a_library() {
    within_a_minute(|| {
        let runtime = Builder::new_multi_thread().worker_threads(1).build().expect("a runtime");
        let handle = runtime.handle().clone();
        assert!(handle.status().is_ok());
        let (ran, has_run) = channel();
        spawn_boxed(&handle, async move {
            ran.send(wsrt::task::try_id().is_some()).expect("the test waits");
        })
        .expect("the runtime is there");
        assert!(has_run.recv_timeout(LIMIT).expect("it runs"), "as a task");
    });
}

#[test]
fn after_the_end_it_refuses() {
    within_a_minute(|| {
        let runtime = Builder::new_multi_thread().worker_threads(1).build().expect("a runtime");
        let handle = runtime.handle().clone();
        drop(runtime);
        assert!(handle.status().expect_err("it has ended").is_shutdown());
        assert_eq!(spawn_boxed(&handle, async {}), Err(true));
    });
}
