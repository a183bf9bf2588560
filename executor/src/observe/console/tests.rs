//! The promises that hold without a runtime: which tasks the wakers wake, and keep alive.

use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};

use tracing::{Event, Metadata, Span, Subscriber, span, subscriber, trace_span};

use super::{Instrumented, Waking};

/// Counts its wakes.
#[derive(Default)]
struct Counter(AtomicUsize);

impl Wake for Counter {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.fetch_add(1, Relaxed);
    }
}

/// Wants to see everything, and notes when its spans are entered and left.
#[derive(Clone, Default)]
struct Viewer {
    notes: Arc<Mutex<Vec<&'static str>>>,
    cannot_stand_events: bool,
}

impl Viewer {
    fn note(&self, what: &'static str) {
        self.notes.lock().expect("no panic").push(what);
    }
}

impl Subscriber for Viewer {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, _: &Event<'_>) {
        assert!(!self.cannot_stand_events, "an event");
    }

    fn enter(&self, _: &span::Id) {
        self.note("entered");
    }

    fn exit(&self, _: &span::Id) {
        self.note("left");
    }
}

fn counter() -> (Arc<Counter>, Waker) {
    let counter = Arc::new(Counter::default());
    (Arc::clone(&counter), Waker::from(counter))
}

fn waking(waker: Waker) -> Arc<Waking> {
    Arc::new(Waking::new(span::Id::from_u64(1), waker))
}

#[test]
fn each_wake_reaches_the_waker_underneath() {
    let (counter, waker) = counter();
    let waking = waking(waker);
    let lent = waking.lend();
    lent.wake_by_ref();
    let clone = lent.clone();
    clone.wake_by_ref();
    clone.wake();
    assert_eq!(counter.0.load(Relaxed), 3);
}

#[test]
fn the_waker_underneath_lives_as_long_as_the_last_clone() {
    let (counter, waker) = counter();
    let waking = waking(waker);
    let clones: Vec<Waker> = (0..3).map(|_| waking.lend().clone()).collect();
    drop(waking);
    assert_eq!(Arc::strong_count(&counter), 2);
    for clone in clones {
        clone.wake();
    }
    assert_eq!(counter.0.load(Relaxed), 3);
    assert_eq!(Arc::strong_count(&counter), 1);
}

#[test]
fn all_wakers_of_a_task_wake_the_same() {
    let (_counter, waker) = counter();
    let one = waking(waker.clone());
    let other = waking(waker);
    let clone = one.lend().clone();
    assert!(clone.will_wake(&one.lend()) && one.lend().will_wake(&one.lend()));
    assert!(!clone.will_wake(&other.lend()));
}

#[test]
fn without_a_console_the_future_gets_the_plain_waker() {
    let (_counter, waker) = counter();
    let asks = poll_fn(|context| Poll::Ready(context.waker().will_wake(&waker)));
    let mut watched = pin!(Instrumented::new(asks, Span::none()));
    assert_eq!(watched.as_mut().poll(&mut Context::from_waker(&waker)), Poll::Ready(true));
}

#[test]
fn a_future_that_is_polled_for_another_wakes_that_one() {
    let (first, first_waker) = counter();
    let (second, second_waker) = counter();
    subscriber::with_default(Viewer::default(), || {
        let wakes = poll_fn(|context| {
            context.waker().wake_by_ref();
            Poll::<()>::Pending
        });
        let mut watched = pin!(Instrumented::new(wakes, trace_span!("somebody looks")));
        for waker in [&first_waker, &second_waker, &second_waker] {
            assert!(watched.as_mut().poll(&mut Context::from_waker(waker)).is_pending());
        }
    });
    assert_eq!((first.0.load(Relaxed), second.0.load(Relaxed)), (1, 2));
}

/// Notes its own end.
struct NotedEnd(Viewer);

impl Drop for NotedEnd {
    fn drop(&mut self) {
        self.0.note("dropped");
    }
}

#[test]
fn a_future_is_dropped_inside_its_span() {
    let viewer = Viewer::default();
    let end = NotedEnd(viewer.clone());
    subscriber::with_default(viewer.clone(), || {
        drop(Instrumented::new(async move { drop(end) }, trace_span!("a task")));
    });
    assert_eq!(*viewer.notes.lock().expect("no panic"), ["entered", "dropped", "left"]);
}

#[test]
fn a_wake_is_not_lost_to_a_subscriber_that_panics() {
    const TRIES: usize = 1_000;
    let (counter, waker) = counter();
    let waking = waking(waker);
    let mut owned: Vec<_> = (0..TRIES).map(|_| Waker::clone(&waking.lend())).collect();
    // Another test that reaches a place in the source for the first time may note just then that
    // it is not read: so this is repeated until the subscriber has seen it.
    let until_told = |wake: &mut dyn FnMut()| {
        (0..TRIES).any(|_| {
            tracing::callsite::rebuild_interest_cache();
            let before = counter.0.load(Relaxed);
            let told = catch_unwind(AssertUnwindSafe(&mut *wake));
            assert_eq!(counter.0.load(Relaxed), before + 1);
            told.is_err()
        })
    };
    subscriber::with_default(Viewer { cannot_stand_events: true, ..Viewer::default() }, || {
        assert!(until_told(&mut || waking.lend().wake_by_ref()));
        assert!(until_told(&mut || owned.pop().expect("there are enough").wake()));
    });
    drop(owned);
    assert_eq!(Arc::strong_count(&waking), 1);
}
