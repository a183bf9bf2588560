//! Calls that could wait for ever: each ends, and a test that does not is stopped.

mod support;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
#[cfg(target_os = "linux")]
use std::path::PathBuf;
#[cfg(target_os = "linux")]
use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier};
use std::thread;

use rayon_core::{
    ThreadPool, ThreadPoolBuilder, broadcast, current_thread_index, in_place_scope, in_place_scope_fifo, join, scope,
    spawn, spawn_broadcast, yield_local, yield_now,
};
use support::within_a_minute;
#[cfg(target_os = "linux")]
use support::{await_sleep, this_thread};
use wsrt::runtime::Builder;

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool")
}

/// Runs `f` in a task of a runtime with so many worker threads.
fn in_task<R: Send + 'static>(workers: usize, f: impl FnOnce() -> R + Send + 'static) -> R {
    within_a_minute(move || {
        let runtime = Builder::new_multi_thread().worker_threads(workers).build().expect("a runtime");
        runtime.block_on(async { wsrt::spawn(async { f() }).await.expect("no panic") })
    })
}

#[test]
fn a_scope_runs_in_a_pool_that_waits_for_it() {
    let ran = within_a_minute(|| {
        let (first, second) = (pool(1), pool(1));
        let mut ran = [false; 2];
        let [a, b] = &mut ran;
        let spawns = || {
            first.in_place_scope(|scope| {
                scope.spawn(|scope| {
                    *a = true;
                    scope.spawn(|_| *b = first.install(|| second.install(|| first.install(|| true))));
                });
            });
        };
        first.install(|| second.install(spawns));
        ran
    });
    assert_eq!(ran, [true; 2]);
}

#[test]
fn a_fifo_scope_runs_in_a_pool_that_waits() {
    let ran = within_a_minute(|| {
        let (first, second) = (pool(1), pool(1));
        let mut ran = false;
        let spawns = || first.in_place_scope_fifo(|scope| scope.spawn_fifo(|_| ran = second.install(|| true)));
        first.install(|| second.install(spawns));
        ran
    });
    assert!(ran);
}

#[test]
fn a_broadcast_may_call_back() {
    let results = within_a_minute(|| {
        let (first, second) = (pool(1), pool(2));
        first.install(|| {
            second.broadcast(|context| {
                let index = context.index();
                first.install(|| index)
            })
        })
    });
    assert_eq!(results, [0, 1]);
}

#[test]
fn a_broadcast_to_a_pool_that_waits_may_call_back() {
    let results = within_a_minute(|| {
        let (first, second) = (pool(1), pool(1));
        first.install(|| second.install(|| first.broadcast(|_| second.install(|| 3))))
    });
    assert_eq!(results, [3]);
}

/// Yields until a spawned broadcast has reached all.
fn yields_to_a_broadcast(yields: fn()) {
    const WORKERS: usize = 2;
    in_task(WORKERS, move || {
        scope(|_| {
            current_thread_index();
            let count = Arc::new(AtomicUsize::new(0));
            let theirs = Arc::clone(&count);
            spawn_broadcast(move |_| _ = theirs.fetch_add(1, SeqCst));
            while count.load(SeqCst) < WORKERS {
                yields();
            }
        });
    });
}

#[test]
fn a_guest_that_yields_runs_its_part_of_a_broadcast() {
    yields_to_a_broadcast(|| _ = yield_now());
    yields_to_a_broadcast(|| _ = yield_local());
}

/// A member that spins takes one of two jobs that wait for each other.
#[test]
fn a_job_that_one_spinning_member_leaves_wakes_another() {
    within_a_minute(|| {
        let pool = pool(3);
        for round in 0..20_000 {
            let all = Arc::new(Barrier::new(3));
            let meets = |all: &Arc<Barrier>| {
                let all = Arc::clone(all);
                move || _ = all.wait()
            };
            pool.install(|| {
                spawn(meets(&all));
                // At different moments of the others' search.
                (0..round % 64).for_each(|_| std::hint::spin_loop());
                spawn(meets(&all));
                all.wait();
            });
        }
    });
}

/// A spawned job does not wait for the index that the yielding thread has.
#[test]
fn a_yielding_guest_finds_the_job_it_has_spawned() {
    in_task(1, || {
        scope(|_| {
            assert_eq!(current_thread_index(), Some(0));
            for round in 0..2_000 {
                let (sender, receiver) = channel();
                spawn(move || sender.send(()).expect("it is received"));
                // The attendant comes first in some rounds, and this thread in others.
                (0..round).for_each(|_| std::hint::spin_loop());
                while receiver.try_recv().is_err() {
                    yield_now();
                }
            }
        });
    });
}

#[test]
fn a_spawned_job_keeps_its_index() {
    let (before, inside, after) = in_task(2, || {
        let (sender, receiver) = channel();
        spawn(move || {
            let asks = || current_thread_index().expect("it computes");
            let (inside, before) = (scope(|_| asks()), asks());
            sender.send((before, inside, asks())).expect("it is received");
        });
        receiver.recv().expect("it is sent")
    });
    assert!(before == inside && inside == after);
}

#[test]
fn a_helper_in_a_loop_may_call_back() {
    within_a_minute(|| {
        let (first, second) = (pool(1), pool(2));
        let both = Barrier::new(2);
        first.install(|| {
            second.install(|| {
                wsrt::parallel::for_each(0..2_usize, |_| {
                    both.wait();
                    first.install(|| ());
                });
            });
        });
    });
}

/// The scope's function waits for the job, so that a helper has to take it.
#[test]
fn a_job_from_anywhere_finds_the_helpers_of_its_scope() {
    within_a_minute(|| {
        let build = || Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
        let (home, other) = (build(), build());
        for _ in 0..50 {
            let other = other.handle().clone();
            let task = home.spawn(async move {
                wsrt::parallel::scope(|scope| {
                    // Meanwhile the helpers leave.
                    (0..200).for_each(|_| thread::yield_now());
                    let (sender, receiver) = channel();
                    thread::scope(|threads| {
                        threads.spawn(|| {
                            let _entered = other.enter();
                            scope.spawn(move |_| sender.send(()).expect("it is received"));
                        });
                        receiver.recv().expect("it is sent");
                    });
                });
            });
            home.block_on(task).expect("no panic");
        }
    });
}

#[test]
fn a_broadcast_reaches_a_thread_that_waits_after_a_panic() {
    let panic = in_task(2, || {
        let both = Barrier::new(2);
        let panics = || {
            current_thread_index();
            both.wait();
            resume_unwind(Box::new("a"));
        };
        let broadcasts = || {
            both.wait();
            broadcast(|_| ());
        };
        let joins = || scope(|_| wsrt::parallel::join(panics, broadcasts));
        catch_unwind(AssertUnwindSafe(joins)).err().and_then(|panic| panic.downcast::<&str>().ok())
    });
    assert_eq!(panic.as_deref(), Some(&"a"));
}

/// A loop of two items, of which the helper's broadcasts.
fn helper_of_loop_broadcasts() {
    let (both, owner) = (Barrier::new(2), thread::current().id());
    current_thread_index();
    wsrt::parallel::for_each(0..2_usize, |_| {
        both.wait();
        if thread::current().id() != owner {
            assert_eq!(broadcast(|_| 1), [1, 1]);
        }
    });
}

#[test]
fn a_broadcast_reaches_the_owner_of_a_loop() {
    in_task(2, || scope(|_| helper_of_loop_broadcasts()));
    within_a_minute(|| pool(2).install(helper_of_loop_broadcasts));
}

/// The function of an in-place scope waits for the scope's closures, and holds the only processor.
#[test]
fn closures_of_in_place_scopes_run_beside_the_function() {
    in_task(1, || {
        let (sender, receiver) = channel();
        let (sender, other) = (&sender, sender.clone());
        in_place_scope(|scope| {
            scope.spawn(move |scope| {
                join(|| (), || ());
                scope.spawn(move |_| sender.send(1).expect("it is received"));
            });
            assert_eq!(receiver.recv(), Ok(1));
            // One more thread than that of the scope's closures would be one too many.
            scope.spawn(move |_| spawn(move || other.send(2).expect("it is received")));
            assert_eq!(receiver.recv(), Ok(2));
        });
        in_place_scope_fifo(|scope| {
            scope.spawn_fifo(|_| in_place_scope(|scope| scope.spawn(|_| sender.send(3).expect("it is received"))));
            assert_eq!(receiver.recv(), Ok(3));
        });
    });
}

/// Closures that wait for each other, while tasks hold all processors and the function waits, too.
#[test]
fn closures_of_an_in_place_scope_run_beside_each_other() {
    const WORKERS: usize = 3;
    within_a_minute(|| {
        let runtime = Builder::new_multi_thread().worker_threads(WORKERS).build().expect("a runtime");
        let (ends, begun) = (Arc::new(Barrier::new(WORKERS + 1)), Arc::new(Barrier::new(WORKERS + 1)));
        for _ in 0..WORKERS {
            let (ends, begun) = (Arc::clone(&ends), Arc::clone(&begun));
            drop(runtime.spawn(async move { (begun.wait(), ends.wait()) }));
        }
        begun.wait();
        let _entered = runtime.enter();
        for _ in 0..100 {
            let (all, (sender, receiver)) = (Barrier::new(WORKERS), channel());
            in_place_scope(|scope| {
                for _ in 0..WORKERS {
                    scope.spawn(|_| {
                        all.wait();
                        sender.send(()).expect("it is received");
                    });
                }
                (0..WORKERS).for_each(|_| receiver.recv().expect("it is sent"));
            });
        }
        ends.wait();
    });
}

/// The function of the second call waits for its closure, and the caller of the first one, who
/// leaves last, holds no processor.
#[cfg(target_os = "linux")]
#[test]
fn a_call_gets_its_helper_when_another_call_ends() {
    within_a_minute(|| {
        let runtime = &Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
        let (begun, is_helped, is_split_off) = (&Barrier::new(2), &Barrier::new(2), &AtomicBool::new(false));
        let (sender, helper) = channel::<PathBuf>();
        thread::scope(|threads| {
            threads.spawn(move || {
                let _entered = runtime.enter();
                let caller = move || {
                    begun.wait();
                    is_helped.wait();
                    await_sleep(&helper.recv().expect("it is sent"));
                };
                join(caller, move || {
                    begun.wait();
                    while !is_split_off.load(SeqCst) {
                        thread::yield_now();
                    }
                    sender.send(this_thread()).expect("it is received");
                });
            });
            threads.spawn(move || {
                let _entered = runtime.enter();
                is_helped.wait();
                scope(|scope| {
                    let (sender, receiver) = channel();
                    scope.spawn(move |_| sender.send(()).expect("it is received"));
                    is_split_off.store(true, SeqCst);
                    receiver.recv().expect("it is sent");
                });
            });
        });
    });
}
