//! Loops of operations that are ready at once, for each operation of each channel and lock.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use wsrt::sync::{Barrier, Mutex, Notify, OnceCell, RwLock, Semaphore, SetOnce, broadcast, mpmc, mpsc, oneshot, watch};

/// Counts the operations that were ready.
pub(crate) type Count = Arc<AtomicUsize>;

type Endless = Pin<Box<dyn Future<Output = ()> + Send>>;

pub(crate) struct Operation {
    pub(crate) name: &'static str,
    make: fn(Count) -> Endless,
}

impl Operation {
    /// A loop of the operation that never ends.
    pub(crate) fn endless(&self, count: Count) -> Endless {
        (self.make)(count)
    }
}

/// `"name": { preparation } { repeated part }`, with an `.await` in it.
macro_rules! operations {
    ($($name:literal: { $($prepare:tt)* } { $($repeat:tt)* })*) => {
        vec![$(Operation {
            name: $name,
            make: |count| Box::pin(async move {
                $($prepare)*
                loop {
                    { $($repeat)* }
                    count.fetch_add(1, SeqCst);
                }
            }),
        }),*]
    };
}

pub(crate) fn channels() -> Vec<Operation> {
    let mut all = bounded();
    all.append(&mut unbounded());
    all.append(&mut shared());
    all.append(&mut oneshots());
    all.append(&mut watches());
    all.append(&mut broadcasts());
    all
}

/// Channels of many receivers.
fn shared() -> Vec<Operation> {
    operations! {
        "mpmc send": { let (sender, receiver) = mpmc::channel(1); } {
            sender.send(7).await.expect("the receiver is there");
            assert_eq!(receiver.try_recv(), Ok(7));
        }
        "mpmc send to none": { let sender = mpmc::channel(1).0; } {
            assert!(sender.send(7).await.is_err());
        }
        "mpmc recv": { let (sender, receiver) = mpmc::channel(1); } {
            sender.try_send(7).expect("there is room");
            assert_eq!(receiver.recv().await, Some(7));
        }
        "mpmc recv at the end": { let receiver = mpmc::channel::<()>(1).1; } {
            assert_eq!(receiver.recv().await, None);
        }
        "mpmc recv_many": { let (sender, receiver) = mpmc::channel(1); } {
            sender.try_send(7).expect("there is room");
            assert_eq!(receiver.recv_many(&mut Vec::new(), 4).await, 1);
        }
        "mpmc recv_many of none": { let (_sender, receiver) = mpmc::channel::<()>(1); } {
            assert_eq!(receiver.recv_many(&mut Vec::new(), 0).await, 0);
        }
        "mpmc poll_recv": { let (sender, mut receiver) = mpmc::channel(1); } {
            sender.try_send(7).expect("there is room");
            assert_eq!(poll_fn(|cx| receiver.poll_recv(cx)).await, Some(7));
        }
        "mpmc closed": { let sender = mpmc::channel::<()>(1).0; } {
            sender.closed().await;
        }
    }
}

fn bounded() -> Vec<Operation> {
    let mut all = bounded_senders();
    all.append(&mut operations! {
        "recv": { let (sender, mut receiver) = mpsc::channel(1); } {
            sender.try_send(7).expect("there is room");
            assert_eq!(receiver.recv().await, Some(7));
        }
        "recv at the end": { let mut receiver = mpsc::channel::<()>(1).1; } {
            assert_eq!(receiver.recv().await, None);
        }
        "recv_many": { let (sender, mut receiver) = mpsc::channel(1); } {
            sender.try_send(7).expect("there is room");
            assert_eq!(receiver.recv_many(&mut Vec::new(), 4).await, 1);
        }
        "recv_many of none": { let (_sender, mut receiver) = mpsc::channel::<()>(1); } {
            assert_eq!(receiver.recv_many(&mut Vec::new(), 0).await, 0);
        }
        "poll_recv": { let (sender, mut receiver) = mpsc::channel(1); } {
            sender.try_send(7).expect("there is room");
            assert_eq!(poll_fn(|cx| receiver.poll_recv(cx)).await, Some(7));
        }
        "poll_recv_many": { let (sender, mut receiver) = mpsc::channel(1); } {
            sender.try_send(7).expect("there is room");
            assert_eq!(poll_fn(|cx| receiver.poll_recv_many(cx, &mut Vec::new(), 4)).await, 1);
        }
    });
    all
}

fn bounded_senders() -> Vec<Operation> {
    operations! {
        "send": { let (sender, mut receiver) = mpsc::channel(1); } {
            sender.send(7).await.expect("the receiver is there");
            receiver.try_recv().expect("it was sent");
        }
        "send to none": { let sender = mpsc::channel(1).0; } {
            sender.send(7).await.expect_err("the receiver is gone");
        }
        "send_timeout": { let (sender, mut receiver) = mpsc::channel(1); } {
            sender.send_timeout(7, Duration::from_secs(60)).await.expect("the receiver is there");
            receiver.try_recv().expect("it was sent");
        }
        "reserve": { let (sender, _receiver) = mpsc::channel::<()>(1); } {
            drop(sender.reserve().await.expect("the receiver is there"));
        }
        "reserve_many": { let (sender, _receiver) = mpsc::channel::<()>(2); } {
            drop(sender.reserve_many(2).await.expect("the receiver is there"));
        }
        "reserve_many of none": { let (sender, _receiver) = mpsc::channel::<()>(2); } {
            drop(sender.reserve_many(0).await.expect("the receiver is there"));
        }
        "reserve_many of too many": { let (sender, _receiver) = mpsc::channel::<()>(2); } {
            assert!(sender.reserve_many(3).await.is_err(), "there is never so much room");
        }
        "reserve_owned": { let (mut sender, _receiver) = mpsc::channel::<()>(1); } {
            sender = sender.reserve_owned().await.expect("the receiver is there").release();
        }
        "closed": { let sender = mpsc::channel::<()>(1).0; } {
            sender.closed().await;
        }
    }
}

fn unbounded() -> Vec<Operation> {
    operations! {
        "unbounded recv": { let (sender, mut receiver) = mpsc::unbounded_channel(); } {
            sender.send(7).expect("the receiver is there");
            assert_eq!(receiver.recv().await, Some(7));
        }
        "unbounded recv_many": { let (sender, mut receiver) = mpsc::unbounded_channel(); } {
            sender.send(7).expect("the receiver is there");
            assert_eq!(receiver.recv_many(&mut Vec::new(), 4).await, 1);
        }
        "unbounded recv_many of none": { let (_sender, mut receiver) = mpsc::unbounded_channel::<()>(); } {
            assert_eq!(receiver.recv_many(&mut Vec::new(), 0).await, 0);
        }
        "unbounded poll_recv": { let (sender, mut receiver) = mpsc::unbounded_channel(); } {
            sender.send(7).expect("the receiver is there");
            assert_eq!(poll_fn(|cx| receiver.poll_recv(cx)).await, Some(7));
        }
        "unbounded poll_recv_many": { let (sender, mut receiver) = mpsc::unbounded_channel(); } {
            sender.send(7).expect("the receiver is there");
            assert_eq!(poll_fn(|cx| receiver.poll_recv_many(cx, &mut Vec::new(), 4)).await, 1);
        }
        "unbounded closed": { let sender = mpsc::unbounded_channel::<()>().0; } {
            sender.closed().await;
        }
    }
}

fn oneshots() -> Vec<Operation> {
    operations! {
        "oneshot": {} {
            let (sender, receiver) = oneshot::channel();
            sender.send(7).expect("the receiver is there");
            assert_eq!(receiver.await, Ok(7));
        }
        "oneshot without a sender": {} {
            let receiver = oneshot::channel::<()>().1;
            receiver.await.expect_err("the sender is gone");
        }
        "oneshot that is closed": {} {
            let (_sender, mut receiver) = oneshot::channel::<()>();
            receiver.close();
            receiver.await.expect_err("it is closed");
        }
        "oneshot closed": { let mut sender = oneshot::channel::<()>().0; } {
            sender.closed().await;
        }
        "oneshot poll_closed": { let mut sender = oneshot::channel::<()>().0; } {
            poll_fn(|cx| sender.poll_closed(cx)).await;
        }
    }
}

fn watches() -> Vec<Operation> {
    operations! {
        "changed": { let (sender, mut receiver) = watch::channel(0); } {
            sender.send_modify(|value| *value += 1);
            receiver.changed().await.expect("the sender is there");
        }
        "changed at the end": { let mut receiver = watch::channel(0).1; } {
            receiver.changed().await.expect_err("the sender is gone");
        }
        "wait_for what is there": { let (_sender, mut receiver) = watch::channel(0); } {
            drop(receiver.wait_for(|value| *value == 0).await.expect("the value does"));
        }
        "wait_for what has come": { let (sender, mut receiver) = watch::channel(0); } {
            let next = sender.send_replace(0) + 1;
            sender.send_replace(next);
            drop(receiver.wait_for(|value| *value == next).await.expect("the value does"));
        }
        "wait_for at the end": { let mut receiver = watch::channel(0).1; } {
            assert!(receiver.wait_for(|value| *value == 1).await.is_err());
        }
        "watch closed": { let sender = watch::channel(0).0; } {
            sender.closed().await;
        }
    }
}

fn broadcasts() -> Vec<Operation> {
    operations! {
        "broadcast recv": { let (sender, mut receiver) = broadcast::channel(1); } {
            sender.send(7).expect("the receiver is there");
            assert_eq!(receiver.recv().await, Ok(7));
        }
        "broadcast recv of what was lost": { let (sender, mut receiver) = broadcast::channel(1); } {
            for value in 0..3 {
                sender.send(value).expect("the receiver is there");
            }
            assert!(matches!(receiver.recv().await, Err(broadcast::error::RecvError::Lagged(1..))));
        }
        "broadcast recv at the end": { let mut receiver = broadcast::channel::<()>(1).1; } {
            assert_eq!(receiver.recv().await, Err(broadcast::error::RecvError::Closed));
        }
        "broadcast closed": { let sender = broadcast::channel::<()>(1).0; } {
            sender.closed().await;
        }
    }
}

pub(crate) fn locks() -> Vec<Operation> {
    let mut all = mutual_exclusion();
    all.append(&mut semaphores());
    all.append(&mut once());
    all
}

fn mutual_exclusion() -> Vec<Operation> {
    operations! {
        "lock": { let lock = Mutex::new(0); } {
            *lock.lock().await += 1;
        }
        "lock_owned": { let lock = Arc::new(Mutex::new(0)); } {
            *Arc::clone(&lock).lock_owned().await += 1;
        }
        "read": { let lock = RwLock::new(0); } {
            assert_eq!(*lock.read().await, 0);
        }
        "read_owned": { let lock = Arc::new(RwLock::new(0)); } {
            assert_eq!(*Arc::clone(&lock).read_owned().await, 0);
        }
        "write": { let lock = RwLock::new(0); } {
            *lock.write().await += 1;
        }
        "write_owned": { let lock = Arc::new(RwLock::new(0)); } {
            *Arc::clone(&lock).write_owned().await += 1;
        }
    }
}

fn semaphores() -> Vec<Operation> {
    operations! {
        "acquire": { let semaphore = Semaphore::new(2); } {
            drop(semaphore.acquire().await.expect("it is open"));
        }
        "acquire_many": { let semaphore = Semaphore::new(2); } {
            drop(semaphore.acquire_many(2).await.expect("it is open"));
        }
        "acquire_many of none": { let semaphore = Semaphore::new(0); } {
            drop(semaphore.acquire_many(0).await.expect("it is open"));
        }
        "acquire_owned": { let semaphore = Arc::new(Semaphore::new(2)); } {
            drop(Arc::clone(&semaphore).acquire_owned().await.expect("it is open"));
        }
        "acquire_many_owned": { let semaphore = Arc::new(Semaphore::new(2)); } {
            drop(Arc::clone(&semaphore).acquire_many_owned(2).await.expect("it is open"));
        }
        "acquire what is closed": { let semaphore = Semaphore::new(2); semaphore.close(); } {
            semaphore.acquire().await.expect_err("it is closed");
        }
    }
}

fn once() -> Vec<Operation> {
    operations! {
        "notified": { let notify = Notify::new(); } {
            notify.notify_one();
            notify.notified().await;
        }
        "notified with all": { let notify = Notify::new(); } {
            let notified = notify.notified();
            notify.notify_waiters();
            notified.await;
        }
        "notified_owned": { let notify = Arc::new(Notify::new()); } {
            notify.notify_one();
            Arc::clone(&notify).notified_owned().await;
        }
        "wait of a barrier for one": { let barrier = Barrier::new(1); } {
            assert!(barrier.wait().await.is_leader());
        }
        "get_or_init": { let cell = OnceCell::new(); } {
            assert_eq!(*cell.get_or_init(|| async { 7 }).await, 7);
        }
        "get_or_try_init": { let cell = OnceCell::new_with(Some(7)); } {
            assert_eq!(cell.get_or_try_init(|| async { Err(()) }).await, Ok(&7));
        }
        "get_or_try_init that fails": { let cell = OnceCell::<()>::new(); } {
            assert_eq!(cell.get_or_try_init(|| async { Err(7) }).await, Err(7));
        }
        "wait of a cell": { let cell = SetOnce::new_with(Some(7)); } {
            assert_eq!(*cell.wait().await, 7);
        }
    }
}
