//! A schedule finds the faults that it is for, replays them, and finds none in programs that are
//! right.

use std::sync::Arc;
use std::time::Duration;

use wsrt_schedule::atomic::{AtomicUsize, Ordering::SeqCst};
use wsrt_schedule::{Condvar, Mutex, explore, replay, seed, thread, time};

/// Two threads that read, add one and write: one addition may be lost.
fn lost_addition() {
    let count = Arc::new(AtomicUsize::new(0));
    let add = |count: &AtomicUsize| count.store(count.load(SeqCst) + 1, SeqCst);
    let theirs = Arc::clone(&count);
    let other = thread::spawn(move || add(&theirs));
    add(&count);
    other.join().expect("no panic");
    assert_eq!(count.load(SeqCst), 2);
}

#[test]
fn a_lost_addition_is_found_and_replayed() {
    let failure = explore(0..1_000, lost_addition).expect_err("an addition is lost under some seed");
    assert!(failure.to_string().contains("left == right"), "{failure}");
    for _ in 0..3 {
        let again = replay(failure.seed(), lost_addition).expect_err("a seed is a schedule");
        assert_eq!(again.to_string(), failure.to_string());
    }
}

/// Two threads that take two locks, each in an order of its own.
fn crossed_locks() {
    let locks = Arc::new((Mutex::new(()), Mutex::new(())));
    let theirs = Arc::clone(&locks);
    let other = thread::spawn(move || {
        let _first = theirs.1.lock();
        drop(theirs.0.lock());
    });
    let first = locks.0.lock();
    drop(locks.1.lock());
    drop(first);
    other.join().expect("no panic");
}

#[test]
fn a_deadlock_is_found() {
    let failure = explore(0..1_000, crossed_locks).expect_err("they deadlock under some seed");
    assert!(failure.reason().starts_with("deadlock"), "{failure}");
}

/// A notice that is sent before the other thread waits, which does not look first.
fn lost_notice() {
    let place = Arc::new((Mutex::new(()), Condvar::new()));
    let theirs = Arc::clone(&place);
    let other = thread::spawn(move || theirs.1.wait(&mut theirs.0.lock()));
    place.1.notify_one();
    other.join().expect("no panic");
}

#[test]
fn a_lost_notice_is_found() {
    explore(0..1_000, lost_notice).expect_err("it is lost under some seed");
}

#[test]
fn a_thread_that_never_ends_is_found() {
    let failure = explore(0..10, || drop(thread::spawn(thread::park))).expect_err("no thread unparks it");
    assert!(failure.reason().starts_with("deadlock"), "{failure}");
    let endless = || {
        let stop = Arc::new(AtomicUsize::new(0));
        while stop.load(SeqCst) == 0 {}
    };
    let failure = replay(0, endless).expect_err("the loop has no end");
    assert_eq!(failure.reason(), "the schedule does not end");
}

/// Two threads that pause and compute by turns, until a third has taken a few steps.
fn crowded_core() {
    let is_over = Arc::new(AtomicUsize::new(0));
    let theirs = Arc::clone(&is_over);
    let busy: Vec<_> = (0..2)
        .map(|_| {
            let is_over = Arc::clone(&is_over);
            thread::spawn(move || {
                while is_over.load(SeqCst) < 10 {
                    thread::sleep(Duration::from_nanos(1));
                    (0..100).for_each(|_| _ = is_over.load(SeqCst));
                }
            })
        })
        .collect();
    let third = thread::spawn(move || (0..10).for_each(|_| _ = theirs.fetch_add(1, SeqCst)));
    busy.into_iter().chain([third]).for_each(|thread| thread.join().expect("no panic"));
}

#[test]
fn no_thread_is_without_a_step_forever() {
    explore(0..100, crowded_core).expect("the third has its steps");
}

#[test]
fn correct_programs_pass() {
    let explored = explore(0..1_000, || {
        let place = Arc::new((Mutex::new(0), Condvar::new()));
        let theirs = Arc::clone(&place);
        let other = thread::spawn(move || {
            theirs.1.wait_while(&mut theirs.0.lock(), |count| *count < 2);
        });
        for _ in 0..2 {
            *place.0.lock() += 1;
            place.1.notify_all();
        }
        other.join().expect("no panic");
    });
    assert!(explored.expect("it is right").steps > 1_000);
}

#[test]
fn time_passes_for_those_who_wait_and_never_too_early() {
    let explored = explore(0..200, || {
        let began = time::now();
        let sleeper = thread::spawn(move || {
            thread::sleep(Duration::from_secs(3_600));
            time::now() - began
        });
        thread::park_timeout(Duration::from_secs(1));
        assert!(time::now() - began >= Duration::from_secs(1));
        let lock = Mutex::new(());
        assert!(Condvar::new().wait_for(&mut lock.lock(), Duration::from_secs(1)).timed_out());
        assert!(time::now() - began >= Duration::from_secs(2));
        assert!(sleeper.join().expect("no panic") >= Duration::from_secs(3_600));
    });
    explored.expect("it is right");
}

#[test]
fn a_seed_is_one_schedule_and_two_are_two() {
    let program = || {
        let threads: Vec<_> = (0..3).map(|_| thread::spawn(|| (0..10).for_each(|_| thread::yield_now()))).collect();
        threads.into_iter().for_each(|thread| thread.join().expect("no panic"));
    };
    let trace = |seed| replay(seed, program).expect("it is right").trace;
    assert_eq!(trace(7), trace(7));
    assert_ne!(trace(7), trace(9));
}

#[test]
fn random_numbers_come_from_the_seed() {
    let numbers = Arc::new(std::sync::Mutex::new(Vec::new()));
    for _ in 0..2 {
        let theirs = Arc::clone(&numbers);
        replay(3, move || theirs.lock().expect("no panic").push(seed())).expect("it is right");
    }
    let numbers = numbers.lock().expect("no panic");
    assert_eq!(numbers[0], numbers[1]);
}

#[test]
fn destructors_of_thread_locals_take_steps_too() {
    struct Late(Arc<Mutex<usize>>);
    impl Drop for Late {
        fn drop(&mut self) {
            *self.0.lock() += 1;
        }
    }
    thread_local!(static LATE: std::cell::RefCell<Option<Late>> = const { std::cell::RefCell::new(None) });
    let explored = explore(0..500, || {
        let count = Arc::new(Mutex::new(0));
        let theirs = Arc::clone(&count);
        let other = thread::spawn(move || LATE.with(|late| *late.borrow_mut() = Some(Late(theirs))));
        other.join().expect("no panic");
        assert_eq!(*count.lock(), 1, "a thread ends after its destructors");
    });
    explored.expect("it is right");
}
