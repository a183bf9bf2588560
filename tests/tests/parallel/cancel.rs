//! A loop under a token that is cancelled stops, says how far it got, and has done nothing twice.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::mpsc::channel;
use std::thread;

use wsrt::parallel::until;
use wsrt::sync::CancellationToken;
use wsrt_tests::{LIMIT, Roll, compute, in_every_runtime, runtime_with, within_a_minute};

const ITEMS: usize = 5_000;

#[test]
fn it_says_how_many_items_were_done() {
    within_a_minute(|| {
        in_every_runtime(|| {
            for enough in [1, 10, 1_000, ITEMS] {
                let token = CancellationToken::new();
                let visits: Vec<_> = (0..ITEMS).map(|_| AtomicUsize::new(0)).collect();
                let done = AtomicUsize::new(0);
                let outcome = until(&token).for_each(&visits, |visits| {
                    visits.fetch_add(1, SeqCst);
                    compute(100);
                    if done.fetch_add(1, SeqCst) + 1 >= enough {
                        token.cancel();
                    }
                });
                let done = done.into_inner();
                assert!(visits.iter().all(|visits| visits.load(SeqCst) <= 1), "nothing twice");
                match outcome {
                    Ok(()) => assert_eq!(done, ITEMS),
                    Err(cancelled) => {
                        assert!(done >= enough && done < ITEMS);
                        assert_eq!((cancelled.completed(), cancelled.total()), (done, ITEMS));
                        let words = format!("cancelled after {done} of {ITEMS} items");
                        assert_eq!(cancelled.to_string(), words);
                    }
                }
            }
        });
    });
}

#[test]
fn under_a_cancelled_token_nothing_begins() {
    within_a_minute(|| {
        in_every_runtime(|| {
            let token = CancellationToken::new();
            token.clone().cancel();
            assert!(token.is_cancelled(), "clones are the same token");
            let cancelled = until(&token).for_each(0..10, |_| panic!("it begins")).expect_err("it is cancelled");
            assert_eq!((cancelled.completed(), cancelled.total()), (0, 10));
            assert!(until(&token).map_collect(0..10, |item| item).is_err());
            assert!(until(&token).reduce(0..10, || 0, |item| item, |a, b| a + b).is_err());
        });
    });
}

#[test]
fn a_loop_that_is_done_is_not_cancelled() {
    within_a_minute(|| {
        in_every_runtime(|| {
            let token = CancellationToken::new();
            assert_eq!(until(&token).map_collect(0..10, |item| item), Ok((0..10).collect()));
            // By the last item: all are done by then.
            assert_eq!(until(&token).for_each(0..1, |_| token.cancel()), Ok(()));
            assert_eq!(until(&token).for_each(0..0, |_| ()), Ok(()), "of nothing, all is done");
            assert_eq!(until(&token).reduce(0..0, || 5, |item| item, |a, b| a + b), Ok(5));
        });
    });
}

#[test]
fn results_so_far_are_dropped_once() {
    within_a_minute(|| {
        in_every_runtime(|| {
            for enough in [1, 100, ITEMS / 2] {
                let (token, roll) = (CancellationToken::new(), Roll::new(ITEMS));
                let made = AtomicUsize::new(0);
                let make = |item: usize| {
                    compute(100);
                    if made.fetch_add(1, SeqCst) + 1 >= enough {
                        token.cancel();
                    }
                    roll.entry(item)
                };
                let outcome = until(&token).map_collect(0..ITEMS, make);
                let made_by_now = made.load(SeqCst);
                if let Err(cancelled) = &outcome {
                    assert_eq!(cancelled.completed(), made_by_now);
                }
                drop(outcome);
                roll.assert_dropped_once(made_by_now);
            }
        });
    });
}

/// A range that takes longer than a lifetime, with more items than one region can number.
#[test]
fn an_endless_loop_is_stopped_by_another_thread() {
    within_a_minute(|| {
        for processors in [1, 2, 3, 8] {
            let runtime = runtime_with(processors);
            let token = CancellationToken::new();
            let (begun, has_begun) = channel();
            let stopper = {
                let token = token.clone();
                thread::spawn(move || {
                    has_begun.recv_timeout(LIMIT).expect("the loop begins");
                    token.cancel();
                })
            };
            let outcome = runtime.run(async move {
                until(&token).for_each(i64::MIN..i64::MAX, |item| {
                    if item == i64::MIN {
                        begun.send(()).expect("the test waits");
                    }
                })
            });
            let cancelled = outcome.expect_err("it has no end");
            assert_eq!(cancelled.total(), usize::MAX);
            assert!(cancelled.completed() > 0);
            stopper.join().expect("no panic");
        }
    });
}
