//! A herd of waiters is woken a batch at a time, with the lock free in between: what is done then
//! is as good as done after the call, and reaches none of the herd.
#![cfg(not(wsrt_loom))]

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use tokio_test::{assert_pending, assert_ready, assert_ready_err, assert_ready_ok, task::spawn};
use wsrt_sync::{Barrier, Notify, Semaphore, broadcast, mpsc};

/// More than two batches.
const HERD: usize = 100;

type Waiting<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Does something as it is called.
struct Acting(Mutex<Option<Box<dyn FnOnce() + Send>>>);

impl Wake for Acting {
    fn wake(self: Arc<Self>) {
        let act = self.0.lock().expect("not poisoned").take();
        act.into_iter().for_each(|act| act());
    }
}

fn acting(act: impl FnOnce() + Send + 'static) -> Waker {
    Waker::from(Arc::new(Acting(Mutex::new(Some(Box::new(act))))))
}

/// Counts its calls.
#[derive(Default)]
struct Counting(AtomicUsize);

impl Wake for Counting {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Relaxed);
    }
}

fn poll<T>(future: &mut Waiting<T>, waker: &Waker) -> Poll<T> {
    let _kept = wsrt_sync::budget::keep();
    wsrt_sync::budget::refill();
    future.as_mut().poll(&mut Context::from_waker(waker))
}

/// Puts a herd in line. Its first task, as it is woken, calls `act` and then drops the last.
/// Calls `wake_all`, and returns how many of the others were woken.
fn woken_of_the_others<T: 'static>(
    mut wait: impl FnMut() -> Waiting<T>,
    act: impl FnOnce() + Send + 'static,
    wake_all: impl FnOnce(),
) -> (usize, Vec<Waiting<T>>) {
    let count = Arc::<Counting>::default();
    let counting = Waker::from(Arc::clone(&count));
    let mut herd: Vec<_> = (0..HERD).map(|_| wait()).collect();
    let last: Arc<Mutex<Option<Waiting<T>>>> = Arc::default();
    let leaving = Arc::clone(&last);
    let first = acting(move || {
        act();
        drop(leaving.lock().expect("not poisoned").take());
    });
    assert!(poll(&mut herd[0], &first).is_pending());
    herd[1..].iter_mut().for_each(|waiting| assert!(poll(waiting, &counting).is_pending()));
    *last.lock().expect("not poisoned") = herd.pop();
    wake_all();
    assert!(last.lock().expect("not poisoned").is_none(), "the first of the herd was woken");
    (count.0.load(Relaxed), herd)
}

#[test]
fn a_task_that_comes_between_two_batches_is_not_notified() {
    let notify = Arc::new(Notify::new());
    let waiting = || Box::pin(Arc::clone(&notify).notified_owned()) as Waiting<()>;
    let late = Arc::new(Mutex::new(spawn(Arc::clone(&notify).notified_owned())));
    let (coming, notifying) = (Arc::clone(&late), Arc::clone(&notify));
    let act = move || {
        // In line only now, with most of the herd's wakers not yet called.
        *coming.lock().unwrap() = spawn(Arc::clone(&notifying).notified_owned());
        assert_pending!(coming.lock().unwrap().poll());
    };
    let (woken, mut herd) = woken_of_the_others(waiting, act, || notify.notify_waiters());
    assert_eq!(woken, HERD - 2, "one was dropped before its turn came");
    herd.iter_mut().for_each(|waiting| assert!(poll(waiting, Waker::noop()).is_ready()));
    let mut late = late.lock().unwrap();
    assert!(!late.is_woken());
    assert_pending!(late.poll());
    notify.notify_one();
    assert_ready!(late.poll());
}

#[test]
fn a_wake_up_between_batches_reaches_no_notified_task() {
    let notify = Arc::new(Notify::new());
    let waiting = || Box::pin(Arc::clone(&notify).notified_owned()) as Waiting<()>;
    let notifying = Arc::clone(&notify);
    let (woken, herd) = woken_of_the_others(waiting, move || notifying.notify_one(), || notify.notify_waiters());
    assert_eq!(woken, HERD - 2);
    // None of the herd has taken the permit, nor gives one back.
    drop(herd);
    assert_ready!(spawn(notify.notified()).poll());
    assert_pending!(spawn(notify.notified()).poll());
}

#[test]
fn permits_reach_a_herd_but_those_that_left() {
    let semaphore = Arc::new(Semaphore::new(0));
    let waiting = || {
        let semaphore = Arc::clone(&semaphore);
        Box::pin(async move { semaphore.acquire_owned().await.map(|permit| permit.forget()) }) as Waiting<_>
    };
    let trying = Arc::clone(&semaphore);
    let act = move || assert!(trying.try_acquire().is_err(), "the herd came before");
    let (woken, mut herd) = woken_of_the_others(waiting, act, || semaphore.add_permits(HERD + 3));
    assert_eq!(woken, HERD - 2, "one was dropped before its turn came");
    assert_eq!(semaphore.available_permits(), 4);
    herd.iter_mut().for_each(|waiting| assert!(matches!(poll(waiting, Waker::noop()), Poll::Ready(Ok(())))));
}

#[test]
fn a_closed_semaphore_refuses_a_herd() {
    let semaphore = Arc::new(Semaphore::new(0));
    let waiting = || Box::pin(Arc::clone(&semaphore).acquire_owned()) as Waiting<_>;
    let (woken, mut herd) = woken_of_the_others(waiting, || {}, || semaphore.close());
    assert_eq!(woken, HERD - 2, "one was dropped before its turn came");
    herd.iter_mut().for_each(|waiting| assert!(matches!(poll(waiting, Waker::noop()), Poll::Ready(Err(_)))));
}

#[test]
fn a_channel_admits_or_refuses_a_herd_of_senders() {
    for closes in [false, true] {
        let (sender, mut receiver) = mpsc::channel(HERD);
        (0..HERD).for_each(|_| sender.try_send(0).unwrap());
        let waiting = || {
            let sender = sender.clone();
            Box::pin(async move { sender.send(1).await.is_ok() }) as Waiting<_>
        };
        let mut values = Vec::new();
        let (woken, mut herd) = woken_of_the_others(
            waiting,
            || {},
            || {
                if closes {
                    receiver.close();
                } else {
                    let mut all = spawn(receiver.recv_many(&mut values, HERD));
                    assert_eq!(assert_ready!(all.poll()), HERD);
                }
            },
        );
        assert_eq!(woken, HERD - 2, "one was dropped before its turn came");
        herd.iter_mut().for_each(|waiting| assert_eq!(poll(waiting, Waker::noop()), Poll::Ready(!closes)));
        drop((herd, sender));
        assert_eq!(receiver.len(), if closes { HERD } else { HERD - 1 });
    }
}

#[test]
fn a_broadcast_wakes_a_herd_of_receivers() {
    let (sender, _first) = broadcast::channel(4);
    let waiting = || {
        let mut receiver = sender.subscribe();
        Box::pin(async move { receiver.recv().await }) as Waiting<_>
    };
    let (woken, mut herd) = woken_of_the_others(waiting, || {}, || assert_eq!(sender.send(7).unwrap(), HERD + 1));
    assert_eq!(woken, HERD - 2, "one was dropped before its turn came");
    herd.iter_mut().for_each(|waiting| assert_eq!(poll(waiting, Waker::noop()), Poll::Ready(Ok(7))));
}

#[test]
fn a_barrier_lets_a_herd_go_on() {
    let barrier = Arc::new(Barrier::new(HERD + 1));
    let waiting = || {
        let barrier = Arc::clone(&barrier);
        Box::pin(async move { barrier.wait().await.is_leader() }) as Waiting<_>
    };
    let (woken, mut herd) =
        woken_of_the_others(waiting, || {}, || assert!(assert_ready!(spawn(barrier.wait()).poll()).is_leader()));
    assert_eq!(woken, HERD - 2, "one was dropped before its turn came");
    herd.iter_mut().for_each(|waiting| assert_eq!(poll(waiting, Waker::noop()), Poll::Ready(false)));
}

#[test]
fn a_waker_that_panics_leaves_none_of_the_herd_asleep() {
    let semaphore = Arc::new(Semaphore::new(0));
    let waiting = || Box::pin(Arc::clone(&semaphore).acquire_owned()) as Waiting<_>;
    let give = || {
        let outcome = catch_unwind(AssertUnwindSafe(|| semaphore.add_permits(HERD)));
        assert!(outcome.is_err(), "the panic of the waker goes on");
    };
    // Not a herd's last: the waker panics before that is dropped.
    let count = Arc::<Counting>::default();
    let counting = Waker::from(Arc::clone(&count));
    let mut herd: Vec<_> = (0..HERD).map(|_| waiting()).collect();
    assert!(poll(&mut herd[0], &acting(|| panic!("a waker panics"))).is_pending());
    herd[1..].iter_mut().for_each(|waiting| assert!(poll(waiting, &counting).is_pending()));
    give();
    assert_eq!(count.0.load(Relaxed), HERD - 1);
    herd.iter_mut().for_each(|waiting| assert!(matches!(poll(waiting, Waker::noop()), Poll::Ready(Ok(_)))));
}

fn panic_of(f: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(f)).expect_err("it panics");
    let text = payload.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| payload.downcast_ref::<String>().cloned()).expect("a message")
}

#[test]
fn more_permits_than_a_semaphore_holds_are_refused() {
    for count in [usize::MAX, usize::MAX / 4 + 1, usize::MAX / 2 + 1, Semaphore::MAX_PERMITS - 4] {
        let semaphore = Semaphore::new(5);
        let message = panic_of(|| semaphore.add_permits(count));
        assert_eq!(message, "more than usize::MAX >> 3 permits", "{count}");
        assert_eq!(semaphore.available_permits(), 5, "{count}");
    }
    let semaphore = Semaphore::new(5);
    semaphore.add_permits(Semaphore::MAX_PERMITS - 5);
    assert_eq!(semaphore.available_permits(), Semaphore::MAX_PERMITS);
}

#[test]
fn refused_permits_leave_no_waiter_served_and_asleep() {
    let semaphore = Semaphore::new(0);
    let mut waiting = spawn(semaphore.acquire());
    assert_pending!(waiting.poll());
    for count in [usize::MAX, Semaphore::MAX_PERMITS + 1] {
        let message = panic_of(|| semaphore.add_permits(count));
        assert_eq!(message, "more than usize::MAX >> 3 permits");
        assert!(!waiting.is_woken());
        assert_pending!(waiting.poll());
    }
    semaphore.add_permits(Semaphore::MAX_PERMITS);
    assert!(waiting.is_woken());
    assert_ready_ok!(waiting.poll()).forget();
    assert_eq!(semaphore.available_permits(), Semaphore::MAX_PERMITS - 1);
    semaphore.close();
    assert_ready_err!(spawn(semaphore.acquire()).poll());
}
