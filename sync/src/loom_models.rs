//! Models of the words and the lists: every interleaving of a few threads.

use crate::mpsc::error::TryRecvError;
use crate::permits::Permits;
use crate::wait::WaitKind;
use crate::waker_cell::WakerCell;
use crate::{Notify, broadcast, mpsc, oneshot, watch};
use loom::future::block_on;
use loom::sync::Arc;
use loom::sync::atomic::AtomicUsize;
use loom::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use loom::thread;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

fn explore(model: impl Fn() + Send + Sync + 'static) {
    explore_with(3, model);
}

/// For models with so many steps that only few preemptions can be walked through.
fn explore_with(preemptions: usize, model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(model);
}

/// Polls once, with a waker that does nothing, and drops. Returns true if it was ready.
fn poll_and_drop(future: impl Future) -> bool {
    pin!(future).poll(&mut Context::from_waker(Waker::noop())).is_ready()
}

#[test]
fn one_permit_is_one_holders() {
    explore(|| {
        let shared = Arc::new((Permits::new(1), loom::cell::UnsafeCell::new(0)));
        let work = |shared: &(Permits, loom::cell::UnsafeCell<i32>)| {
            block_on(shared.0.take(1, WaitKind::Semaphore)).expect("nothing closes it");
            // SAFETY: the one permit is held; loom checks that.
            shared.1.with_mut(|count| unsafe { *count += 1 });
            shared.0.give(1);
        };
        let other = Arc::clone(&shared);
        let thread = thread::spawn(move || work(&other));
        work(&shared);
        thread.join().unwrap();
        assert_eq!(shared.0.free(), 1);
    });
}

#[test]
fn a_waiter_that_leaves_loses_no_permit() {
    explore(|| {
        let permits = Arc::new(Permits::new(0));
        let leaving = Arc::clone(&permits);
        let leaver = thread::spawn(move || {
            if poll_and_drop(leaving.take(1, WaitKind::Semaphore)) {
                leaving.give(1);
            }
        });
        let giving = Arc::clone(&permits);
        let giver = thread::spawn(move || giving.give(1));
        block_on(permits.take(1, WaitKind::Semaphore)).expect("nothing closes it");
        leaver.join().unwrap();
        giver.join().unwrap();
        assert_eq!(permits.free(), 0);
    });
}

#[test]
fn many_permits_are_gathered_from_several_givers() {
    explore(|| {
        let permits = Arc::new(Permits::new(1));
        let givers = [1, 1].map(|count| {
            let permits = Arc::clone(&permits);
            thread::spawn(move || permits.give(count))
        });
        block_on(permits.take(3, WaitKind::Semaphore)).expect("nothing closes it");
        for giver in givers {
            giver.join().unwrap();
        }
        assert_eq!(permits.free(), 0);
    });
}

#[test]
fn a_close_reaches_each_waiter() {
    explore(|| {
        let permits = Arc::new(Permits::new(0));
        let closing = Arc::clone(&permits);
        let closer = thread::spawn(move || closing.close());
        assert!(block_on(permits.take(1, WaitKind::Semaphore)).is_err());
        closer.join().unwrap();
    });
}

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
fn a_oneshot_value_arrives_or_comes_back() {
    explore(|| {
        let (sender, mut receiver) = oneshot::channel();
        let sending = thread::spawn(move || sender.send(Box::new(7)));
        receiver.close();
        let received = block_on(receiver).ok();
        let returned = sending.join().unwrap().err();
        assert_eq!(received.or(returned), Some(Box::new(7)));
    });
}

#[test]
fn a_oneshot_receiver_that_waits_is_woken() {
    explore(|| {
        let (sender, receiver) = oneshot::channel();
        let sending = thread::spawn(move || sender.send(7));
        assert_eq!(block_on(receiver), Ok(7));
        sending.join().unwrap().unwrap();
    });
}

#[test]
fn a_oneshot_receiver_may_change_its_waker() {
    explore(|| {
        let (sender, mut receiver) = oneshot::channel();
        let sending = thread::spawn(move || sender.send(7));
        let first = pin!(&mut receiver).poll(&mut Context::from_waker(Waker::noop()));
        let value = match first {
            Poll::Ready(value) => value,
            Poll::Pending => block_on(receiver),
        };
        assert_eq!(value, Ok(7));
        sending.join().unwrap().unwrap();
    });
}

#[test]
fn a_oneshot_sender_learns_that_the_receiver_left() {
    explore(|| {
        let (mut sender, receiver) = oneshot::channel::<()>();
        let leaving = thread::spawn(move || drop(receiver));
        block_on(sender.closed());
        leaving.join().unwrap();
    });
}

#[test]
fn who_left_a_waker_sees_the_work_or_is_woken() {
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
fn values_of_two_senders_arrive_each_once() {
    explore_with(2, || {
        let (sender, mut receiver) = mpsc::unbounded_channel();
        let other = sender.clone();
        let sending = thread::spawn(move || other.send(10).unwrap());
        sender.send(0).unwrap();
        // The first of a new block, which one of the two has put there.
        sender.send(1).unwrap();
        drop(sender);
        let mut received = Vec::new();
        while let Some(value) = block_on(receiver.recv()) {
            received.push(value);
        }
        sending.join().unwrap();
        assert!(matches!(received[..], [10, 0, 1] | [0, 10, 1] | [0, 1, 10]), "{received:?}");
    });
}

#[test]
fn a_full_channel_lets_its_senders_in_again() {
    explore_with(1, || {
        let (sender, mut receiver) = mpsc::channel(1);
        let sending = thread::spawn(move || {
            for value in 0..2 {
                block_on(sender.send(value)).unwrap();
            }
        });
        for value in 0..2 {
            assert_eq!(block_on(receiver.recv()), Some(value));
        }
        assert_eq!(block_on(receiver.recv()), None);
        sending.join().unwrap();
    });
}

#[test]
fn a_receiver_that_leaves_drops_or_returns_each_value() {
    explore(|| {
        let value = std::sync::Arc::new(());
        let (sender, receiver) = mpsc::unbounded_channel();
        let sent = std::sync::Arc::clone(&value);
        let sending = thread::spawn(move || drop(sender.send(sent)));
        drop(receiver);
        sending.join().unwrap();
        assert_eq!(std::sync::Arc::strong_count(&value), 1);
    });
}

#[test]
fn a_closed_channel_gives_what_a_permit_sends() {
    explore(|| {
        let (sender, mut receiver) = mpsc::channel(1);
        let sending = thread::spawn(move || match sender.try_reserve() {
            Ok(permit) => {
                permit.send(7);
                true
            }
            Err(_) => false,
        });
        receiver.close();
        let received = block_on(receiver.recv());
        assert_eq!(sending.join().unwrap(), received.is_some());
        assert_eq!(receiver.try_recv(), Err(TryRecvError::Disconnected));
    });
}

#[test]
fn a_watcher_sees_the_last_value() {
    explore_with(2, || {
        let (sender, mut receiver) = watch::channel(0);
        let sending = thread::spawn(move || {
            sender.send(1).unwrap();
            sender.send(2).unwrap();
        });
        while block_on(receiver.changed()).is_ok() {}
        assert_eq!(*receiver.borrow(), 2);
        sending.join().unwrap();
    });
}

#[test]
fn a_broadcast_reaches_one_that_waits() {
    explore(|| {
        let (sender, mut receiver) = broadcast::channel(2);
        let sending = thread::spawn(move || sender.send(7).unwrap());
        assert_eq!(block_on(receiver.recv()), Ok(7));
        sending.join().unwrap();
        assert_eq!(block_on(receiver.recv()), Err(broadcast::error::RecvError::Closed));
    });
}
