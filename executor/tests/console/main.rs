//! Feature `console` shows each event of each task once, in the words that tokio-console knows.

mod recorder;
mod resources;

use std::cell::RefCell;
use std::future::{Future, pending, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};
use std::time::Duration;

use tracing::{Event, Metadata, Subscriber, span, subscriber};
use wsrt as under_test;
use wsrt::runtime::{Builder, Runtime};
use wsrt::sync::CancellationToken;
use wsrt::task::{self, LocalEnterGuard, LocalSet};
use wsrt::time::{interval, sleep, timeout};

use recorder::{Record, Recorder, Seen};

fn is_placed_here(record: &Record) -> bool {
    record.is_placed_in(file!())
}

/// Runs `main` on a current-thread runtime, all on this thread, and returns the events that were
/// seen.
fn seen_of(main: impl AsyncFnOnce()) -> Seen {
    let recorder = Recorder::default();
    subscriber::with_default(recorder.clone(), || {
        let runtime = Builder::new_current_thread().build().expect("a runtime is to be had");
        runtime.block_on(main());
    });
    std::mem::take(&mut *recorder.seen())
}

fn named(name: &str) -> task::Builder<'_> {
    task::Builder::new().name(name)
}

fn spawn_named(name: &str, future: impl Future<Output = ()> + Send + 'static) -> task::JoinHandle<()> {
    named(name).spawn(future)
}

#[test]
fn a_task_is_shown_with_name_number_size_and_place() {
    let mut number = String::new();
    let seen = seen_of(async || {
        let task = named("greeter").spawn(async { [0u8; 100].len() });
        number = task.id().to_string();
        task.await.expect("it does not panic");
        task::spawn(async {}).await.expect("it does not panic");
    });
    let greeter = seen.named("greeter");
    assert_eq!((greeter.name, greeter.target), ("runtime.spawn", "tokio::task"));
    assert_eq!((greeter.fields["kind"].as_str(), &greeter.fields["task.id"]), ("task", &number));
    assert_eq!(greeter.fields["size.bytes"], size_of_val(&async { [0u8; 100].len() }).to_string());
    assert!(is_placed_here(greeter));
    let nameless = seen.of_kind("task").into_iter().find(|task| !task.fields.contains_key("task.name"));
    assert!(nameless.is_some_and(is_placed_here));
}

#[test]
fn each_poll_and_the_drop_enter_the_span_once() {
    let seen = seen_of(async || {
        let yields = named("yields").spawn(async {
            for _ in 0..5 {
                task::yield_now().await;
            }
        });
        yields.await.expect("it does not panic");
        let waits = named("waits").spawn(pending::<()>());
        task::yield_now().await;
        waits.abort();
        assert!(waits.await.expect_err("it was aborted").is_cancelled());
        let panics = named("panics").spawn(async { panic!("as it should") });
        assert!(panics.await.expect_err("it panicked").is_panic());
    });
    let yields = seen.named("yields");
    // A drop counts as a poll, as with tokio.
    assert_eq!((yields.polls, yields.wakes, yields.self_wakes), (6 + 1, 5, 5));
    for name in ["yields", "waits", "panics"] {
        let task = seen.named(name);
        assert!(task.is_closed && !task.is_entered, "{task:#?}");
    }
    assert_eq!(seen.named("waits").polls, 1 + 1);
}

#[test]
fn what_was_cloned_was_dropped_or_used_up() {
    let kept: Arc<Mutex<Vec<Waker>>> = Arc::default();
    let theirs = Arc::clone(&kept);
    let seen = seen_of(async move || {
        let (sender, mut receiver) = wsrt::sync::mpsc::channel::<u32>(1);
        let consumer = named("consumer").spawn(async move { while receiver.recv().await.is_some() {} });
        let producer = named("producer").spawn(async move {
            for number in 0..50 {
                sender.send(number).await.expect("somebody listens");
                timeout(Duration::from_secs(20), sleep(Duration::from_micros(10))).await.expect("it is in time");
            }
        });
        let hoarder = named("hoarder").spawn(async move {
            poll_fn(|context| {
                let waker = context.waker().clone();
                theirs.lock().unwrap().extend([waker.clone(), waker.clone(), waker]);
                Poll::Ready(())
            })
            .await;
        });
        for task in [consumer, producer, hoarder] {
            task.await.expect("it does not panic");
        }
        // The task is gone, its wakers are not.
        let mut kept = std::mem::take(&mut *kept.lock().unwrap()).into_iter();
        kept.next().expect("there are three").wake();
        drop(kept);
    });
    for name in ["consumer", "producer", "hoarder"] {
        let task = seen.named(name);
        assert!(task.clones > 0 && task.clones == task.drops, "{task:#?}");
        assert!(task.is_closed);
    }
    assert_eq!((seen.named("hoarder").clones, seen.named("hoarder").wakes), (3, 1));
    assert!(seen.named("consumer").wakes > 0);
}

#[test]
fn a_task_that_waits_has_a_waker_somewhere() {
    let recorder = Recorder::default();
    let theirs = recorder.clone();
    subscriber::with_default(recorder, || {
        let runtime = Builder::new_current_thread().build().expect("a runtime is to be had");
        runtime.block_on(async move {
            let (sender, receiver) = wsrt::sync::oneshot::channel::<()>();
            let socket = wsrt::net::UdpSocket::bind("127.0.0.1:0").await.expect("the loopback is there");
            let waits = [
                named("channel").spawn(async move { drop(receiver.await) }),
                named("sleep").spawn(async { sleep(Duration::from_secs(1000)).await }),
                named("socket").spawn(async move { drop(socket.recv(&mut [0]).await) }),
                named("handle").spawn(async { drop(task::spawn(sleep(Duration::from_secs(1000))).await) }),
                named("lost").spawn(pending()),
            ];
            const WAIT: [&str; 4] = ["channel", "sleep", "socket", "handle"];
            let polls = |name: &&str| theirs.seen().named(name).polls;
            while WAIT.iter().chain(&["lost"]).map(polls).min() == Some(0) {
                task::yield_now().await;
            }
            let wakers = |name: &str| theirs.seen().named(name).wakers();
            for name in WAIT {
                assert!(wakers(name) > 0, "{name} counts as lost");
            }
            assert_eq!(wakers("lost"), 0);
            waits.iter().for_each(task::JoinHandle::abort);
            drop(sender);
        });
    });
}

#[test]
fn every_kind_is_shown_as_what_it_is() {
    let recorder = Recorder::default();
    subscriber::with_default(recorder.clone(), || {
        let runtime = Runtime::new().expect("a runtime is to be had");
        drop(runtime.spawn_blocking(|| ()));
        let local = LocalSet::new();
        local.block_on(&runtime, async {
            let value = Rc::new(RefCell::new(1));
            task::spawn_local(async move { *value.borrow_mut() += 1 }).await.expect("it does not panic");
        });
        runtime.run(async {});
    });
    let seen = recorder.seen();
    for (kind, count) in [("task", 1), ("local", 1), ("blocking", 1), ("block_on", 1)] {
        let found = seen.of_kind(kind);
        assert_eq!(found.len(), count, "{kind}: {found:#?}");
        assert!(found.iter().all(|record| is_placed_here(record) && record.is_closed), "{found:#?}");
    }
    let job = seen.of_kind("blocking")[0];
    assert_eq!(job.target, "tokio::task::blocking");
    assert!(job.fields["fn"].contains("closure") && job.fields["size.bytes"] == "0");
}

thread_local! {
    /// The values that the next span made on this thread drops.
    static STASH: RefCell<Option<(LocalEnterGuard, LocalSet)>> = const { RefCell::new(None) };
}

/// A subscriber that drops those values.
struct Meddler;

impl Subscriber for Meddler {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        drop(STASH.take());
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

#[test]
fn a_subscriber_may_drop_the_local_set_during_a_spawn() {
    subscriber::with_default(Meddler, || {
        let set = LocalSet::new();
        STASH.set(Some((set.enter(), set)));
        let handle = task::spawn_local(async {});
        let error = Runtime::new().expect("a runtime is to be had").block_on(handle).expect_err("the set is gone");
        assert!(error.is_cancelled());
    });
}

#[test]
fn a_local_task_of_a_current_thread_runtime_is_local() {
    async fn at_home() -> usize {
        Rc::strong_count(&Rc::new(()))
    }
    let seen = seen_of(async || {
        named("at home").spawn_local(at_home()).await.expect("it does not panic");
    });
    let task = seen.named("at home");
    assert!(task.fields["kind"] == "local" && is_placed_here(task) && task.is_closed, "{task:#?}");
    assert_eq!(task.fields["size.bytes"], size_of_val(&at_home()).to_string());
}

#[test]
fn a_timer_is_shown_from_first_wait_to_end() {
    let seen = seen_of(async || {
        named("sleeps").spawn(async { sleep(Duration::from_millis(5)).await }).await.expect("it does not panic");
        let mut clock = interval(Duration::from_millis(1));
        clock.tick().await;
        clock.tick().await;
        timeout(Duration::from_secs(20), task::yield_now()).await.expect("it is in time");
        // Never waited for.
        drop(sleep(Duration::from_secs(1)));
        timeout(Duration::from_secs(20), async {}).await.expect("it is in time");
    });
    for (concrete_type, poll) in [("Sleep", "poll_elapsed"), ("Interval", "poll_tick"), ("Timeout", "poll_elapsed")] {
        let timer = seen.resource(concrete_type).record;
        assert_eq!((timer.name, timer.fields["kind"].as_str()), ("runtime.resource", "timer"));
        assert!(is_placed_here(timer) && timer.is_closed, "{timer:#?}");
        assert!(!seen.poll_ops(poll).is_empty());
    }
    assert_eq!(seen.of_kind("timer").len(), 3);
    // At once, then after a wait; ready once more than it had to wait at least.
    assert_eq!(seen.poll_ops("poll_tick").iter().filter(|ready| **ready).count(), 2);
    let operations: Vec<_> = seen.spans.values().filter(|span| span.name == "runtime.resource.async_op").collect();
    assert_eq!(operations.len(), 3);
    assert!(operations.iter().all(|operation| operation.is_closed && operation.polls > 1));
}

#[test]
fn a_deadline_is_reported_in_milliseconds() {
    let seen = seen_of(async || {
        let mut wait = pin!(sleep(Duration::from_secs(3600)));
        poll_fn(|context| Poll::Ready(wait.as_mut().poll(context).is_pending())).await;
        wait.as_mut().reset(wsrt::time::Instant::now() + Duration::from_secs(7200));
    });
    let sleep = seen.resource("Sleep");
    assert_eq!((sleep.states("duration.unit"), sleep.states("duration.op")), (vec!["ms"; 2], vec!["override"; 2]));
    let updates: Vec<u64> = sleep.states("duration").iter().map(|value| value.parse().expect("a number")).collect();
    assert!(matches!(updates[..], [3_500_000..=3_600_000, 7_100_000..=7_200_000]), "{updates:?}");
}

#[test]
fn a_runtime_without_a_subscriber_runs_as_ever() {
    let runtime = Runtime::new().expect("a runtime is to be had");
    let sum = runtime.run(async {
        let tasks: Vec<_> = (0..100).map(|number| wsrt::spawn(async move { number })).collect();
        let mut sum = 0;
        for task in tasks {
            sum += task.await.expect("it does not panic");
        }
        sleep(Duration::from_millis(1)).await;
        sum
    });
    assert_eq!(sum, 4950);
}
