//! Wakers work from any thread: every wake leads to a poll that sees all writes before the wake.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use wsrt::runtime::Builder;
use wsrt::time::sleep;
use wsrt_tests::{LIMIT, panic_message, two_processors, within_a_minute};

const THREADS: usize = 6;

/// A count that threads raise and one task watches. Its Relaxed count relies on the wake to be
/// seen.
#[derive(Default)]
struct Signal {
    count: AtomicUsize,
    waker: Mutex<Option<Waker>>,
}

impl Signal {
    fn raise(&self) {
        self.count.fetch_add(1, Relaxed);
        let waker = self.waker.lock().expect("no panic").clone();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// Ready when the count has reached its end.
struct Reaches(Arc<Signal>, usize);

impl Future for Reaches {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        *self.0.waker.lock().expect("no panic") = Some(context.waker().clone());
        if self.0.count.load(Relaxed) == self.1 { Poll::Ready(()) } else { Poll::Pending }
    }
}

#[test]
fn no_wake_from_many_threads_is_lost() {
    within_a_minute(|| {
        const SIGNALS: usize = 64;
        const RAISES: usize = 300;
        let runtime = two_processors();
        let signals: Vec<_> = (0..SIGNALS).map(|_| Arc::new(Signal::default())).collect();
        let tasks: Vec<_> =
            signals.iter().map(|signal| runtime.spawn(Reaches(Arc::clone(signal), THREADS * RAISES))).collect();
        thread::scope(|scope| {
            for thread in 0..THREADS {
                let signals = &signals;
                scope.spawn(move || {
                    for raise in 0..SIGNALS * RAISES {
                        signals[(raise + thread * 11) % SIGNALS].raise();
                    }
                });
            }
        });
        for task in tasks {
            runtime.block_on(task).expect("no panic");
        }
    });
}

#[test]
fn one_wake_of_a_parked_task_is_one_poll() {
    within_a_minute(|| {
        let runtime = two_processors();
        let (polled, is_polled) = channel();
        let task = runtime.spawn(poll_fn(move |context| {
            polled.send(context.waker().clone()).expect("the test listens");
            Poll::<()>::Pending
        }));
        for _ in 0..2_000 {
            let waker = is_polled.recv_timeout(LIMIT).expect("the wake is answered");
            waker.wake();
        }
        is_polled.recv_timeout(LIMIT).expect("the last wake is answered");
        task.abort();
        assert!(runtime.block_on(task).expect_err("it never ends by itself").is_cancelled());
        assert!(is_polled.try_recv().is_err(), "there were more polls than wakes");
    });
}

#[test]
fn simultaneous_wakes_are_followed_by_a_poll() {
    within_a_minute(|| {
        let runtime = two_processors();
        for _ in 0..300 {
            let signal = Arc::new(Signal::default());
            let seen = Arc::new(AtomicUsize::new(0));
            let (its_signal, its_seen) = (Arc::clone(&signal), Arc::clone(&seen));
            let task = runtime.spawn(poll_fn(move |context| {
                let done = Pin::new(&mut Reaches(Arc::clone(&its_signal), THREADS)).poll(context);
                its_seen.fetch_add(1, SeqCst);
                done
            }));
            thread::scope(|scope| {
                for _ in 0..THREADS {
                    scope.spawn(|| signal.raise());
                }
            });
            runtime.block_on(task).expect("no panic");
            assert!(seen.load(SeqCst) <= THREADS + 1, "more polls than wakes");
        }
    });
}

#[test]
fn channels_between_threads_and_tasks_deliver_everything_in_order() {
    within_a_minute(|| {
        const MESSAGES: usize = 20_000;
        let runtime = two_processors();
        let (to_task, mut from_threads) = mpsc::channel::<(usize, usize)>(8);
        let reader = runtime.spawn(async move {
            let mut next = [0; THREADS];
            while let Some((thread, number)) = from_threads.recv().await {
                assert_eq!(number, next[thread], "messages of one thread keep their order");
                next[thread] += 1;
            }
            next
        });
        thread::scope(|scope| {
            for thread in 0..THREADS {
                let to_task = to_task.clone();
                scope.spawn(move || {
                    for number in 0..MESSAGES / THREADS {
                        to_task.blocking_send((thread, number)).expect("the reader reads to the end");
                    }
                });
            }
        });
        drop(to_task);
        assert_eq!(runtime.block_on(reader).expect("order is kept"), [MESSAGES / THREADS; THREADS]);
    });
}

#[test]
fn the_poll_sees_what_a_thread_wrote_before_waking() {
    within_a_minute(|| {
        let runtime = two_processors();
        for number in 0..5_000_usize {
            let cell = Arc::new(AtomicUsize::new(0));
            let (sender, receiver) = oneshot::channel();
            let theirs = Arc::clone(&cell);
            let task = runtime.spawn(async move {
                receiver.await.expect("it is sent");
                theirs.load(Acquire)
            });
            cell.store(number, Release);
            sender.send(()).expect("the task waits");
            assert_eq!(runtime.block_on(task).expect("no panic"), number);
        }
    });
}

/// A waker that its task has replaced goes on working.
#[test]
fn an_old_waker_wakes_the_same_task() {
    within_a_minute(|| {
        let runtime = two_processors();
        let (polled, is_polled) = channel::<Waker>();
        let task = runtime.spawn(poll_fn(move |context| {
            polled.send(context.waker().clone()).expect("the test listens");
            Poll::<()>::Pending
        }));
        let first = is_polled.recv_timeout(LIMIT).expect("the first poll");
        for _ in 0..100 {
            first.wake_by_ref();
            let later = is_polled.recv_timeout(LIMIT).expect("the wake is answered");
            assert!(first.will_wake(&later), "a task has one identity");
        }
        task.abort();
    });
}

/// A waker that calls its closure.
struct Calls<F>(F);

impl<F: Fn() + Send + Sync> Wake for Calls<F> {
    fn wake(self: Arc<Self>) {
        (self.0)();
    }
}

/// The machine is at its rounds, and cannot begin others within them.
#[test]
fn a_waker_that_blocks_on_its_own_driver_panics() {
    within_a_minute(|| {
        let runtime = Builder::new_current_thread().build().expect("a runtime");
        let (tell, told) = channel();
        let handle = runtime.handle().clone();
        let waker = Waker::from(Arc::new(Calls(move || {
            let message = panic_message(|| handle.block_on(async { wsrt::spawn(async {}).await.expect("no panic") }));
            tell.send(message).expect("the test waits");
        })));
        runtime.block_on(async {
            // On a busy machine a timer may be due before it is polled.
            let _rings = loop {
                let mut rings = Box::pin(sleep(Duration::from_millis(1)));
                if rings.as_mut().poll(&mut Context::from_waker(&waker)).is_pending() {
                    break rings;
                }
            };
            sleep(Duration::from_millis(20)).await;
            wsrt::spawn(sleep(Duration::from_millis(1))).await.expect("all goes on");
        });
        let message = told.try_recv().expect("it was woken");
        assert!(message.contains("inside a waker"), "{message}");
    });
}
