//! Parallel calls nest in each other, deeply too, and jobs come to a scope from anywhere.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;

use wsrt::parallel::{self, Scope, chunks_mut, join, scope};
use wsrt_tests::{Random, compute, in_every_runtime, runtime_with, within_a_minute};

#[test]
fn a_loop_in_a_join_inside_a_scoped_loop() {
    within_a_minute(|| {
        in_every_runtime(|| {
            let count = AtomicUsize::new(0);
            let inner = || {
                parallel::for_each(0..25, |_| {
                    compute(20);
                    count.fetch_add(1, Relaxed);
                });
            };
            parallel::for_each(0..10, |_| {
                scope(|scope| {
                    for _ in 0..5 {
                        scope.spawn(|_| {
                            join(inner, inner);
                        });
                    }
                });
            });
            assert_eq!(count.into_inner(), 10 * 5 * 2 * 25);
        });
    });
}

#[test]
fn a_join_in_a_loop_in_a_join() {
    within_a_minute(|| {
        in_every_runtime(|| {
            let leaf = |number: u64| {
                let (a, b) = join(|| number, || number * 2);
                a + b
            };
            let half = |range: std::ops::Range<u64>| parallel::reduce(range, || 0, leaf, |a, b| a + b);
            let (low, high) = join(|| half(0..500), || half(500..1_000));
            assert_eq!(low + high, 3 * 499_500);
        });
    });
}

fn sort(numbers: &mut [u64]) {
    if numbers.len() <= 16 {
        return numbers.sort_unstable();
    }
    let pivot = numbers.len() / 2;
    let (low, _, high) = numbers.select_nth_unstable(pivot);
    join(|| sort(low), || sort(high));
}

#[test]
fn divide_and_conquer_without_a_pattern() {
    within_a_minute(|| {
        in_every_runtime(|| {
            let mut random = Random::new(99);
            for length in [0, 1, 17, 1_000, 20_000] {
                let mut numbers: Vec<u64> = (0..length).map(|_| random.below(1_000)).collect();
                let mut sorted = numbers.clone();
                sorted.sort_unstable();
                sort(&mut numbers);
                assert_eq!(numbers, sorted);
            }
        });
    });
}

#[test]
fn joins_go_deep() {
    fn depth(left: u32) -> u32 {
        if left == 0 {
            return 0;
        }
        let (below, one) = join(|| depth(left - 1), || 1);
        below + one
    }
    fn depth_on_the_other_side(left: u32) -> u32 {
        if left == 0 {
            return 0;
        }
        let (one, below) = join(|| 1, || depth_on_the_other_side(left - 1));
        below + one
    }
    within_a_minute(|| {
        in_every_runtime(|| {
            assert_eq!(depth(1_000), 1_000);
            assert_eq!(depth_on_the_other_side(1_000), 1_000);
        });
    });
}

#[test]
fn a_scope_that_grows_as_it_goes() {
    fn visit<'scope>(depth: u32, visited: &'scope AtomicUsize, scope: &Scope<'scope>) {
        visited.fetch_add(1, Relaxed);
        for _ in 0..3 * u32::from(depth > 0) {
            scope.spawn(move |scope| visit(depth - 1, visited, scope));
        }
    }
    within_a_minute(|| {
        in_every_runtime(|| {
            let visited = AtomicUsize::new(0);
            let result = scope(|scope| {
                visit(7, &visited, scope);
                "the result of the closure"
            });
            assert_eq!(result, "the result of the closure");
            assert_eq!(visited.into_inner(), (3_usize.pow(8) - 1) / 2);
        });
    });
}

#[test]
fn jobs_come_from_loops_and_joins_inside_the_scope() {
    within_a_minute(|| {
        in_every_runtime(|| {
            let count = AtomicUsize::new(0);
            let add = |_: &Scope<'_>| {
                compute(50);
                count.fetch_add(1, Relaxed);
            };
            scope(|scope| {
                parallel::for_each(0..100, |_| scope.spawn(add));
                join(|| scope.spawn(add), || scope.spawn(add));
                scope.spawn(|inner| {
                    parallel::for_each(0..10, |_| inner.spawn(add));
                    parallel::scope(|innermost| {
                        innermost.spawn(|_| inner.spawn(add));
                    });
                });
            });
            assert_eq!(count.into_inner(), 113);
        });
    });
}

/// A thread that belongs to no runtime, beside those that help.
#[test]
fn jobs_come_from_foreign_threads() {
    within_a_minute(|| {
        in_every_runtime(|| {
            let count = AtomicUsize::new(0);
            scope(|scope| {
                thread::scope(|threads| {
                    for _ in 0..3 {
                        threads.spawn(|| {
                            for _ in 0..50 {
                                scope.spawn(|scope| {
                                    compute(50);
                                    let count = &count;
                                    scope.spawn(move |_| {
                                        let _ = count.fetch_add(1, Relaxed);
                                    });
                                });
                            }
                        });
                    }
                });
            });
            assert_eq!(count.into_inner(), 150);
        });
    });
}

#[test]
fn many_owners_share_the_helpers() {
    within_a_minute(|| {
        for processors in [2, 3, 8] {
            let runtime = runtime_with(processors);
            thread::scope(|threads| {
                for owner in 0..4_u64 {
                    let runtime = &runtime;
                    threads.spawn(move || {
                        let _guard = runtime.enter();
                        for round in 0..100 {
                            let mut numbers: Vec<u64> = (0..300).collect();
                            parallel::for_each(chunks_mut(&mut numbers, 7), |piece| {
                                compute(round);
                                piece.iter_mut().for_each(|number| *number += owner);
                            });
                            let (low, high) = numbers.split_at(150);
                            let sum = |half: &[u64]| parallel::reduce(half, || 0, |n| *n, |a, b| a + b);
                            let (low, high) = join(|| sum(low), || sum(high));
                            assert_eq!(low + high, 44_850 + 300 * owner);
                        }
                    });
                }
            });
        }
    });
}
