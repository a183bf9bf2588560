//! Channels and locks between tasks and threads.

use std::sync::Arc;

use wsrt::sync::broadcast::error::RecvError;
use wsrt::sync::{Mutex, Notify, Semaphore, broadcast, mpsc, oneshot, watch};
use wsrt::task::yield_now;
use wsrt_schedule::thread;

use crate::support::{Busy, Ledger, give_up_on, runtime};

/// Requests with a channel for the reply, from two tasks to a third.
pub(crate) fn requests_and_replies() {
    let runtime = runtime(2);
    let busy = Busy::from_here();
    runtime.block_on(async {
        let (sender, mut requests) = mpsc::channel::<(u32, oneshot::Sender<u32>)>(1);
        let server = wsrt::spawn(async move {
            while let Some((number, reply)) = requests.recv().await {
                let _ = reply.send(number + 1);
            }
        });
        let clients: Vec<_> = (0..2)
            .map(|number| {
                let sender = sender.clone();
                wsrt::spawn(async move {
                    let (reply, answer) = oneshot::channel();
                    sender.send((number, reply)).await.expect("the server is there");
                    assert_eq!(answer.await, Ok(number + 1));
                })
            })
            .collect();
        drop(sender);
        for client in clients {
            client.await.expect("no panic");
        }
        server.await.expect("no panic");
    });
    busy.check();
}

/// Threads that block in channels, and a task between them.
pub(crate) fn blocking_ends() {
    let runtime = runtime(1);
    let busy = Busy::from_here();
    let ((first, mut inner), (outer, mut last)) = (mpsc::channel(1), mpsc::channel(1));
    runtime.spawn(async move {
        while let Some(number) = inner.recv().await {
            outer.send(number).await.expect("the thread is there");
        }
    });
    let writer =
        thread::spawn(move || (0..3).for_each(|number| first.blocking_send(number).expect("the task is there")));
    let received: Vec<i32> = std::iter::from_fn(|| last.blocking_recv()).collect();
    writer.join().expect("no panic");
    assert_eq!(received, [0, 1, 2]);
    busy.check();
}

/// A lock, a semaphore and notices.
pub(crate) fn locks_and_notices() {
    let runtime = runtime(2);
    let busy = Busy::from_here();
    runtime.block_on(async {
        let (lock, permits, notify) = (Arc::new(Mutex::new(0)), Arc::new(Semaphore::new(1)), Arc::new(Notify::new()));
        let tasks: Vec<_> = (0..3)
            .map(|_| {
                let (lock, permits, notify) = (Arc::clone(&lock), Arc::clone(&permits), Arc::clone(&notify));
                wsrt::spawn(async move {
                    let _permit = permits.acquire().await.expect("it is open");
                    let mut count = lock.lock().await;
                    yield_now().await;
                    *count += 1;
                    notify.notify_one();
                })
            })
            .collect();
        while *lock.lock().await < 3 {
            notify.notified().await;
        }
        for task in tasks {
            task.await.expect("no panic");
        }
    });
    busy.check();
}

/// A full channel, whose senders wait, give up and block, is closed: each value is received, or
/// stays with its sender.
pub(crate) fn closed_channels() {
    let (runtime, ledger) = (runtime(2), Ledger::default());
    let busy = Busy::from_here();
    let (sender, mut receiver) = mpsc::channel(1);
    let (theirs, entry) = (sender.clone(), ledger.entry());
    let outside = thread::spawn(move || drop(theirs.blocking_send(entry)));
    runtime.block_on(async {
        let senders = [0; 2].map(|_| {
            let (sender, entry) = (sender.clone(), ledger.entry());
            wsrt::spawn(async move { drop(sender.send(entry).await) })
        });
        let gives_up = wsrt::spawn(async move {
            drop(give_up_on(sender.reserve()).await);
            sender.closed().await;
        });
        drop(receiver.recv().await.expect("there are senders"));
        receiver.close();
        while receiver.recv().await.is_some() {}
        for task in senders.into_iter().chain([gives_up]) {
            task.await.expect("no panic");
        }
    });
    outside.join().expect("no panic");
    drop(receiver);
    ledger.assert_balanced();
    busy.check();
}

/// Two tasks and a thread watch a value until it is the last one; its sender waits until they have
/// gone.
pub(crate) fn watched_values() {
    let runtime = runtime(2);
    let busy = Busy::from_here();
    let (sender, receiver) = watch::channel(0);
    runtime.block_on(async {
        let tasks = [0; 2].map(|_| {
            let mut receiver = receiver.clone();
            wsrt::spawn(async move {
                let _ = give_up_on(receiver.changed()).await;
                let mut last = *receiver.borrow_and_update();
                while last < 3 {
                    receiver.changed().await.expect("the sender waits");
                    let next = *receiver.borrow_and_update();
                    assert!(next > last, "{next} after {last}");
                    last = next;
                }
            })
        });
        drop(receiver);
        let sends = wsrt::spawn(async move {
            for value in 1..=3 {
                sender.send_replace(value);
                yield_now().await;
            }
            sender.closed().await;
        });
        for task in tasks.into_iter().chain([sends]) {
            task.await.expect("no panic");
        }
    });
    busy.check();
}

/// A channel to all with room for two values: each receiver has all of them in order, or is told
/// how many it missed.
pub(crate) fn broadcasts() {
    let runtime = runtime(2);
    let busy = Busy::from_here();
    let (sender, receiver) = broadcast::channel(2);
    runtime.block_on(async {
        let tasks = [receiver.resubscribe(), receiver].map(|mut receiver| {
            wsrt::spawn(async move {
                let mut next = 0;
                loop {
                    match receiver.recv().await {
                        Ok(value) => {
                            assert_eq!(value, next);
                            next += 1;
                        }
                        Err(RecvError::Lagged(missed)) => next += missed,
                        Err(RecvError::Closed) => return next,
                    }
                }
            })
        });
        let outside = thread::spawn(move || (0..4_u64).for_each(|value| _ = sender.send(value)));
        for task in tasks {
            assert_eq!(task.await.expect("no panic"), 4);
        }
        outside.join().expect("no panic");
    });
    busy.check();
}
