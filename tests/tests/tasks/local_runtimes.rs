//! A local runtime: its tasks stay on the thread that has built it, whatever other threads do.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::mpsc::channel;
use std::thread;

use wsrt::runtime::{Builder, LocalOptions, LocalRuntime, RuntimeFlavor, worker_index};
use wsrt::sync::oneshot;
use wsrt::task::{LocalSet, spawn_local, yield_now};
use wsrt_tests::within_a_minute;

fn runtime() -> LocalRuntime {
    LocalRuntime::new().expect("a runtime")
}

#[test]
fn local_tasks_are_spawned_wherever_its_thread_is_inside() {
    within_a_minute(|| {
        let runtime = runtime();
        let shared = Rc::new(1);
        let theirs = [(); 3].map(|()| Rc::clone(&shared));
        let [one, two, three] = theirs;
        let before = runtime.spawn_local(async move { *one });
        let guarded = {
            let _guard = runtime.enter();
            spawn_local(async move { *two })
        };
        let sum = runtime.block_on(async {
            let inside = spawn_local(async move {
                yield_now().await;
                spawn_local(async move { *three }).await.expect("no panic")
            });
            inside.await.expect("no panic") + before.await.expect("no panic") + guarded.await.expect("no panic")
        });
        assert_eq!((sum, Rc::strong_count(&shared)), (3, 1));
        assert_eq!(runtime.handle().runtime_flavor(), RuntimeFlavor::CurrentThread);
    });
}

#[test]
fn block_on_of_another_thread_only_waits() {
    within_a_minute(|| {
        let runtime = runtime();
        let (home, (sent, received)) = (thread::current().id(), channel());
        let (release, released) = oneshot::channel();
        let local = runtime.spawn_local(async move {
            sent.send(thread::current().id()).expect("the test waits");
            release.send(()).expect("the other thread waits");
        });
        let handle = runtime.handle().clone();
        let other = thread::spawn(move || {
            handle.block_on(async {
                released.await.expect("it is sent");
                assert_eq!(worker_index(), None);
                wsrt::spawn(async { thread::current().id() }).await.expect("no panic")
            })
        });
        runtime.block_on(local).expect("no panic");
        assert_eq!(received.recv(), Ok(home));
        let on_its_own = runtime.block_on(async move {
            while !other.is_finished() {
                yield_now().await;
            }
            other.join().expect("no panic")
        });
        assert_eq!(on_its_own, home);
    });
}

#[test]
fn other_threads_cannot_spawn_local_tasks() {
    within_a_minute(|| {
        let runtime = runtime();
        let handle = runtime.handle().clone();
        let message = thread::spawn(move || {
            let _guard = handle.enter();
            let panic = catch_unwind(AssertUnwindSafe(|| drop(spawn_local(async {})))).expect_err("it is refused");
            panic.downcast_ref::<String>().expect("it has a message").clone()
        });
        let message = message.join().expect("the panic was caught");
        assert!(message.contains("on another thread than that which has built the `LocalRuntime`"), "{message}");
    });
}

#[test]
fn its_drop_drops_local_tasks_at_home() {
    within_a_minute(|| {
        let runtime = runtime();
        let shared = Rc::new(());
        let theirs = Rc::clone(&shared);
        drop(runtime.spawn_local(async move {
            std::future::pending::<()>().await;
            drop(theirs);
        }));
        runtime.block_on(yield_now());
        assert_eq!(Rc::strong_count(&shared), 2);
        drop(runtime);
        assert_eq!(Rc::strong_count(&shared), 1);
    });
}

#[test]
fn a_multi_thread_one_is_an_error() {
    let error = Builder::new_multi_thread().build_local(LocalOptions::default()).expect_err("it is refused");
    assert!(error.to_string().contains("`build_local` needs a current-thread runtime"), "{error}");
}

#[test]
fn sets_and_runtimes_have_ids_of_their_own() {
    let runtime = runtime();
    let sets = [LocalSet::new(), LocalSet::new()];
    assert_ne!(sets[0].id(), sets[1].id());
    assert!(sets.iter().all(|set| set.id() != runtime.handle().id()));
}

#[test]
fn the_driving_thread_has_the_worker() {
    within_a_minute(|| {
        let runtime = runtime();
        let of_task = runtime.spawn_local(async { worker_index() });
        assert_eq!(runtime.block_on(async { (worker_index(), of_task.await.expect("no panic")) }), (Some(0), Some(0)));
        let of_job = runtime.spawn_blocking(worker_index);
        assert_eq!(runtime.block_on(of_job).expect("no panic"), None);
        assert_eq!(worker_index(), None);
    });
}
