//! Pools without threads of their own.

use std::env;
use std::process::Command;
use std::sync::Barrier;
use std::sync::mpsc::channel;
use std::thread;

use rayon_core::{ThreadPool, ThreadPoolBuilder, current_num_threads, current_thread_index};
use wsrt::runtime::Builder;

const WORKERS: usize = 3;

fn shared() -> ThreadPool {
    // The number and the names are of no effect.
    let builder = ThreadPoolBuilder::new().num_threads(7).thread_name(|index| format!("none-{index}"));
    builder.share_runtime().build().expect("a pool")
}

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool")
}

/// Runs `f` in a task of a runtime.
fn in_task<R: Send + 'static>(f: impl FnOnce() -> R + Send + 'static) -> R {
    let runtime = Builder::new_multi_thread().worker_threads(WORKERS).build().expect("a runtime");
    runtime.block_on(async { wsrt::spawn(async { f() }).await.expect("no panic") })
}

#[test]
fn a_shared_pool_computes_in_the_runtime_of_its_caller() {
    in_task(|| {
        let (pool, caller) = (shared(), thread::current().id());
        assert_eq!(pool.current_num_threads(), WORKERS);
        assert_eq!(pool.current_thread_index(), None);
        pool.install(|| {
            assert_eq!(thread::current().id(), caller);
            assert_eq!((pool.current_num_threads(), current_num_threads()), (WORKERS, WORKERS));
            assert!(current_thread_index().is_some_and(|index| index < WORKERS));
            assert_eq!(pool.current_thread_index(), current_thread_index());
            assert_eq!(pool.current_thread_has_pending_tasks(), Some(false));
        });
        let both = Barrier::new(2);
        pool.join(|| both.wait(), || both.wait());
    });
}

#[test]
fn a_broadcast_of_a_shared_pool_reaches_each_index() {
    let reached = in_task(|| {
        let all = Barrier::new(WORKERS);
        shared().broadcast(|context| {
            all.wait();
            (context.index(), context.num_threads(), current_thread_index())
        })
    });
    assert!(reached.into_iter().eq((0..WORKERS).map(|index| (index, WORKERS, Some(index)))));
}

#[test]
fn a_shared_pool_is_the_pool_of_its_caller() {
    let (shared, own, caller) = (shared(), pool(2), thread::current().id());
    // Of a thread outside, the process-wide one.
    assert_ne!(shared.install(|| thread::current().id()), caller);
    assert_eq!(shared.install(current_num_threads), current_num_threads());
    assert_eq!(own.install(|| (shared.current_num_threads(), shared.install(current_num_threads))), (2, 2));
    assert_eq!(own.install(|| shared.broadcast(|context| context.index())), [0, 1]);
}

#[test]
fn shared_pools_and_others_wait_for_each_other() {
    let waits = || {
        let (shared, own) = (shared(), pool(1));
        shared.install(|| own.install(|| shared.install(|| own.install(|| shared.join(|| 1, || 2)))))
    };
    assert_eq!((waits(), in_task(waits)), ((1, 2), (1, 2)));
}

#[test]
fn closures_spawned_in_a_shared_pool_all_run() {
    let spawns = || {
        let ((sender, receiver), pool) = (channel(), shared());
        for number in 0..10 {
            let (first, second) = (sender.clone(), sender.clone());
            pool.spawn(move || first.send(number).expect("it is received"));
            pool.spawn_fifo(move || second.send(number).expect("it is received"));
        }
        pool.in_place_scope(|scope| scope.spawn(|_| sender.send(10).expect("it is received")));
        let threads = pool.current_num_threads();
        pool.spawn_broadcast(move |_| sender.send(11).expect("it is received"));
        drop(pool);
        let mut numbers: Vec<_> = receiver.iter().collect();
        numbers.sort_unstable();
        let of_spawns = (0..10).flat_map(|number| [number; 2]);
        assert!(numbers.into_iter().eq(of_spawns.chain([10]).chain((0..threads).map(|_| 11))));
    };
    spawns();
    in_task(spawns);
}

#[test]
fn a_shared_pool_handles_the_panics_of_its_closures() {
    in_task(|| {
        let (sender, receiver) = channel();
        let takes = move |payload: Box<dyn std::any::Any + Send>| sender.send(payload).expect("it is received");
        let pool = ThreadPoolBuilder::new().share_runtime().panic_handler(takes).build().expect("a pool");
        pool.spawn(|| std::panic::panic_any(3));
        pool.spawn_broadcast(|_| std::panic::panic_any(3));
        drop(pool);
        let payloads = receiver.iter().map(|payload| *payload.downcast::<i32>().expect("a number"));
        assert_eq!(payloads.collect::<Vec<_>>(), [3; WORKERS + 1]);
    });
}

#[test]
fn a_pool_with_handlers_has_threads_all_the_same() {
    let builder = ThreadPoolBuilder::new().num_threads(2).share_runtime().start_handler(|_| ());
    let pool = builder.build().expect("a pool");
    in_task(move || assert_eq!(pool.install(current_num_threads), 2));
}

/// Run by the test below, with the variable.
#[test]
#[ignore = "it is about a variable of the environment"]
fn child_with_variable() {
    in_task(|| {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let default = ThreadPoolBuilder::new().build().expect("a pool");
        let (all, more) = (pool(cores), pool(cores + 1));
        let here = thread::current().id();
        assert!([default, all, more].iter().all(|pool| pool.install(|| thread::current().id()) == here));
        if cores > 1 {
            assert_eq!(pool(1).install(current_num_threads), 1);
        }
    });
}

#[test]
fn a_variable_makes_pools_of_all_cores_share() {
    let program = env::current_exe().expect("the system tells");
    let run = |value| {
        let arguments = ["--exact", "child_with_variable", "--include-ignored"];
        let output = Command::new(&program).args(arguments).env("WSRT_RAYON_SHARE", value).output();
        output.expect("it starts").status.success()
    };
    assert!(run("1"));
    assert!(!run("0"));
}
