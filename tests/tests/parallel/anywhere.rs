//! Parallel calls work wherever they are made: in tasks, in blocking jobs, inside and outside
//! runtimes, in each other.

use std::cell::RefCell;
use std::sync::{Barrier, OnceLock};
use std::thread;

use wsrt::parallel::{self, join, scope};
use wsrt::runtime::{Builder, EnterGuard, Handle, Runtime};
use wsrt::task::{block_in_place, spawn_blocking};
use wsrt_tests::{compute, runtime_with, within_a_minute};

/// All three kinds, and the right results.
fn compute_something() {
    let squares = parallel::map_collect(0..500_u64, |n| {
        compute(100);
        n * n
    });
    assert_eq!(squares, (0..500).map(|n| n * n).collect::<Vec<u64>>());
    assert_eq!(fib(12), 144);
    let mut slots = [0; 50];
    scope(|scope| {
        for (number, slot) in slots.iter_mut().enumerate() {
            scope.spawn(move |_| *slot = number);
        }
    });
    assert!(slots.iter().enumerate().all(|(number, slot)| number == *slot));
}

fn fib(n: u32) -> u64 {
    if n < 2 {
        return n.into();
    }
    let (a, b) = join(|| fib(n - 1), || fib(n - 2));
    a + b
}

#[test]
fn from_many_tasks_at_once() {
    within_a_minute(|| {
        for processors in [1, 2, 3, 8] {
            runtime_with(processors).run(async {
                let tasks: Vec<_> = (0..30).map(|_| wsrt::spawn(async { compute_something() })).collect();
                for task in tasks {
                    task.await.expect("no panic");
                }
            });
        }
    });
}

#[test]
fn from_blocking_jobs() {
    within_a_minute(|| {
        runtime_with(2).run(async {
            let jobs: Vec<_> = (0..10).map(|_| spawn_blocking(compute_something)).collect();
            for job in jobs {
                job.await.expect("no panic");
            }
        });
    });
}

#[test]
fn from_a_thread_that_has_entered_and_from_block_on() {
    within_a_minute(|| {
        let runtime = runtime_with(2);
        runtime.block_on(async { compute_something() });
        let _guard = runtime.enter();
        compute_something();
    });
}

#[test]
fn from_a_current_thread_runtime_and_from_none() {
    within_a_minute(|| {
        let local = Builder::new_current_thread().build().expect("a runtime");
        local.block_on(async { wsrt::spawn(async { compute_something() }).await }).expect("no panic");
        compute_something();
    });
}

/// A helper has no processor and is no task.
#[test]
fn from_a_helper() {
    within_a_minute(|| {
        let both = Barrier::new(2);
        runtime_with(2).block_on(async {
            parallel::for_each(0..2, |_| {
                // One of the two is a helper.
                both.wait();
                compute_something();
            });
        });
    });
}

#[test]
fn tasks_are_spawned_and_awaited_inside() {
    within_a_minute(|| {
        for processors in [1, 2, 3] {
            let runtime = runtime_with(processors);
            let awaited = || {
                parallel::map_collect(0..100, |number| {
                    let task = wsrt::spawn(async move {
                        wsrt::task::yield_now().await;
                        number
                    });
                    Handle::current().block_on(task).expect("no panic")
                })
            };
            let in_order: Vec<_> = (0..100).collect();
            assert_eq!(runtime.run(async move { awaited() }), in_order);
            assert_eq!(runtime.block_on(async move { awaited() }), in_order);
        }
    });
}

#[test]
fn blocking_calls_are_made_inside() {
    within_a_minute(|| {
        runtime_with(2).run(async {
            let both = Barrier::new(2);
            parallel::for_each(0..2, |_| {
                block_in_place(|| {
                    both.wait();
                });
                compute_something();
            });
        });
    });
}

/// Of the future that is awaited inside, a part is computed in parallel: the jobs of both lie on
/// one stack.
#[test]
fn futures_that_are_awaited_inside_make_calls_of_their_own() {
    within_a_minute(|| {
        let runtime = runtime_with(2);
        let local = Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            join(
                || {
                    local.block_on(async {
                        let tasks = [(); 3].map(|()| wsrt::spawn(async { compute_something() }));
                        for task in tasks {
                            task.await.expect("no panic");
                        }
                    });
                },
                || Handle::current().block_on(async { compute_something() }),
            )
        });
    });
}

/// The guard with which the thread has entered goes inside: the call ends in good order all the
/// same.
#[test]
fn a_guard_may_be_dropped_inside() {
    static HANDLE: OnceLock<Handle> = OnceLock::new();
    thread_local! {
        static GUARD: RefCell<Option<EnterGuard<'static>>> = const { RefCell::new(None) };
    }
    within_a_minute(|| {
        let runtime = runtime_with(2);
        let guard = runtime.enter();
        scope(move |scope| {
            scope.spawn(|_| compute(10));
            drop(guard);
            scope.spawn(|_| compute(10));
        });
        assert!(Handle::try_current().is_err());

        let handle = HANDLE.get_or_init(|| runtime.handle().clone());
        let here = thread::current().id();
        let drop_guard = || {
            if thread::current().id() == here {
                GUARD.with(RefCell::take);
            }
        };
        for _ in 0..20 {
            // Which the owner need not come to: helpers may have taken all before it begins.
            GUARD.set(Some(handle.enter()));
            parallel::for_each(0..100, |_| drop_guard());
            GUARD.take();
            assert!(Handle::try_current().is_err());

            GUARD.set(Some(handle.enter()));
            join(drop_guard, || compute(10));
            assert!(Handle::try_current().is_err());
        }
        compute_something();
    });
}

#[test]
fn from_a_thread_of_ones_own_that_borrows() {
    within_a_minute(|| {
        let runtime = runtime_with(3);
        let numbers: Vec<u64> = (0..10_000).collect();
        thread::scope(|threads| {
            for _ in 0..4 {
                threads.spawn(|| {
                    let _guard = runtime.enter();
                    let sum = parallel::reduce(&numbers, || 0, |n| *n, |a, b| a + b);
                    assert_eq!(sum, 49_995_000);
                });
            }
        });
    });
}

#[test]
fn from_two_runtimes_at_once_and_one_inside_another() {
    within_a_minute(|| {
        let runtimes = [runtime_with(2), runtime_with(3)];
        thread::scope(|threads| {
            for runtime in &runtimes {
                threads.spawn(|| runtime.run(async { (0..20).for_each(|_| compute_something()) }));
            }
        });
        let inner = |runtime: &Runtime| {
            runtime.block_on(async {
                compute_something();
                thread::current().id()
            })
        };
        runtimes[0].block_on(async {
            parallel::for_each(0..20, |_| assert_eq!(inner(&runtimes[1]), thread::current().id()));
            join(|| inner(&runtimes[1]), || inner(&runtimes[1]));
        });
    });
}
