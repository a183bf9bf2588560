//! A runtime may end while a parallel call runs in it: its threads go, and the caller does the
//! rest.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::mpsc::channel;
use std::thread;

use wsrt::parallel::{self, join, scope, until};
use wsrt::sync::CancellationToken;
use wsrt_tests::{LIMIT, compute, count_threads, runtime_with, within_a_minute};

#[test]
fn a_loop_from_outside_goes_on_alone() {
    within_a_minute(|| {
        for processors in [1, 2, 8] {
            for _ in 0..10 {
                let runtime = runtime_with(processors);
                let handle = runtime.handle().clone();
                let token = CancellationToken::new();
                let (begun, has_begun) = channel();
                let owner = {
                    let token = token.clone();
                    thread::spawn(move || {
                        let _guard = handle.enter();
                        let outcome = until(&token).for_each(0..u64::MAX, |item| {
                            compute(100);
                            if item == 100 {
                                begun.send(()).expect("the test waits");
                            }
                        });
                        let after_the_end = parallel::map_collect(0..1_000, |item| item);
                        assert_eq!(after_the_end, (0..1_000).collect::<Vec<_>>());
                        outcome
                    })
                };
                has_begun.recv_timeout(LIMIT).expect("the loop begins");
                drop(runtime);
                token.cancel();
                assert!(owner.join().expect("no panic").is_err());
            }
        }
    });
}

#[test]
fn a_tree_from_outside_goes_on_alone() {
    fn fib(n: u64) -> u64 {
        if n < 2 {
            return n;
        }
        let (a, b) = join(|| fib(n - 1), || fib(n - 2));
        a + b
    }
    within_a_minute(|| {
        for _ in 0..20 {
            let runtime = runtime_with(3);
            let handle = runtime.handle().clone();
            let (begun, has_begun) = channel();
            let owner = thread::spawn(move || {
                let _guard = handle.enter();
                begun.send(()).expect("the test waits");
                let count = AtomicUsize::new(0);
                scope(|scope| {
                    for _ in 0..20 {
                        scope.spawn(|scope| {
                            assert_eq!(fib(12), 144);
                            scope.spawn(|_| {
                                let _ = count.fetch_add(1, SeqCst);
                            });
                        });
                    }
                });
                count.into_inner()
            });
            has_begun.recv_timeout(LIMIT).expect("it begins");
            drop(runtime);
            assert_eq!(owner.join().expect("no panic"), 20);
        }
    });
}

/// A poll that is running ends first, with its parallel call.
#[test]
fn a_task_that_computes_is_waited_for() {
    within_a_minute(|| {
        for _ in 0..20 {
            let runtime = runtime_with(2);
            let (begun, has_begun) = channel();
            let (sum, is_summed) = channel();
            drop(runtime.spawn(async move {
                let all = parallel::reduce(
                    0..2_000_u64,
                    || 0,
                    |item| {
                        if item == 0 {
                            begun.send(()).expect("the test waits");
                        }
                        compute(100);
                        item
                    },
                    |a, b| a + b,
                );
                sum.send(all).expect("the test waits");
            }));
            has_begun.recv_timeout(LIMIT).expect("it begins");
            drop(runtime);
            assert_eq!(is_summed.try_recv(), Ok(1_999_000));
        }
    });
}

/// Machines that were started to help end with the others.
#[test]
fn no_thread_is_left() {
    within_a_minute(|| {
        let name = "helping-hands";
        let runtime =
            wsrt::runtime::Builder::new_multi_thread().worker_threads(3).thread_name(name).build().expect("a runtime");
        runtime.run(async {
            for _ in 0..50 {
                parallel::for_each(0..100, |_| compute(1_000));
                wsrt::task::yield_now().await;
            }
        });
        runtime.block_on(async { parallel::for_each(0..100, |_| compute(1_000)) });
        assert!(count_threads(name) >= 3);
        drop(runtime);
        assert_eq!(count_threads(name), 0);
    });
}
