//! Runtimes that end: dropped, drained, in the background, by their own tasks.

use std::future::pending;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use wsrt::runtime::{Builder, Handle, Runtime};
use wsrt::sync::{Barrier, mpsc, oneshot};
use wsrt::task::{spawn_blocking, yield_now};
use wsrt::time::{Instant, sleep};
use wsrt_schedule::atomic::{AtomicUsize, Ordering::SeqCst};
use wsrt_schedule::thread;

use crate::support::{Busy, Gate, Ledger, current_thread, runtime};

/// Tasks everywhere: queued, asleep, in channels, in timers, and in the middle of polls.
fn populate(runtime: &Runtime, ledger: &Ledger) {
    let (sender, mut receiver) = mpsc::channel::<()>(1);
    let entries: Vec<_> = (0..6).map(|_| ledger.entry()).collect();
    let [a, b, c, d, e, f] = entries.try_into().unwrap_or_else(|_| unreachable!("there are six"));
    runtime.spawn(async move {
        let _entry = a;
        receiver.recv().await;
    });
    runtime.spawn(async move {
        let _entry = b;
        sleep(Duration::from_secs(3_600)).await;
        drop(sender);
    });
    runtime.spawn(async move {
        let _entry = c;
        loop {
            yield_now().await;
        }
    });
    let inner = wsrt::sync::Notify::new();
    runtime.spawn(async move {
        let _entry = d;
        wsrt::spawn(async move {
            let _entry = e;
            inner.notified().await;
        });
        pending::<()>().await;
    });
    runtime.spawn_blocking(move || drop(f));
}

/// Each task is dropped once, wherever it is.
pub(crate) fn drop_everywhere() {
    let ledger = Ledger::default();
    let runtime = runtime(2);
    populate(&runtime, &ledger);
    drop(runtime);
    ledger.assert_balanced();
}

/// The end comes while threads outside spawn and wait.
pub(crate) fn drop_beside_spawners() {
    let ledger = Ledger::default();
    let runtime = runtime(1);
    let handle = runtime.handle().clone();
    let entry = ledger.entry();
    let outside = thread::spawn(move || {
        for _ in 0..2 {
            handle.spawn(yield_now());
        }
        let task = handle.spawn(async move {
            let _entry = entry;
            pending::<()>().await
        });
        assert!(handle.block_on(task).expect_err("it never ends").is_cancelled());
    });
    drop(runtime);
    outside.join().expect("no panic");
    ledger.assert_balanced();
}

/// A blocking job sits in `block_on` of a timer that is an hour away while the runtime is dropped.
pub(crate) fn drop_beside_a_nested_wait() {
    let runtime = runtime(1);
    let gate = Gate::default();
    let theirs = gate.clone();
    let job = runtime.spawn_blocking(move || {
        theirs.open();
        Handle::current().block_on(sleep(Duration::from_secs(3_600)));
    });
    gate.wait();
    let began = wsrt_schedule::time::now();
    drop(runtime);
    let took = wsrt_schedule::time::now() - began;
    assert!(took < Duration::from_secs(60), "the end waited for {took:?}");
    drop(job);
}

/// A poll queues a task as the runtime ends, and waits for the task's end in a way that the runtime
/// does not see: all other threads may have departed before the task is queued.
pub(crate) fn waits_unannounced_at_the_end() {
    let runtime = runtime(2);
    let (started, ended) = (Gate::default(), Gate::default());
    let ours = started.clone();
    runtime.spawn(async move {
        let opens = OpensOnDrop(ended.clone());
        ours.open();
        drop(wsrt::spawn(async move {
            let _opens = opens;
            pending::<()>().await;
        }));
        ended.wait();
    });
    started.wait();
    drop(runtime);
}

struct OpensOnDrop(Gate);

impl Drop for OpensOnDrop {
    fn drop(&mut self) {
        self.0.open();
    }
}

/// A runtime that ends in the background, inside its own task.
pub(crate) fn ends_in_its_own_task() {
    let ledger = Ledger::default();
    let runtime = if wsrt_schedule::seed() % 2 == 0 { current_thread() } else { runtime(1) };
    populate(&runtime, &ledger);
    let handle = runtime.handle().clone();
    let entry = ledger.entry();
    handle.block_on(async move {
        let task = wsrt::spawn(async move {
            let _entry = entry;
            runtime.shutdown_background();
        });
        let _ = task.await;
    });
    // Its threads end before the schedule does: then all is dropped.
    drop(handle);
}

/// A runtime dropped in a `block_on` in one of its own tasks says so, and ends.
pub(crate) fn dropped_in_a_nested_wait() {
    let runtime = runtime(1);
    let handle = runtime.handle().clone();
    let (tell, told) = oneshot::channel();
    handle.spawn(async move {
        Handle::current().block_on(async move {
            let end = catch_unwind(AssertUnwindSafe(|| drop(runtime)));
            let _ = tell.send(end.is_err());
        });
    });
    assert_eq!(told.blocking_recv(), Ok(true));
}

/// A drain waits for the tasks that end, and says which did not.
pub(crate) fn drains() {
    let (ledger, runtime) = (Ledger::default(), runtime(2));
    let entry = ledger.entry();
    for _ in 0..2 {
        runtime.spawn(async {
            yield_now().await;
            let follow_up = wsrt::spawn(yield_now());
            let _ = follow_up.await;
        });
    }
    runtime.spawn(async move {
        let _entry = entry;
        sleep(Duration::from_millis(1)).await;
    });
    let drained = runtime.drain(Instant::now() + Duration::from_secs(3_600));
    assert!(drained.is_complete());
    ledger.assert_balanced();
    drop(runtime);
}

/// Tasks drain their runtime at once: all are over when the other task has ended, and not when the
/// first of them ends.
pub(crate) fn drains_at_once() {
    let runtime = runtime(2);
    let busy = Busy::from_here();
    let (all_are_spawned, all_are_over) = (Arc::new(Barrier::new(3)), Arc::new(Barrier::new(2)));
    let drains = [(); 2].map(|()| {
        let (all_are_spawned, all_are_over) = (Arc::clone(&all_are_spawned), Arc::clone(&all_are_over));
        runtime.spawn(async move {
            all_are_spawned.wait().await;
            let drained = Handle::current().drain(Instant::now() + Duration::from_secs(3_600)).await;
            assert!(drained.is_complete(), "{drained}");
            all_are_over.wait().await;
        })
    });
    drop(runtime.spawn(async move { _ = all_are_spawned.wait().await }));
    for drain in drains {
        runtime.block_on(drain).expect("no panic");
    }
    busy.check();
}

/// `shutdown_timeout` returns in time although a poll does not.
pub(crate) fn ends_within_a_time() {
    let runtime = runtime(1);
    let (gate, begun) = (Gate::default(), Gate::default());
    let (theirs, told) = (gate.clone(), begun.clone());
    runtime.spawn(async move {
        told.open();
        theirs.wait();
    });
    begun.wait();
    let began = wsrt_schedule::time::now();
    runtime.shutdown_timeout(Duration::from_millis(10));
    let took = wsrt_schedule::time::now() - began;
    assert!(took < Duration::from_secs(10), "it took {took:?}");
    gate.open();
}

/// Results of jobs that had begun are there after the end.
pub(crate) fn jobs_end_with_results() {
    let runtime = runtime(1);
    let begun = Gate::default();
    let told = begun.clone();
    let job = runtime.spawn_blocking(move || {
        told.open();
        thread::yield_now();
        7
    });
    begun.wait();
    drop(runtime);
    let waiting = current_thread();
    assert_eq!(waiting.block_on(job).expect("it had begun"), 7);
}

/// The pool is refused its only thread at any moment of the end, which waits for the job.
pub(crate) fn refused_at_the_end() {
    let (ledger, asked) = (Ledger::default(), AtomicUsize::new(0));
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name_fn(move || {
            let number = asked.fetch_add(1, SeqCst);
            // The system takes its time to refuse one.
            (0..wsrt_schedule::seed() % 64 * number.min(1) as u64).for_each(|_| _ = asked.load(SeqCst));
            assert_eq!(number, 0, "no thread");
            String::new()
        })
        .build()
        .expect("the first is granted");
    let jobs = [ledger.entry(), ledger.entry()].map(|entry| {
        let handle = runtime.handle().clone();
        thread::spawn(move || handle.spawn_blocking(move || drop(entry)))
    });
    drop(runtime);
    for job in jobs {
        assert!(job.join().expect("no panic").is_finished(), "it is done, or cancelled");
    }
    ledger.assert_balanced();
}

/// Runtimes are dropped inside another one: by a job, by a task, and with a task that is
/// aborted.
pub(crate) fn dropped_inside_another() {
    let (outer, ledger) = (runtime(1), Ledger::default());
    let inner = [runtime(1), current_thread(), runtime(1)];
    for runtime in &inner {
        let entry = ledger.entry();
        runtime.spawn(async move {
            let _entry = entry;
            pending::<()>().await;
        });
    }
    let [first, second, third] = inner;
    outer.block_on(async {
        let job = spawn_blocking(move || drop(first));
        let task = wsrt::spawn(async move { drop(second) });
        let aborted = wsrt::spawn(async move {
            let _third = third;
            pending::<()>().await;
        });
        yield_now().await;
        aborted.abort();
        job.await.expect("no panic");
        task.await.expect("no panic");
        let _ = aborted.await;
    });
    ledger.assert_balanced();
}
