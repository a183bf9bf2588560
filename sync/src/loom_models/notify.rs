//! Models of `Notify` and of the cell for a single waker.

use super::{explore, explore_with, poll_and_drop};
use crate::Notify;
use crate::waker_cell::WakerCell;
use loom::future::block_on;
use loom::sync::Arc;
use loom::sync::atomic::AtomicUsize;
use loom::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use loom::thread;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

#[test]
fn a_notification_reaches_one_of_two() {
    explore(|| {
        let notify = Arc::new(Notify::new());
        let waiting = Arc::clone(&notify);
        // Polls once: where it was notified by then, it has taken the notification.
        let waiter = thread::spawn(move || {
            let mut notified = pin!(waiting.notified());
            notified.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready()
        });
        notify.notify_one();
        let was_taken = waiter.join().unwrap();
        let is_kept = pin!(notify.notified()).poll(&mut Context::from_waker(Waker::noop())).is_ready();
        assert!(was_taken != is_kept, "taken: {was_taken}, kept: {is_kept}");
    });
}

#[test]
fn all_that_wait_are_notified() {
    explore(|| {
        let notify = Arc::new(Notify::new());
        let first = notify.notified();
        let notifying = Arc::clone(&notify);
        let notifier = thread::spawn(move || notifying.notify_waiters());
        // It was made before, so it is reached whenever it is polled.
        block_on(first);
        notifier.join().unwrap();
    });
}

#[test]
fn the_waiting_side_sees_the_work_or_is_woken() {
    explore(|| {
        let shared = Arc::new((WakerCell::new(), AtomicUsize::new(0)));
        let working = Arc::clone(&shared);
        let workers = [(); 2].map(|()| {
            let shared = Arc::clone(&working);
            thread::spawn(move || {
                shared.1.fetch_add(1, Release);
                shared.0.wake();
            })
        });
        block_on(poll_fn(|cx| {
            if shared.1.load(Acquire) == 2 {
                return Poll::Ready(());
            }
            // SAFETY: this thread alone.
            unsafe { shared.0.leave(cx.waker()) };
            if shared.1.load(Relaxed) == 2 { Poll::Ready(()) } else { Poll::Pending }
        }));
        for worker in workers {
            worker.join().unwrap();
        }
    });
}

#[test]
fn a_notification_of_a_waiter_that_leaves_goes_on() {
    explore(|| {
        let notify = Arc::new(Notify::new());
        let (leaving, notifying) = (Arc::clone(&notify), Arc::clone(&notify));
        let leaver = thread::spawn(move || {
            if poll_and_drop(leaving.notified()) {
                leaving.notify_one();
            }
        });
        let notifier = thread::spawn(move || notifying.notify_last());
        block_on(notify.notified());
        leaver.join().unwrap();
        notifier.join().unwrap();
        assert!(!poll_and_drop(notify.notified()), "there was one");
    });
}

#[test]
fn a_waker_is_cleared_or_taken() {
    explore(|| {
        let cell = Arc::new(WakerCell::new());
        let waking = Arc::clone(&cell);
        let waker = thread::spawn(move || waking.wake());
        for _ in 0..2 {
            // SAFETY: this thread alone.
            unsafe { cell.leave(Waker::noop()) };
        }
        // SAFETY: this thread alone.
        unsafe { cell.clear() };
        waker.join().unwrap();
    });
}

#[test]
fn a_wake_up_beside_a_herd_reaches_a_later_task() {
    explore_with(2, || {
        fn is_ready(future: Pin<&mut impl Future>) -> bool {
            future.poll(&mut Context::from_waker(Waker::noop())).is_ready()
        }

        let notify = std::sync::Arc::new(Notify::new());
        let [mut first, mut second] = [(); 2].map(|()| Box::pin(std::sync::Arc::clone(&notify).notified_owned()));
        assert!(!is_ready(first.as_mut()) && !is_ready(second.as_mut()));
        let notifying = std::sync::Arc::clone(&notify);
        let notifier = thread::spawn(move || notifying.notify_waiters());
        if is_ready(second.as_mut()) {
            // The call has begun, and may be between two batches.
            let mut late = pin!(notify.notified());
            assert!(!is_ready(late.as_mut()), "it came after the call");
            notify.notify_one();
            assert!(is_ready(late.as_mut()), "the wake-up went to a task that was notified");
        }
        notifier.join().unwrap();
        assert!(is_ready(first.as_mut()));
        assert!(!poll_and_drop(notify.notified()), "nothing is kept");
    });
}
