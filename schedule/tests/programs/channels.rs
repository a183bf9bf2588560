//! Channels and locks between tasks and threads.

use std::sync::Arc;

use wsrt::sync::{Mutex, Notify, Semaphore, mpsc, oneshot};
use wsrt::task::yield_now;
use wsrt_schedule::thread;

use crate::support::{Busy, runtime};

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
