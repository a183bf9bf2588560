//! The parts of a channel or a lock in use: what one program drops in one order, and another in
//! another.

use std::future::{Future, pending};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Mutex as StdMutex};
use std::task::{Context, Waker};
use wsrt_sync::{
    Barrier, Mutex, Notify, OnceCell, OwnedMutexGuard, OwnedRwLockWriteGuard, RwLock, Semaphore, SetOnce, broadcast,
    mpsc, oneshot, watch,
};

pub(crate) type Part = Box<dyn Send>;

/// The values that were made, and how often each was dropped.
#[derive(Clone, Default)]
pub(crate) struct Values(Arc<StdMutex<Vec<Arc<AtomicUsize>>>>);

pub(crate) struct Value {
    drops: Arc<AtomicUsize>,
    all: Values,
}

impl Values {
    fn new_value(&self) -> Value {
        let drops = Arc::new(AtomicUsize::new(0));
        self.0.lock().unwrap().push(Arc::clone(&drops));
        Value { drops, all: self.clone() }
    }

    pub(crate) fn each_was_dropped_once(&self) -> bool {
        self.0.lock().unwrap().iter().all(|drops| drops.load(SeqCst) == 1)
    }
}

impl Clone for Value {
    fn clone(&self) -> Self {
        self.all.new_value()
    }
}

impl Drop for Value {
    fn drop(&mut self) {
        self.drops.fetch_add(1, SeqCst);
    }
}

/// A future that waits.
fn waiting<T: Send + 'static>(future: impl Future<Output = T> + Send + 'static) -> Part {
    let mut future = Box::pin(future);
    assert!(future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending(), "it is to wait");
    Box::new(future)
}

/// A name, and a way to make the parts.
type Named = (&'static str, fn(&Values) -> Vec<Part>);

/// For each primitive, a way to make parts of one.
pub(crate) fn parts() -> Vec<Named> {
    vec![
        ("a full channel", full_channel),
        ("an empty channel", empty_channel),
        ("an unbounded channel", unbounded_channel),
        ("a oneshot channel with a value", sent_oneshot),
        ("a oneshot channel whose ends wait", waiting_oneshot),
        ("a watch channel", watch_channel),
        ("a broadcast channel", broadcast_channel),
        ("a mutex", mutex),
        ("a lock with a writer", written_lock),
        ("a lock with readers", read_lock),
        ("a semaphore", semaphore),
        ("a notify", notify),
        ("a barrier", barrier),
        ("cells", cells),
    ]
}

fn full_channel(values: &Values) -> Vec<Part> {
    let (sender, receiver) = mpsc::channel(2);
    assert!(sender.try_send(values.new_value()).is_ok());
    let permit = sender.clone().try_reserve_owned().expect("there is room");
    let (sending, value) = (sender.clone(), values.new_value());
    let send = waiting(async move { sending.send(value).await });
    let weak = sender.downgrade();
    vec![Box::new(sender), Box::new(receiver), Box::new(permit), send, Box::new(weak)]
}

fn empty_channel(values: &Values) -> Vec<Part> {
    let (sender, mut receiver) = mpsc::channel::<Value>(1);
    let (closing, late) = (sender.clone(), sender.clone());
    let receive = waiting(async move { receiver.recv().await });
    let closed = waiting(async move { closing.closed().await });
    let value = values.new_value();
    vec![Box::new(sender), receive, closed, Box::new(SendsLast(Some((late, value))))]
}

/// Sends as it is dropped.
struct SendsLast(Option<(mpsc::Sender<Value>, Value)>);

impl Drop for SendsLast {
    fn drop(&mut self) {
        let (sender, value) = self.0.take().expect("it is dropped once");
        let _ = sender.try_send(value);
    }
}

fn unbounded_channel(values: &Values) -> Vec<Part> {
    let (sender, receiver) = mpsc::unbounded_channel();
    // More than a block of the queue.
    for _ in 0..40 {
        assert!(sender.send(values.new_value()).is_ok());
    }
    let (other, closing) = (sender.clone(), sender.clone());
    let closed = waiting(async move { closing.closed().await });
    vec![Box::new(sender), Box::new(other), Box::new(receiver), closed]
}

fn sent_oneshot(values: &Values) -> Vec<Part> {
    let (sender, receiver) = oneshot::channel();
    assert!(sender.send(values.new_value()).is_ok());
    vec![Box::new(receiver)]
}

fn waiting_oneshot(values: &Values) -> Vec<Part> {
    let (sender, receiver) = oneshot::channel();
    let (mut closing, other) = oneshot::channel::<Value>();
    let closed = waiting(async move { closing.closed().await });
    vec![Box::new(Replies(Some((sender, values.new_value())))), waiting(receiver), closed, Box::new(other)]
}

/// Sends as it is dropped.
struct Replies(Option<(oneshot::Sender<Value>, Value)>);

impl Drop for Replies {
    fn drop(&mut self) {
        let (sender, value) = self.0.take().expect("it is dropped once");
        let _ = sender.send(value);
    }
}

fn watch_channel(values: &Values) -> Vec<Part> {
    let (sender, receiver) = watch::channel(values.new_value());
    let (mut changing, mut finding) = (receiver.clone(), receiver.clone());
    let changed = waiting(async move { changing.changed().await });
    let found = waiting(async move { finding.wait_for(|_| false).await.is_ok() });
    vec![Box::new(sender.clone()), Box::new(sender), Box::new(receiver), changed, found]
}

fn broadcast_channel(values: &Values) -> Vec<Part> {
    let (sender, slow) = broadcast::channel(2);
    for _ in 0..3 {
        assert!(sender.send(values.new_value()).is_ok());
    }
    let (mut reader, weak) = (sender.subscribe(), sender.downgrade());
    let receive = waiting(async move { reader.recv().await });
    vec![Box::new(sender.subscribe()), Box::new(sender), Box::new(slow), receive, Box::new(weak)]
}

fn mutex(values: &Values) -> Vec<Part> {
    let lock = Arc::new(Mutex::new(values.new_value()));
    let guard = Arc::clone(&lock).try_lock_owned().expect("it is free");
    let guard = OwnedMutexGuard::map(guard, |value| value);
    let (first, second) = (waiting(Arc::clone(&lock).lock_owned()), waiting(Arc::clone(&lock).lock_owned()));
    vec![Box::new(lock), Box::new(guard), first, second]
}

fn written_lock(values: &Values) -> Vec<Part> {
    let lock = Arc::new(RwLock::new(values.new_value()));
    let writer = Arc::clone(&lock).try_write_owned().expect("it is free");
    let writer = OwnedRwLockWriteGuard::map(writer, |value| value);
    let (read, write) = (waiting(Arc::clone(&lock).read_owned()), waiting(Arc::clone(&lock).write_owned()));
    vec![Box::new(lock), Box::new(writer), read, write]
}

fn read_lock(values: &Values) -> Vec<Part> {
    let lock = Arc::new(RwLock::new(values.new_value()));
    let reader = Arc::clone(&lock).try_read_owned().expect("it is free");
    let other = Arc::clone(&lock).try_read_owned().expect("another one may read");
    let (write, read) = (waiting(Arc::clone(&lock).write_owned()), waiting(Arc::clone(&lock).read_owned()));
    vec![Box::new(lock), Box::new(reader), Box::new(other), write, read]
}

fn semaphore(values: &Values) -> Vec<Part> {
    let semaphore = Arc::new(Semaphore::new(3));
    let mut permit = Arc::clone(&semaphore).try_acquire_many_owned(2).expect("they are free");
    let (other, value) = (permit.split(1), values.new_value());
    let many = waiting(Arc::clone(&semaphore).acquire_many_owned(3));
    let acquiring = Arc::clone(&semaphore);
    let one = waiting(async move { (acquiring.acquire_owned().await, value) });
    vec![Box::new(semaphore), Box::new(permit), Box::new(other), many, one]
}

fn notify(values: &Values) -> Vec<Part> {
    let (notify, value) = (Arc::new(Notify::new()), values.new_value());
    let (first, second) = (waiting(Arc::clone(&notify).notified_owned()), Arc::clone(&notify).notified_owned());
    let third = waiting(async move { (second.await, value) });
    // The first has been given it, and passes it on if it is dropped before the other.
    notify.notify_one();
    vec![Box::new(notify), first, third]
}

fn barrier(values: &Values) -> Vec<Part> {
    let barrier = Arc::new(Barrier::new(3));
    let wait = || {
        let (barrier, value) = (Arc::clone(&barrier), values.new_value());
        waiting(async move { (barrier.wait().await, value) })
    };
    vec![wait(), wait(), Box::new(barrier)]
}

fn cells(values: &Values) -> Vec<Part> {
    let (once, set) = (Arc::new(OnceCell::new()), Arc::new(SetOnce::<Value>::new()));
    let compute = |value: Value| {
        let once = Arc::clone(&once);
        waiting(async move {
            let never = || async move {
                pending::<()>().await;
                value
            };
            drop(once.get_or_init(never).await.clone());
        })
    };
    let (first, second) = (compute(values.new_value()), compute(values.new_value()));
    let waits = Arc::clone(&set);
    let wait = waiting(async move { drop(waits.wait().await.clone()) });
    let filled = SetOnce::new_with(Some(values.new_value()));
    assert!(filled.set(values.new_value()).is_err() && set.get().is_none());
    vec![first, second, wait, Box::new((once, set)), Box::new(filled)]
}
