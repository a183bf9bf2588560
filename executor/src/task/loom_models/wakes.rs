//! Wakes and aborts against polls and completion.

use super::*;

/// A wake, and the waker if that did not use it up.
type WakeFn = fn(Waker) -> Option<Waker>;

/// Runs `model` with each of the two ways to wake.
fn with_each_wake(model: impl Fn(WakeFn) + Send + Sync + Clone + 'static) {
    let by_value: WakeFn = |waker| {
        waker.wake();
        None
    };
    let by_reference: WakeFn = |waker| {
        waker.wake_by_ref();
        Some(waker)
    };
    for wake in [by_value, by_reference] {
        let model = model.clone();
        loom::model(move || model(wake));
    }
}

#[test]
fn a_wake_that_meets_a_poll_is_not_lost() {
    with_each_wake(|wake| {
        let home = Home::new();
        let flag = Arc::new(AtomicBool::new(false));
        let (future, counts) = Probe::when_set(&[Arc::clone(&flag)]);
        let (runnable, handle) = home.spawn_unlisted(future);
        runnable.run();
        let waker = counts.take_waker();
        waker.wake_by_ref();
        let foreign = thread::spawn(move || {
            flag.store(true, Relaxed);
            drop(wake(waker));
        });
        home.run();
        foreign.join().unwrap();
        home.run();
        assert!(is_output(handle));
        counts.check(&home);
    });
}

#[test]
fn the_poll_after_two_wakers_sees_what_both_wrote() {
    with_each_wake(|wake| {
        let home = Home::new();
        let flags: Vec<_> = (0..2).map(|_| Arc::new(AtomicBool::new(false))).collect();
        let (future, counts) = Probe::when_set(&flags);
        let (runnable, handle) = home.spawn_unlisted(future);
        runnable.run();
        let waker = counts.take_waker();
        let foreign = thread::spawn({
            let (home, waker, flag) = (home.clone(), waker.clone(), Arc::clone(&flags[0]));
            move || {
                flag.store(true, Relaxed);
                drop(wake(waker));
                home.run();
            }
        });
        flags[1].store(true, Relaxed);
        drop(wake(waker));
        home.run();
        // It is not run after this: the holder of the runnable has seen both flags, or is woken
        // again by the other.
        foreign.join().unwrap();
        assert!(is_output(handle));
        counts.check(&home);
    });
}

#[test]
fn a_wake_that_meets_completion_does_nothing() {
    loom::model(|| {
        let (home, (runnable, handle), counts) = Home::of_unlisted_task(Probe::ready_after(1));
        runnable.run();
        let waker = counts.take_waker();
        waker.wake_by_ref();
        let foreign = thread::spawn(move || {
            waker.wake_by_ref();
            waker.wake();
        });
        home.run();
        assert_eq!(counts.polls.load(SeqCst), 2);
        foreign.join().unwrap();
        assert!(is_output(handle));
        counts.check(&home);
    });
}

#[test]
fn an_abort_at_the_last_poll_wins_or_loses() {
    loom::model(|| {
        let (home, (runnable, handle), counts) = Home::of_unlisted_task(Probe::ready_after(0));
        let abort = handle.abort_handle();
        let foreign = thread::spawn(move || abort.abort());
        runnable.run();
        foreign.join().unwrap();
        assert_eq!(is_output(handle), counts.outputs.load(SeqCst) == 1);
        counts.check(&home);
    });
}

#[test]
fn an_abort_that_meets_a_poll_cancels() {
    loom::model(|| {
        let (home, (runnable, handle), counts) = Home::of_unlisted_task(Probe::never());
        let abort = handle.abort_handle();
        let foreign = thread::spawn({
            let home = home.clone();
            move || {
                abort.abort();
                home.run();
            }
        });
        runnable.run();
        foreign.join().unwrap();
        assert!(!is_output(handle), "by the poll's end, or by the runnable that the abort made");
        counts.check(&home);
    });
}

#[test]
fn a_runnable_brings_the_queue_link_along() {
    with_each_wake(|wake| {
        let (home, (runnable, handle), counts) = Home::of_unlisted_task(Probe::never());
        runnable.run();
        let waker = counts.take_waker();
        waker.wake_by_ref();
        let through_a_queue_of_our_own = |home: &Home| {
            let mut queue = TaskQueue::new();
            queue.extend(home.pop());
            queue.for_each(Runnable::run);
        };
        let foreign = thread::spawn({
            let home = home.clone();
            move || {
                // No step between the wake and the pop, in which the other thread could queue a
                // separate runnable: passing one from thread to thread takes a queue that orders.
                let rest = wake(waker);
                through_a_queue_of_our_own(&home);
                drop(rest);
            }
        });
        through_a_queue_of_our_own(&home);
        foreign.join().unwrap();
        handle.abort();
        home.run();
        assert!(!is_output(handle));
        counts.check(&home);
    });
}
