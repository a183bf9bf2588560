//! Locks, channels and timers are shown with their state, and with the tasks that wait for them.
//!
//! `ecosystem/drop-in/unstable` runs these tests through the drop-in, where `under_test` is the
//! drop-in.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tracing::{Event, Metadata, Subscriber, span, subscriber};

use crate::CancellationToken;
use crate::recorder::{Recorder, Seen, SeenResource};
use crate::spawn_named;
use crate::under_test::runtime::Builder;
use crate::under_test::sync::{
    Barrier, Mutex, Notify, OnceCell, RwLock, Semaphore, SetOnce, broadcast, mpsc, oneshot, watch,
};
use crate::under_test::task::{self, JoinHandle};
use crate::under_test::time::sleep;

const IT_ENDS_WELL: &str = "it does not panic";

/// Spawns tasks, and looks at what is seen of them.
struct Stage(Recorder);

impl Stage {
    /// Spawns the task "waiter", and returns once its first poll has left it waiting.
    async fn waiter(&self, future: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
        self.polled("waiter", future).await
    }

    async fn polled(&self, name: &str, future: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
        let task = spawn_named(name, future);
        while self.0.seen().named(name).polls == 0 {
            task::yield_now().await;
        }
        task
    }
}

fn run(subscriber: impl Subscriber + Send + Sync + 'static, program: impl Future<Output = ()>) {
    subscriber::with_default(subscriber, || {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime is to be had");
        runtime.block_on(program);
    });
}

/// Runs a program on one thread, and returns what was seen of it.
fn seen_of(program: impl AsyncFnOnce(Stage)) -> Seen {
    let recorder = Recorder::default();
    run(recorder.clone(), program(Stage(recorder.clone())));
    std::mem::take(&mut *recorder.seen())
}

/// Returns the one resource of that type, for which the task "waiter" has waited once.
#[track_caller]
fn waited_for<'a>(seen: &'a Seen, concrete_type: &str, source: &str) -> SeenResource<'a> {
    let resource = seen.resource(concrete_type);
    let record = resource.record;
    assert_eq!((record.target, record.fields["kind"].as_str()), ("tokio::sync", "Sync"));
    assert!(record.is_placed_in(file!()) && record.is_closed, "{record:#?}");
    assert_eq!(resource.polls(), [("waiter", source, false), ("waiter", source, true)]);
    assert_eq!(resource.states("waiting"), ["1", "0"]);
    resource
}

/// The values of a part of its state, without repetitions.
fn changes<'a>(resource: SeenResource<'a>, name: &str) -> Vec<&'a str> {
    let mut states = resource.states(name);
    states.dedup();
    states
}

#[test]
fn a_mutex_is_shown_as_locked_until_it_is_free() {
    let seen = seen_of(async |stage| {
        let lock = Arc::new(Mutex::new(()));
        let guard = lock.lock().await;
        let theirs = Arc::clone(&lock);
        let waiter = stage.waiter(async move { drop(theirs.lock().await) }).await;
        drop(guard);
        waiter.await.expect(IT_ENDS_WELL);
    });
    let mutex = waited_for(&seen, "Mutex", "Mutex::lock");
    assert_eq!(changes(mutex, "locked"), ["true", "false"]);
}

#[test]
fn a_rwlock_is_shown_with_its_readers_and_its_writer() {
    let seen = seen_of(async |stage| {
        let lock = Arc::new(RwLock::new(()));
        let (one, other) = (lock.read().await, lock.read().await);
        let theirs = Arc::clone(&lock);
        let waiter = stage.waiter(async move { drop(theirs.write().await) }).await;
        drop(one);
        drop(other);
        waiter.await.expect(IT_ENDS_WELL);
        drop(lock.read().await);
    });
    let lock = waited_for(&seen, "RwLock", "RwLock::write");
    assert_eq!(changes(lock, "current_readers"), ["2", "1", "0", "1", "0"]);
    assert_eq!(changes(lock, "write_locked"), ["false", "true", "false"]);
}

#[test]
fn a_semaphore_is_shown_with_its_free_permits() {
    let seen = seen_of(async |stage| {
        let slots = Arc::new(Semaphore::new(0));
        let theirs = Arc::clone(&slots);
        let waiter = stage.waiter(async move { drop(theirs.acquire().await) }).await;
        slots.add_permits(2);
        waiter.await.expect(IT_ENDS_WELL);
        slots.forget_permits(2);
    });
    let semaphore = waited_for(&seen, "Semaphore", "Semaphore::acquire");
    assert_eq!(changes(semaphore, "permits"), ["0", "1", "2", "0"]);
}

#[test]
fn a_notify_is_shown_with_its_stored_notification() {
    let seen = seen_of(async |stage| {
        let notify = Arc::new(Notify::new());
        let theirs = Arc::clone(&notify);
        let waiter = stage.waiter(async move { theirs.notified().await }).await;
        notify.notify_one();
        waiter.await.expect(IT_ENDS_WELL);
        notify.notify_one();
        notify.notified().await;
    });
    let notify = waited_for(&seen, "Notify", "Notify::notified");
    assert_eq!(changes(notify, "permit"), ["true", "false"]);
}

#[test]
fn an_mpsc_channel_is_shown_with_queue_and_waiting_receiver() {
    let seen = seen_of(async |stage| {
        let (sender, mut receiver) = mpsc::channel(8);
        let waiter = stage.waiter(async move { assert_eq!(receiver.recv().await, Some(1)) }).await;
        sender.send(1).await.expect("it is received");
        waiter.await.expect(IT_ENDS_WELL);
    });
    let channel = waited_for(&seen, "mpsc", "Receiver::recv");
    assert_eq!(changes(channel, "queued"), ["1", "0"]);
}

#[test]
fn a_full_mpsc_channel_is_shown_with_its_waiting_sender() {
    let seen = seen_of(async |stage| {
        let (sender, mut receiver) = mpsc::channel(1);
        sender.send(1).await.expect("it is received");
        let waiter = stage.waiter(async move { sender.send(2).await.expect("it is received") }).await;
        assert_eq!(receiver.recv().await, Some(1));
        waiter.await.expect(IT_ENDS_WELL);
        assert_eq!(receiver.recv().await, Some(2));
    });
    let channel = waited_for(&seen, "mpsc", "Sender::send");
    assert_eq!(changes(channel, "queued"), ["1", "0", "1", "0"]);
}

#[test]
fn an_unbounded_channel_is_shown_with_queue_and_receiver() {
    let seen = seen_of(async |stage| {
        let (sender, mut receiver) = mpsc::unbounded_channel();
        let waiter = stage.waiter(async move { assert_eq!(receiver.recv().await, Some(1)) }).await;
        sender.send(1).expect("it is received");
        waiter.await.expect(IT_ENDS_WELL);
    });
    let channel = waited_for(&seen, "mpsc", "Receiver::recv");
    assert_eq!(changes(channel, "queued"), ["1", "0"]);
}

#[test]
fn a_oneshot_channel_is_shown_as_sent_or_dropped() {
    let seen = seen_of(async |stage| {
        let (sender, receiver) = oneshot::channel();
        let waiter = stage.waiter(async move { assert_eq!(receiver.await, Ok(1)) }).await;
        sender.send(1).expect("it is received");
        waiter.await.expect(IT_ENDS_WELL);
    });
    let channel = waited_for(&seen, "oneshot", "Receiver::await");
    assert_eq!(channel.states("value_sent"), ["true"]);

    let seen = seen_of(async |stage| {
        let (mut sender, receiver) = oneshot::channel::<()>();
        let waiter = stage.waiter(async move { sender.closed().await }).await;
        drop(receiver);
        waiter.await.expect(IT_ENDS_WELL);
    });
    let channel = waited_for(&seen, "oneshot", "Sender::closed");
    assert_eq!((channel.states("rx_dropped"), channel.states("tx_dropped")), (vec!["true"], vec!["true"]));
}

#[test]
fn broadcast_and_watch_are_shown_with_how_much_was_sent() {
    let seen = seen_of(async |stage| {
        let (sender, mut receiver) = broadcast::channel(8);
        let waiter = stage.waiter(async move { assert_eq!(receiver.recv().await, Ok(1)) }).await;
        sender.send(1).expect("it is received");
        waiter.await.expect(IT_ENDS_WELL);
        let (sender, mut receiver) = watch::channel(0);
        let watcher = stage.polled("watcher", async move { receiver.changed().await.expect("the sender is there") });
        let watcher = watcher.await;
        sender.send_replace(1);
        watcher.await.expect(IT_ENDS_WELL);
    });
    assert_eq!(waited_for(&seen, "broadcast", "Receiver::recv").states("sent"), ["1"]);
    let watch = seen.resource("watch");
    assert_eq!(watch.polls(), [("watcher", "Receiver::changed", false), ("watcher", "Receiver::changed", true)]);
    assert_eq!(watch.states("version"), ["1"]);
}

#[test]
fn a_barrier_is_shown_with_how_many_have_arrived() {
    let seen = seen_of(async |stage| {
        let barrier = Arc::new(Barrier::new(2));
        let theirs = Arc::clone(&barrier);
        let waiter = stage.waiter(async move { _ = theirs.wait().await }).await;
        barrier.wait().await;
        waiter.await.expect(IT_ENDS_WELL);
    });
    let barrier = waited_for(&seen, "Barrier", "Barrier::wait");
    assert_eq!(changes(barrier, "arrived"), ["1", "0"]);
}

#[test]
fn cells_and_tokens_are_shown_with_tasks_that_wait() {
    let seen = seen_of(async |stage| {
        let cell = Arc::new(OnceCell::new());
        let (first, second) = (Arc::clone(&cell), Arc::clone(&cell));
        let fill = async || {
            for _ in 0..10 {
                task::yield_now().await;
            }
        };
        let filler = stage.polled("filler", async move { _ = first.get_or_init(fill).await }).await;
        let waiter = stage.waiter(async move { _ = second.get_or_init(async || ()).await }).await;
        filler.await.expect(IT_ENDS_WELL);
        waiter.await.expect(IT_ENDS_WELL);
    });
    waited_for(&seen, "OnceCell", "OnceCell::get_or_init");

    let seen = seen_of(async |stage| {
        let cell = Arc::new(SetOnce::new());
        let theirs = Arc::clone(&cell);
        let waiter = stage.waiter(async move { assert_eq!(theirs.wait().await, &1) }).await;
        cell.set(1).expect("it is empty");
        waiter.await.expect(IT_ENDS_WELL);
    });
    waited_for(&seen, "SetOnce", "SetOnce::wait");

    let seen = seen_of(async |stage| {
        let token = CancellationToken::new();
        let waiter = stage.waiter(token.clone().cancelled_owned()).await;
        token.cancel();
        waiter.await.expect(IT_ENDS_WELL);
    });
    waited_for(&seen, "CancellationToken", "CancellationToken::cancelled");
}

#[test]
fn a_sleep_is_shown_with_the_task_that_sleeps() {
    let seen = seen_of(async |stage| {
        let waiter = stage.waiter(async { sleep(Duration::from_millis(5)).await }).await;
        waiter.await.expect(IT_ENDS_WELL);
    });
    let sleep = seen.resource("Sleep");
    assert_eq!((sleep.record.fields["kind"].as_str(), sleep.states("duration").len()), ("timer", 1));
    let polls = sleep.polls();
    assert!(polls.iter().all(|(task, source, _)| (*task, *source) == ("waiter", "Sleep::new_timeout")));
    assert_eq!((polls.first().map(|poll| poll.2), polls.last().map(|poll| poll.2)), (Some(false), Some(true)));
}

#[test]
fn what_nobody_waits_for_is_not_shown() {
    let seen = seen_of(async |_| {
        *Mutex::new(0).lock().await += 1;
        let (sender, mut receiver) = mpsc::channel(1);
        sender.send(1).await.expect("it is received");
        assert_eq!(receiver.recv().await, Some(1));
        let (sender, receiver) = oneshot::channel();
        sender.send(1).expect("it is received");
        assert_eq!(receiver.await, Ok(1));
    });
    assert_eq!(seen.resources(), 0);
}

#[test]
fn a_wait_that_is_given_up_ends() {
    let seen = seen_of(async |stage| {
        let slots = Arc::new(Semaphore::new(1));
        let theirs = Arc::clone(&slots);
        let waiter = stage.waiter(async move { drop(theirs.acquire_many(2).await) }).await;
        waiter.abort();
        assert!(waiter.await.expect_err("it was aborted").is_cancelled());
    });
    let semaphore = seen.resource("Semaphore");
    assert_eq!(semaphore.polls(), [("waiter", "Semaphore::acquire", false)]);
    assert_eq!(semaphore.states("waiting"), ["1", "0"]);
    // Meanwhile the waiting task had the one permit.
    assert_eq!(changes(semaphore, "permits"), ["0", "1"]);
    assert!(semaphore.record.is_closed);
}

/// A subscriber that sends a message for each event.
struct Forwarder(mpsc::UnboundedSender<()>);

impl Subscriber for Forwarder {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, _: &Event<'_>) {
        let _ = self.0.send(());
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

#[test]
fn a_subscriber_may_use_channels_that_it_is_told_of() {
    let (sender, mut receiver) = mpsc::unbounded_channel();
    run(Forwarder(sender.clone()), async move {
        let waiter = spawn_named("waiter", async move {
            for _ in 0..3 {
                assert_eq!(receiver.recv().await, Some(()));
            }
        });
        task::yield_now().await;
        sender.send(()).expect("it is received");
        waiter.await.expect(IT_ENDS_WELL);
    });
}
