//! Runtimes that shrink and grow while there is work.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use wsrt::runtime::{Builder, Handle, Runtime};
use wsrt::sync::oneshot;
use wsrt::task::{block_in_place, yield_now};
use wsrt::time::sleep;
use wsrt_schedule::{Mutex, thread, time};

use crate::support::{Busy, Gate, Ledger, runtime};

const MILLISECOND: Duration = Duration::from_millis(1);

/// Sets one number after the other from outside, while `meanwhile` runs.
fn resized(runtime: &Runtime, numbers: &'static [usize], meanwhile: impl FnOnce()) {
    let handle = runtime.handle().clone();
    let resizer = thread::spawn(move || {
        for &number in numbers {
            handle.resize(number).expect("there is room");
        }
    });
    meanwhile();
    resizer.join().expect("no panic");
}

/// The rings of processors that go are full of tasks, which wake others; each task ends.
pub(crate) fn shrinks_beside_tasks() {
    let runtime = runtime(3);
    let busy = Busy::from_here();
    resized(&runtime, &[1, 3, 2], || {
        runtime.block_on(async {
            let tasks: Vec<_> = (0..4)
                .map(|number| {
                    wsrt::spawn(async move {
                        let (give, take) = oneshot::channel();
                        let inner = wsrt::spawn(async move {
                            yield_now().await;
                            give.send(number).expect("the outer one waits");
                        });
                        assert_eq!(take.await.expect("it sends"), number);
                        inner.await.expect("no panic");
                    })
                })
                .collect();
            for task in tasks {
                task.await.expect("no panic");
            }
        });
    });
    busy.check();
    assert_eq!(runtime.metrics().num_workers(), 2);
}

/// A task resizes its own runtime, and goes on, on a processor that may have to go.
pub(crate) fn resizes_in_tasks() {
    let runtime = runtime(2);
    let busy = Busy::from_here();
    runtime.block_on(async {
        let tasks: Vec<_> = [1, 3, 2]
            .into_iter()
            .map(|number| {
                wsrt::spawn(async move {
                    Handle::current().resize(number).expect("there is room");
                    wsrt::spawn(yield_now()).await.expect("no panic");
                })
            })
            .collect();
        for task in tasks {
            task.await.expect("no panic");
        }
    });
    busy.check();
}

/// Processors go with timers on them, while the poll owner sleeps, and come back; timers from
/// outside go to all.
pub(crate) fn shrinks_beside_timers() {
    let runtime = runtime(3);
    let idle = time::idle();
    resized(&runtime, &[1, 2, 1, 3], || {
        runtime.block_on(async {
            let tasks: Vec<_> = (1..4).map(|number| wsrt::spawn(sleep(number * MILLISECOND))).collect();
            sleep(MILLISECOND).await;
            for task in tasks {
                task.await.expect("no panic");
            }
        });
    });
    let idle = time::idle() - idle;
    assert!(idle < 6 * MILLISECOND, "all threads slept for {idle:?}");
}

/// One processor is left, and its task blocks until another runs: it hands over, or a spare comes.
pub(crate) fn shrinks_beside_blocked_polls() {
    let runtime = runtime(2);
    let (announced, unannounced) = (Gate::default(), Gate::default());
    resized(&runtime, &[1, 2, 1], || {
        runtime.block_on(async {
            let (one, other) = (announced.clone(), unannounced.clone());
            let waits =
                [wsrt::spawn(async move { block_in_place(|| one.wait()) }), wsrt::spawn(async move { other.wait() })];
            let opens = wsrt::spawn(async move {
                announced.open();
                Handle::current().block_on(wsrt::spawn(yield_now())).expect("no panic");
                unannounced.open();
            });
            opens.await.expect("no panic");
            for wait in waits {
                wait.await.expect("no panic");
            }
        });
    });
}

/// The runtime ends while it is resized: each task is dropped once, each thread ends.
pub(crate) fn ends_while_resized() {
    let ledger = Ledger::default();
    let runtime = runtime(2);
    for _ in 0..3 {
        let entry = ledger.entry();
        runtime.spawn(async move {
            let _entry = entry;
            loop {
                yield_now().await;
            }
        });
    }
    let handle = runtime.handle().clone();
    let resizer = thread::spawn(move || {
        for number in [1, 3, 1, 2] {
            handle.resize(number).expect("there is room");
        }
    });
    drop(runtime);
    resizer.join().expect("no panic");
    ledger.assert_balanced();
}

/// A drain waits for tasks on processors that go meanwhile.
pub(crate) fn drains_while_resized() {
    let runtime = runtime(3);
    for number in 1..4 {
        runtime.spawn(async move {
            yield_now().await;
            wsrt::spawn(sleep(number * MILLISECOND));
        });
    }
    resized(&runtime, &[1, 3, 1], || {
        let drained = runtime.drain(wsrt::time::Instant::now() + Duration::from_secs(30));
        assert!(drained.left.is_empty(), "each task ends");
    });
}

/// There is room for no third processor where one of the two is on its way. The counts are right
/// afterwards: a spare comes for a task that blocks its thread, and stays.
pub(crate) fn resizes_without_room() {
    let runtime = Builder::new_multi_thread().worker_threads(2).max_machines(2).build().expect("a runtime");
    let busy = Busy::from_here();
    resized(&runtime, &[1, 2, 1, 2, 1], || {
        runtime.block_on(async {
            let tasks: Vec<_> = (0..3)
                .map(|_| {
                    wsrt::spawn(async {
                        for _ in 0..4 {
                            yield_now().await;
                        }
                    })
                })
                .collect();
            for task in tasks {
                task.await.expect("no panic");
            }
        });
    });
    busy.check();
    let gate = Gate::default();
    runtime.block_on(async {
        let theirs = gate.clone();
        let waits = wsrt::spawn(async move { theirs.wait() });
        wsrt::spawn(async move { gate.open() }).await.expect("no panic");
        waits.await.expect("no panic");
    });
}

/// A wait for a timer begins while the runtime ends and grows: it fails, on each processor.
pub(crate) fn waits_end_while_resized() {
    let runtime = runtime(1);
    let threads = [2, 4].map(|number| {
        let handle = runtime.handle().clone();
        thread::spawn(move || {
            handle.resize(number).expect("there is room");
            let wait = AssertUnwindSafe(|| handle.block_on(sleep(Duration::from_secs(3_600))));
            assert!(catch_unwind(wait).is_err(), "nothing ends it but the runtime");
        })
    });
    let began = time::now();
    drop(runtime);
    threads.into_iter().for_each(|thread| thread.join().expect("no panic"));
    let took = time::now() - began;
    assert!(took < Duration::from_secs(60), "the waits took {took:?}");
}

/// The name of a thread that a resize asks for takes another resize.
pub(crate) fn names_that_resize() {
    let asks = Arc::new(Mutex::new(None::<Handle>));
    let is_asked = Arc::clone(&asks);
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name_fn(move || {
            let handle = is_asked.lock().take();
            handle.into_iter().for_each(|handle| handle.resize(3).expect("there is room"));
            String::new()
        })
        .build()
        .expect("a runtime");
    let task = runtime.spawn(async move {
        let waiting = [(); 3].map(|()| wsrt::spawn(yield_now()));
        *asks.lock() = Some(Handle::current());
        Handle::current().resize(2).expect("there is room");
        for task in waiting {
            task.await.expect("no panic");
        }
        asks.lock().take();
    });
    runtime.block_on(task).expect("no panic");
}
