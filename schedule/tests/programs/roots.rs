//! Threads in `block_on` that come and leave, and calls that block in tasks.

use std::sync::Arc;
use std::time::Duration;

use wsrt::runtime::{Builder, Handle};
use wsrt::sync::oneshot;
use wsrt::task::{block_in_place, spawn_blocking, yield_now};
use wsrt_schedule::atomic::{AtomicUsize, Ordering::SeqCst};
use wsrt_schedule::thread;

use crate::support::{Busy, Gate, current_thread, runtime};

/// Threads drive a current-thread runtime in turn; each waits for a task of another's.
pub(crate) fn drivers_come_and_leave() {
    let runtime = Arc::new(current_thread());
    let busy = Busy::from_here();
    let (give, take): (Vec<_>, Vec<_>) = (0..3).map(|_| oneshot::channel::<()>()).unzip();
    let threads: Vec<_> = give
        .into_iter()
        .zip(take)
        .map(|(give, take)| {
            let runtime = Arc::clone(&runtime);
            thread::spawn(move || {
                runtime.block_on(async move {
                    wsrt::spawn(async move {
                        yield_now().await;
                        give.send(()).expect("the root waits");
                    });
                    take.await.expect("the task runs");
                });
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().expect("no panic"));
    busy.check();
}

/// Tasks that block until other tasks run, on one processor: it is handed over.
pub(crate) fn blocks_in_place() {
    let runtime = runtime(1);
    let gate = Gate::default();
    runtime.block_on(async {
        let theirs = gate.clone();
        let waits = wsrt::spawn(async move { block_in_place(|| theirs.wait()) });
        wsrt::spawn(async move { gate.open() }).await.expect("no panic");
        waits.await.expect("no panic");
    });
}

/// A task blocks its thread, and tells no one: the watcher puts in a spare processor.
pub(crate) fn blocks_unannounced() {
    let runtime = runtime(1);
    let gate = Gate::default();
    runtime.block_on(async {
        let theirs = gate.clone();
        let waits = wsrt::spawn(async move { theirs.wait() });
        wsrt::spawn(async move { gate.open() }).await.expect("no panic");
        waits.await.expect("no panic");
        // The spare leaves again.
        wsrt::spawn(yield_now()).await.expect("no panic");
    });
}

/// `block_on` inside tasks, to some depth.
pub(crate) fn block_on_in_tasks() {
    let runtime = runtime(1);
    let task = runtime.spawn(async {
        Handle::current()
            .block_on(async { wsrt::spawn(async { Handle::current().block_on(wsrt::spawn(yield_now())) }).await })
    });
    runtime.block_on(task).expect("no panic").expect("no panic").expect("no panic");
}

/// Blocking jobs whose threads come, go and come again.
pub(crate) fn blocking_jobs() {
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .max_blocking_threads(2)
        .thread_keep_alive(Duration::from_micros(50))
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        for _ in 0..2 {
            let jobs: Vec<_> = (0..3).map(|number| spawn_blocking(move || number)).collect();
            for (number, job) in jobs.into_iter().enumerate() {
                assert_eq!(job.await.expect("no panic"), number);
            }
        }
    });
}

/// Machines that the hand-overs started end, and are started again.
pub(crate) fn machines_come_and_go() {
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .thread_keep_alive(Duration::from_micros(50))
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        for _ in 0..2 {
            let task = wsrt::spawn(async { Handle::current().block_on(wsrt::spawn(yield_now())) });
            task.await.expect("no panic").expect("no panic");
        }
    });
}

/// The system refuses threads now and then: jobs and tasks are run all the same.
pub(crate) fn threads_are_refused() {
    let asked = AtomicUsize::new(0);
    let refused = wsrt_schedule::seed() as usize % 6;
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name_fn(move || {
            let number = asked.fetch_add(1, SeqCst);
            assert!(number == 0 || number % 6 != refused, "no thread");
            String::new()
        })
        .build()
        .expect("the first is granted");
    runtime.block_on(async {
        let gate = Gate::default();
        let jobs: Vec<_> = (0..2).map(|_| spawn_blocking(|| ())).collect();
        let theirs = gate.clone();
        let waits = spawn_blocking(move || theirs.wait());
        let opens = spawn_blocking(move || gate.open());
        for job in jobs.into_iter().chain([opens, waits]) {
            job.await.expect("no panic");
        }
    });
}

/// Machines beyond the processors stay for ever, and sleep for so long.
pub(crate) fn machines_stay_for_ever() {
    let runtime =
        Builder::new_multi_thread().worker_threads(1).thread_keep_alive(Duration::MAX).build().expect("a runtime");
    runtime.block_on(async {
        let task = wsrt::spawn(async { Handle::current().block_on(yield_now()) });
        task.await.expect("no panic");
        wsrt::time::sleep(Duration::from_millis(1)).await;
    });
}

/// The thread that is called for a task waits in its hook for that very task.
pub(crate) fn hooks_that_wait() {
    let gate = Gate::default();
    let (theirs, is_first) = (gate.clone(), AtomicUsize::new(0));
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .on_thread_start(move || {
            if is_first.fetch_add(1, SeqCst) == 0 {
                theirs.wait();
            }
        })
        .build()
        .expect("a runtime");
    let busy = Busy::from_here();
    runtime.block_on(async { wsrt::spawn(async move { gate.open() }).await.expect("no panic") });
    busy.check();
}

/// Calls that block in tasks have no more threads than there may be.
pub(crate) fn threads_are_limited() {
    let (alive, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (started, ended, highest) = (Arc::clone(&alive), Arc::clone(&alive), Arc::clone(&most));
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .max_machines(2)
        .on_thread_start(move || {
            highest.fetch_max(started.fetch_add(1, SeqCst) + 1, SeqCst);
        })
        .on_thread_stop(move || {
            ended.fetch_sub(1, SeqCst);
        })
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let tasks: Vec<_> = (0..3).map(|_| wsrt::spawn(async { Handle::current().block_on(yield_now()) })).collect();
        for task in tasks {
            task.await.expect("no panic");
        }
    });
    assert!(most.load(SeqCst) <= 2, "{} threads ran tasks", most.load(SeqCst));
}

/// A second thread is refused while the first has become idle, and a job has come that was left to
/// the second: the first is called. No watcher asks again on a current-thread runtime, and no
/// keep-alive ends.
pub(crate) fn refused_beside_an_idle_thread() {
    let asked = AtomicUsize::new(0);
    let runtime = Builder::new_current_thread()
        .thread_keep_alive(Duration::MAX)
        .thread_name_fn(move || {
            let number = asked.fetch_add(1, SeqCst);
            // The system takes its time to refuse one.
            (0..10 * number.min(1)).for_each(|_| _ = asked.load(SeqCst));
            assert_eq!(number, 0, "no thread");
            String::new()
        })
        .build()
        .expect("a runtime");
    let first = runtime.spawn_blocking(|| ());
    let handle = runtime.handle().clone();
    let beside = thread::spawn(move || handle.block_on(handle.spawn_blocking(|| ())).expect("no panic"));
    let last = runtime.spawn_blocking(|| ());
    runtime.block_on(async {
        first.await.expect("no panic");
        last.await.expect("no panic");
    });
    beside.join().expect("no panic");
}

/// A root is woken while its thread is on the list of the idle, and waits inside the poll. The
/// thread leaves nothing on the list: a task that is spawned later gets the processor.
pub(crate) fn roots_woken_on_the_list() {
    const WAITS: usize = 4;
    let runtime = current_thread();
    let handle = runtime.handle().clone();
    let (senders, receivers): (Vec<_>, Vec<_>) = (0..WAITS).map(|_| oneshot::channel()).unzip();
    let outside =
        thread::spawn(move || senders.into_iter().for_each(|sender| sender.send(()).expect("the root waits")));
    runtime.block_on(async {
        for (number, receiver) in receivers.into_iter().enumerate() {
            let received = if number % 2 == 0 { receiver.await } else { handle.block_on(receiver) };
            received.expect("it is sent");
        }
    });
    outside.join().expect("no panic");
    let task = runtime.spawn(yield_now());
    let later = thread::spawn(move || runtime.block_on(task).expect("no panic"));
    later.join().expect("no panic");
}
