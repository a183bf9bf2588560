//! A panic in a parallel call stops it and goes on in the caller, after all participants have left;
//! nothing leaks, and nothing runs twice.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any, resume_unwind};
use std::sync::Barrier;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;

use wsrt::parallel::{self, join, scope};
use wsrt_tests::{
    Roll, compute, in_a_process_of_its_own, in_every_runtime, panic_message, runtime_with, text_of, within_a_minute,
};

const ITEMS: usize = 1_000;
const ROUNDS: usize = 20;

/// The payload of the panics here, which print nothing.
#[derive(Debug, PartialEq)]
struct Oops(usize);

fn fail(number: usize) -> ! {
    resume_unwind(Box::new(Oops(number)))
}

/// Calls `body`, which panics with an `Oops`, and returns its number.
#[track_caller]
fn number_of_panic<T>(body: impl FnOnce() -> T) -> usize {
    let panic = catch_unwind(AssertUnwindSafe(body)).map(drop).expect_err("it panics");
    panic.downcast::<Oops>().expect("it is what was thrown").0
}

/// A value in the frame of the caller: no participant may touch it when the call is over.
#[derive(Default)]
struct Frame(AtomicBool);

impl Frame {
    fn visit(&self) {
        assert!(!self.0.load(SeqCst), "the call is over");
    }

    fn leave(&self) {
        self.0.store(true, SeqCst);
    }
}

#[test]
fn a_loop_ends_with_the_first_panic_after_all_left() {
    within_a_minute(|| {
        in_every_runtime(|| {
            for round in 0..ROUNDS {
                let (frame, begun) = (Frame::default(), AtomicUsize::new(0));
                let bad = round * ITEMS / ROUNDS;
                let number = number_of_panic(|| {
                    parallel::for_each(0..ITEMS, |item| {
                        begun.fetch_add(1, SeqCst);
                        compute(500);
                        if item == bad {
                            fail(item);
                        }
                        frame.visit();
                    });
                });
                frame.leave();
                assert_eq!(number, bad);
                assert!(begun.load(SeqCst) <= ITEMS);
            }
        });
    });
}

#[test]
fn of_many_panics_one_resumes_and_others_are_dropped() {
    within_a_minute(|| {
        in_every_runtime(|| {
            for _ in 0..ROUNDS {
                let number = number_of_panic(|| parallel::for_each(0..ITEMS, |item| fail(item)));
                assert!(number < ITEMS);
                let number = number_of_panic(|| {
                    scope(|scope| (0..10).for_each(|job| scope.spawn(move |_| fail(job))));
                });
                assert!(number < 10);
            }
        });
    });
}

#[test]
fn results_so_far_are_dropped_once() {
    within_a_minute(|| {
        in_every_runtime(|| {
            for round in 0..ROUNDS {
                let (roll, made) = (Roll::new(ITEMS), AtomicUsize::new(0));
                let bad = round * ITEMS / ROUNDS;
                let make = |item: usize| {
                    compute(200);
                    if item == bad {
                        fail(item);
                    }
                    made.fetch_add(1, SeqCst);
                    roll.entry(item)
                };
                assert_eq!(number_of_panic(|| parallel::map_collect(0..ITEMS, make)), bad);
                roll.assert_dropped_once(made.load(SeqCst));

                let (roll, made) = (Roll::new(ITEMS), AtomicUsize::new(0));
                let make = |item: usize| {
                    if item == bad {
                        fail(item);
                    }
                    made.fetch_add(1, SeqCst);
                    vec![roll.entry(item)]
                };
                let concat = |mut a: Vec<_>, mut b: Vec<_>| {
                    a.append(&mut b);
                    a
                };
                assert_eq!(number_of_panic(|| parallel::reduce(0..ITEMS, Vec::new, make, concat)), bad);
                roll.assert_dropped_once(made.load(SeqCst));
            }
        });
    });
}

#[test]
fn a_combine_that_panics_drops_what_it_was_given() {
    within_a_minute(|| {
        in_every_runtime(|| {
            let (roll, made) = (Roll::new(ITEMS), AtomicUsize::new(0));
            let make = |item: usize| {
                made.fetch_add(1, SeqCst);
                (item, roll.entry(item))
            };
            let number = number_of_panic(|| {
                parallel::reduce(
                    0..ITEMS,
                    || (0, Roll::new(1).entry(0)),
                    make,
                    |a, b| {
                        if b.0 >= ITEMS / 2 { fail(0) } else { a }
                    },
                )
            });
            assert_eq!(number, 0);
            roll.assert_dropped_once(made.load(SeqCst));
        });
    });
}

#[test]
fn arriving_results_are_dropped_by_their_holder() {
    within_a_minute(|| {
        in_every_runtime(|| {
            let roll = Roll::new(ITEMS);
            let results = parallel::map_collect(0..ITEMS, |item| roll.entry(item));
            assert_eq!(roll.dropped(), 0);
            drop(results);
            roll.assert_each_dropped_once();
        });
    });
}

#[test]
fn both_sides_of_a_join_end_and_the_first_wins() {
    within_a_minute(|| {
        in_every_runtime(|| {
            for round in 0..200 {
                let (frame, roll) = (Frame::default(), Roll::new(2));
                let (first, second) = (roll.entry(0), roll.entry(1));
                let number = number_of_panic(|| {
                    join(
                        || {
                            let _first = first;
                            compute(round * 10);
                            fail(1)
                        },
                        || {
                            let _second = second;
                            compute(1_000);
                            frame.visit();
                            if round % 2 == 0 {
                                fail(2);
                            }
                        },
                    )
                });
                frame.leave();
                assert_eq!(number, 1);
                roll.assert_each_dropped_once();
            }
        });
    });
}

#[test]
fn a_panicking_second_closure_drops_the_result_of_the_first() {
    within_a_minute(|| {
        in_every_runtime(|| {
            for round in 0..200 {
                let roll = Roll::new(1);
                let number = number_of_panic(|| {
                    join(
                        || {
                            compute(round * 10);
                            roll.entry(0)
                        },
                        || fail(2),
                    )
                });
                assert_eq!(number, 2);
                roll.assert_each_dropped_once();
            }
        });
    });
}

#[test]
fn jobs_of_a_scope_run_once_or_are_dropped() {
    within_a_minute(|| {
        in_every_runtime(|| {
            for bad in [0, 1, 50, 99] {
                let (frame, roll) = (Frame::default(), Roll::new(100));
                let number = number_of_panic(|| {
                    scope(|scope| {
                        for job in 0..100 {
                            let (entry, frame) = (roll.entry(job), &frame);
                            scope.spawn(move |_| {
                                let _entry = entry;
                                compute(500);
                                frame.visit();
                                if job == bad {
                                    fail(job);
                                }
                            });
                        }
                    });
                });
                frame.leave();
                assert_eq!(number, bad);
                roll.assert_each_dropped_once();
            }
        });
    });
}

#[test]
fn a_scope_whose_own_closure_panics_waits_for_its_jobs() {
    within_a_minute(|| {
        in_every_runtime(|| {
            let (frame, roll) = (Frame::default(), Roll::new(100));
            let number = number_of_panic(|| {
                scope(|scope| {
                    for job in 0..100 {
                        let (entry, frame) = (roll.entry(job), &frame);
                        scope.spawn(move |_| {
                            let _entry = entry;
                            compute(500);
                            frame.visit();
                        });
                    }
                    fail(7)
                })
            });
            frame.leave();
            assert_eq!(number, 7);
            roll.assert_each_dropped_once();
        });
    });
}

/// Jobs that a closure has given to the scope around a join lie above the join's own job when it
/// unwinds.
#[test]
fn an_unwinding_join_leaves_the_jobs_of_its_scope() {
    within_a_minute(|| {
        in_every_runtime(|| {
            let roll = Roll::new(11);
            let number = number_of_panic(|| {
                scope(|scope| {
                    let last = roll.entry(10);
                    join(
                        || {
                            for job in 0..10 {
                                let entry = roll.entry(job);
                                scope.spawn(move |_| drop(entry));
                            }
                            fail(3)
                        },
                        || drop(last),
                    )
                });
            });
            assert_eq!(number, 3);
            roll.assert_each_dropped_once();
        });
    });
}

#[test]
fn a_panic_deep_inside_comes_out() {
    within_a_minute(|| {
        in_every_runtime(|| {
            let frame = Frame::default();
            let number = number_of_panic(|| {
                parallel::for_each(0..4, |outer| {
                    scope(|scope| {
                        for job in 0..4 {
                            let frame = &frame;
                            scope.spawn(move |_| {
                                join(
                                    || frame.visit(),
                                    || {
                                        parallel::for_each(0..100, |item| {
                                            frame.visit();
                                            if (outer, job, item) == (3, 2, 50) {
                                                fail(42);
                                            }
                                        });
                                    },
                                );
                            });
                        }
                    });
                });
            });
            frame.leave();
            assert_eq!(number, 42);
            assert_eq!(parallel::map_collect(0..10, |n| n), (0..10).collect::<Vec<_>>(), "and all goes on");
        });
    });
}

/// A value that panics when it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            panic!("dropped");
        }
    }
}

/// The second payload reaches no caller: its drop may neither end a thread of the runtime's nor
/// replace the first.
#[test]
fn payloads_that_panic_when_dropped_do_no_harm() {
    let test = "payloads_that_panic_when_dropped_do_no_harm";
    let output = in_a_process_of_its_own(test, &[], || {
        within_a_minute(|| {
            let is_bomb = |panic: Box<dyn Any + Send>| {
                let bomb = panic.downcast::<Bomb>().expect("the payload of a closure");
                std::mem::forget(bomb);
            };
            for processors in [1, 2] {
                let runtime = runtime_with(processors);
                let both = Barrier::new(processors);
                runtime.block_on(async {
                    let panic = catch_unwind(AssertUnwindSafe(|| {
                        parallel::for_each(0..processors, |_| {
                            both.wait();
                            panic_any(Bomb);
                        });
                    }));
                    is_bomb(panic.expect_err("both panic"));
                    let panic = catch_unwind(AssertUnwindSafe(|| {
                        scope(|scope| (0..4).for_each(|_| scope.spawn(|_| panic_any(Bomb))));
                    }));
                    is_bomb(panic.expect_err("all panic"));
                    let panic = catch_unwind(AssertUnwindSafe(|| {
                        join(|| -> () { panic_any(Bomb) }, || -> () { panic_any(Bomb) })
                    }));
                    is_bomb(panic.map(drop).expect_err("both panic"));
                    // A result that panics when it is dropped, because the other closure has
                    // panicked.
                    let panic = catch_unwind(AssertUnwindSafe(|| join(|| Bomb, || -> () { panic_any(Bomb) })));
                    is_bomb(panic.map(drop).expect_err("it panics"));
                });
                assert_eq!(runtime.run(async { 1 }), 1);
            }
        });
    });
    text_of(&output);
}

#[test]
fn a_size_of_zero_is_refused_in_words() {
    let message = panic_message(|| parallel::chunks::<u8>(&[], 0));
    assert_eq!(message, "wsrt: parallel::chunks: the size of a chunk is at least 1, not 0");
    let message = panic_message(|| parallel::chunks_mut::<u8>(&mut [], 0));
    assert_eq!(message, "wsrt: parallel::chunks_mut: the size of a chunk is at least 1, not 0");
}
