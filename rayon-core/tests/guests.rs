//! The services of a pool in a runtime: indices, broadcasts, and closures that no thread waits for.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier};
use std::thread;

use rayon_core::{
    ThreadPoolBuilder, Yield, broadcast, current_num_threads, current_thread_index, join, scope, spawn,
    spawn_broadcast, yield_now,
};
use wsrt::runtime::{Builder, Runtime};

const WORKERS: usize = 3;

fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(WORKERS).build().expect("a runtime")
}

/// Runs `f` in a task of `runtime`.
fn in_task<R: Send + 'static>(runtime: &Runtime, f: impl FnOnce() -> R + Send + 'static) -> R {
    runtime.block_on(async { wsrt::spawn(async { f() }).await.expect("no panic") })
}

/// The leaves of a tree of joins, each of which takes the place of its thread's index.
fn leaves(depth: u32, taken: &[AtomicBool]) {
    if depth > 0 {
        join(|| leaves(depth - 1, taken), || leaves(depth - 1, taken));
        return;
    }
    let index = current_thread_index().expect("it computes");
    assert!(!taken[index].swap(true, SeqCst), "{index} has another thread, too");
    (0..10).for_each(|_| thread::yield_now());
    assert_eq!(current_thread_index(), Some(index));
    taken[index].store(false, SeqCst);
}

#[test]
fn no_two_threads_of_a_runtime_have_one_index() {
    let runtime = runtime();
    let taken: Arc<[AtomicBool]> = (0..WORKERS).map(|_| AtomicBool::new(false)).collect();
    let computes = || {
        let taken = Arc::clone(&taken);
        runtime.spawn(async move { leaves(8, &taken) })
    };
    let tasks: Vec<_> = (0..6).map(|_| computes()).collect();
    tasks.into_iter().for_each(|task| runtime.block_on(task).expect("no panic"));
    assert_eq!(in_task(&runtime, current_thread_index), None);
    assert_eq!(in_task(&runtime, current_num_threads), WORKERS);
}

#[test]
fn a_broadcast_reaches_each_index_of_a_runtime() {
    let runtime = runtime();
    let reached = in_task(&runtime, || {
        let all = Barrier::new(WORKERS);
        broadcast(|context| {
            all.wait();
            (context.index(), context.num_threads(), current_thread_index())
        })
    });
    assert!(reached.into_iter().eq((0..WORKERS).map(|index| (index, WORKERS, Some(index)))));
}

#[test]
fn a_broadcast_reaches_guests_that_wait() {
    let counts = in_task(&runtime(), || {
        scope(|_| {
            let mine = current_thread_index();
            let (a, b) = join(|| broadcast(|_| 1).len(), || broadcast(|_| broadcast(|_| 1).len()));
            assert_eq!(current_thread_index(), mine);
            (a, b)
        })
    });
    assert_eq!(counts, (WORKERS, vec![WORKERS; WORKERS]));
}

#[test]
fn a_spawned_broadcast_reaches_each_index() {
    let (sender, receiver) = channel();
    in_task(&runtime(), move || spawn_broadcast(move |context| sender.send(context.index()).expect("it is received")));
    let mut indices: Vec<_> = receiver.iter().collect();
    indices.sort_unstable();
    assert!(indices.into_iter().eq(0..WORKERS));
}

#[test]
fn idle_processors_help_a_spawned_closure() {
    let runtime = runtime();
    let (sender, receiver) = channel();
    in_task(&runtime, move || {
        spawn(move || {
            let (told, tells) = channel();
            // The first one waits for the other, which only another thread can run.
            join(move || tells.recv().expect("it is sent"), move || told.send(()).expect("it is received"));
            assert!(current_thread_index().is_some());
            spawn(move || sender.send(current_num_threads()).expect("it is received"));
        });
    });
    assert_eq!(receiver.recv(), Ok(WORKERS));
}

#[test]
fn no_end_of_a_runtime_waits_for_a_spawned_closure() {
    let runtime = runtime();
    let ((go_on, goes_on), (sender, receiver)) = (channel(), channel());
    in_task(&runtime, move || {
        spawn(move || {
            goes_on.recv().expect("it is sent");
            // Alone now.
            sender.send(join(|| 1, || 2)).expect("it is received");
        });
    });
    drop(runtime);
    go_on.send(()).expect("it is received");
    assert_eq!(receiver.recv(), Ok((1, 2)));
}

#[test]
fn more_spawned_closures_than_threads_all_run() {
    let (sender, receiver) = channel();
    in_task(&runtime(), move || {
        for number in 0..100 {
            let sender = sender.clone();
            spawn(move || spawn(move || sender.send(number).expect("it is received")));
        }
    });
    let mut numbers: Vec<_> = receiver.iter().collect();
    numbers.sort_unstable();
    assert!(numbers.into_iter().eq(0..100));
}

#[test]
fn a_guest_yields_only_where_it_computes() {
    let (outside, inside) = in_task(&runtime(), || (yield_now(), scope(|_| yield_now())));
    assert_eq!((outside, inside), (None, Some(Yield::Idle)));
}

#[test]
fn a_broadcast_may_meet_a_resize_of_the_runtime() {
    let (runtime, over) = (&runtime(), AtomicBool::new(false));
    thread::scope(|threads| {
        threads.spawn(|| {
            while !over.load(SeqCst) {
                [1, 2, 3].into_iter().for_each(|count| runtime.resize(count).expect("it has room"));
            }
        });
        let broadcasts = || {
            (0..500).all(|_| {
                let counts = broadcast(|context| context.num_threads());
                counts.iter().all(|count| *count == counts.len())
            })
        };
        let outcome = threads.spawn(move || in_task(runtime, broadcasts)).join();
        over.store(true, SeqCst);
        assert_eq!(outcome.ok(), Some(true));
    });
}

/// In the middle of a scope of a task-local, a thread runs a closure of another call.
#[test]
fn a_closure_of_another_call_sees_no_task_local() {
    wsrt::task_local!(inherit static INHERITED: u32);
    wsrt::task_local!(static OWN: u32);
    fn values() -> [Option<u32>; 2] {
        [INHERITED.try_get().ok(), OWN.try_get().ok()]
    }
    let look_in_a_yield = || {
        let look = || {
            let (sender, receiver) = channel();
            spawn(move || sender.send(values()).expect("it is received"));
            while yield_now() == Some(Yield::Executed) {}
            (receiver.recv(), values())
        };
        INHERITED.sync_scope(1, || OWN.sync_scope(2, || scope(|_| look())))
    };
    let expected = (Ok([None, None]), [Some(1), Some(2)]);
    // A pool's only thread runs it. In a runtime another thread may.
    let pool = ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
    assert_eq!(pool.install(look_in_a_yield), expected);
    assert_eq!(in_task(&runtime(), look_in_a_yield), expected);
}

/// More threads than the runtime has indices; each lends its own to its helper while it waits.
#[test]
fn threads_beyond_the_count_wait_for_an_index() {
    let runtime = Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
    let all = Barrier::new(4);
    let asks = || (current_thread_index(), thread::yield_now()).0.expect("it computes");
    thread::scope(|threads| {
        for _ in 0..4 {
            threads.spawn(|| {
                let _entered = runtime.enter();
                for _ in 0..200 {
                    all.wait();
                    let (a, (b, c)) = join(asks, || join(asks, asks));
                    assert!(a < 2 && b < 2 && c < 2);
                }
            });
        }
    });
}
