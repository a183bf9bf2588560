//! Calls that could wait for ever: each ends, and a test that does not is stopped.

#[cfg(target_os = "linux")]
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
#[cfg(target_os = "linux")]
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
#[cfg(target_os = "linux")]
use std::sync::mpsc::{Receiver, Sender};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::Duration;

use rayon_core::{
    ThreadPool, ThreadPoolBuilder, broadcast, current_thread_index, in_place_scope, in_place_scope_fifo, join, scope,
    spawn, spawn_broadcast, yield_local, yield_now,
};
use wsrt::runtime::Builder;
#[cfg(target_os = "linux")]
use wsrt::runtime::Runtime;

/// Runs `body` on a thread of its own, which is leaked if it takes longer.
fn within_a_minute<R: Send + 'static>(body: impl FnOnce() -> R + Send + 'static) -> R {
    let (done, is_done) = channel();
    let runs = thread::spawn(move || done.send(body()));
    match is_done.recv_timeout(Duration::from_secs(60)) {
        Ok(result) => result,
        Err(RecvTimeoutError::Timeout) => panic!("it hangs"),
        Err(RecvTimeoutError::Disconnected) => std::panic::resume_unwind(runs.join().expect_err("it has sent nothing")),
    }
}

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

/// The files in which Linux shows the calling thread.
#[cfg(target_os = "linux")]
fn this_thread() -> PathBuf {
    Path::new("/proc").join(fs::read_link("/proc/thread-self").expect("Linux has it"))
}

/// Waits until a thread sleeps, which has nothing to do any more but to wait.
#[cfg(target_os = "linux")]
fn await_sleep(thread: &Path) {
    while !fs::read_to_string(thread.join("stat")).expect("the thread is there").contains(") S ") {
        thread::yield_now();
    }
}

/// Holds `lock` in a call whose other half runs elsewhere once both have `begun`, and says in
/// `waits` that it is about to sleep until that half `goes_on`.
#[cfg(target_os = "linux")]
fn sleep_with_a_lock(
    runtime: &Runtime,
    lock: &Mutex<()>,
    begun: &Barrier,
    waits: &Sender<PathBuf>,
    goes_on: Receiver<()>,
) {
    let _entered = runtime.enter();
    let _locked = lock.lock().expect("no panic");
    join(
        || {
            current_thread_index().expect("it computes");
            begun.wait();
            waits.send(this_thread()).expect("it is received");
        },
        move || {
            begun.wait();
            goes_on.recv().expect("it is sent");
        },
    );
}

/// A thread that asks for an index while another sleeps, and then for the lock that this one holds.
#[cfg(target_os = "linux")]
#[test]
fn a_thread_that_sleeps_is_not_asked_for_its_index() {
    within_a_minute(|| {
        let runtime = Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
        let ((go_on, goes_on), lock, is_taken) = (channel(), Mutex::new(()), Barrier::new(2));
        let (waits, who_waits) = channel();
        let (runtime, lock, is_taken) = (&runtime, &lock, &is_taken);
        thread::scope(|threads| {
            threads.spawn(move || sleep_with_a_lock(runtime, lock, is_taken, &waits, goes_on));
            threads.spawn(move || {
                let _entered = runtime.enter();
                await_sleep(&who_waits.recv().expect("it is sent"));
                scope(|_| {
                    current_thread_index().expect("it computes");
                    go_on.send(()).expect("it is received");
                    drop(lock.lock().expect("no panic"));
                });
            });
        });
    });
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

/// A thread whose index would be that of a sleeping one asks for the sleeper's lock next.
#[cfg(target_os = "linux")]
#[test]
fn the_index_of_a_sleeping_thread_stays_in_its_call() {
    within_a_minute(|| {
        let runtime = &Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
        let ((go_on, goes_on), (waits, who_waits), (asks, who_asks)) = (channel(), channel(), channel::<PathBuf>());
        let (lock, begun, all) = (&Mutex::new(()), &Barrier::new(3), &Barrier::new(2));
        thread::scope(|threads| {
            threads.spawn(move || sleep_with_a_lock(runtime, lock, begun, &waits, goes_on));
            threads.spawn(move || {
                let _entered = runtime.enter();
                // A processor helps before this thread computes, too.
                begun.wait();
                scope(move |_| {
                    current_thread_index().expect("it computes");
                    all.wait();
                    await_sleep(&who_asks.recv().expect("it is sent"));
                    go_on.send(()).expect("it is received");
                });
            });
            threads.spawn(move || {
                let _entered = runtime.enter();
                await_sleep(&who_waits.recv().expect("it is sent"));
                all.wait();
                asks.send(this_thread()).expect("it is received");
                scope(|_| {
                    current_thread_index().expect("it computes");
                    drop(lock.lock().expect("no panic"));
                });
            });
        });
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
