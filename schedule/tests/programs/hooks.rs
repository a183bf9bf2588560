//! The user's hooks beside the scheduler's own steps.

use std::sync::{Arc, Mutex};

use wsrt::runtime::{Builder, Handle, PanicAction};
use wsrt::sync::mpsc;
use wsrt::task::yield_now;
use wsrt_schedule::atomic::{AtomicUsize, Ordering::SeqCst};

use crate::support::{Busy, runtime};

/// Threads that fall asleep spawn the tasks that the root waits for: each such task is run, though
/// its thread was on the way to sleep.
pub(crate) fn hooks_that_spawn() {
    const TASKS: usize = 3;
    let place = Arc::new(Mutex::new(None::<Handle>));
    let (theirs, spawned) = (Arc::clone(&place), AtomicUsize::new(0));
    let (sender, mut receiver) = mpsc::unbounded_channel();
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .on_thread_park(move || {
            let Some(handle) = theirs.lock().expect("no thread panics").clone() else { return };
            if spawned.fetch_add(1, SeqCst) < TASKS {
                let sender = sender.clone();
                drop(handle.spawn(async move { sender.send(()) }));
            }
        })
        .build()
        .expect("a runtime");
    *place.lock().expect("no thread panics") = Some(runtime.handle().clone());
    let busy = Busy::from_here();
    runtime.block_on(async {
        // Its thread falls asleep after this.
        wsrt::spawn(yield_now()).await.expect("no panic");
        for _ in 0..TASKS {
            receiver.recv().await.expect("the hook has a sender");
        }
    });
    busy.check();
    // The runtime keeps the hook, and the handle in it would keep the runtime.
    place.lock().expect("no thread panics").take();
}

/// Hooks see each task come and go, whichever way it goes.
pub(crate) fn hooks_of_tasks() {
    let (come, gone) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (comes, goes) = (Arc::clone(&come), Arc::clone(&gone));
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .on_task_spawn(move |_| _ = comes.fetch_add(1, SeqCst))
        .on_task_terminate(move |_| _ = goes.fetch_add(1, SeqCst))
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let panics = wsrt::spawn(async { panic!("in a poll") });
        let aborted = wsrt::spawn(std::future::pending::<()>());
        let beside = wsrt::spawn(yield_now());
        aborted.abort();
        let panics: Result<(), _> = panics.await;
        assert!(panics.expect_err("it panics").is_panic());
        drop((aborted, beside));
    });
    runtime.spawn(std::future::pending::<()>());
    drop(runtime);
    assert_eq!((come.load(SeqCst), gone.load(SeqCst)), (4, 4));
}

/// A panic ends the whole runtime, on the thread of the task; other runtimes go on.
pub(crate) fn a_panic_ends_the_runtime() {
    let ends = Builder::new_multi_thread()
        .worker_threads(2)
        .on_task_panic(|_| PanicAction::ShutDown)
        .build()
        .expect("a runtime");
    let goes_on = runtime(1);
    let waits = ends.spawn(std::future::pending::<()>());
    let panics = ends.spawn(async { panic!("in a poll") });
    goes_on.block_on(async {
        let panics: Result<(), _> = panics.await;
        assert!(panics.expect_err("it panics").is_panic());
        assert!(waits.await.expect_err("its runtime has ended").is_cancelled());
        wsrt::spawn(yield_now()).await.expect("no panic");
    });
    drop(ends);
}
