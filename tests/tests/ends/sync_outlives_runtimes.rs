//! Channels and locks outlive the runtimes of their tasks: the ends that are left work on any
//! thread, wake the tasks that are gone without harm, and drop each value once.

use std::future::{Future, pending, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::mpsc as std_mpsc;
use std::task::Poll;

use wsrt::runtime::{Builder, Runtime};
use wsrt::sync::{Mutex, Notify, RwLock, Semaphore, SetOnce, broadcast, mpsc, oneshot, watch};
use wsrt_tests::{LIMIT, Roll, foreign_block_on, runtime_with, within_a_minute};

fn runtimes() -> [Runtime; 3] {
    [runtime_with(1), runtime_with(2), Builder::new_current_thread().build().expect("a runtime")]
}

/// A wait that has begun in a task, and left the task's waker.
type Wait = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Polls the wait in a task of a runtime, which ends after that. The wait goes on elsewhere.
fn begun_on(runtime: &Runtime, wait: impl Future<Output = ()> + Send + 'static) -> Wait {
    let (give, given) = std_mpsc::channel();
    let mut wait: Option<Wait> = Some(Box::pin(wait));
    let task = runtime.spawn(async move {
        poll_fn(|cx| {
            let mut begun = wait.take().expect("it is polled once");
            assert!(begun.as_mut().poll(cx).is_pending(), "it is to wait");
            give.send(begun).expect("the test waits");
            Poll::Ready(())
        })
        .await;
    });
    runtime.block_on(task).expect("no panic");
    given.recv_timeout(LIMIT).expect("it was sent")
}

#[test]
fn a_wait_ends_elsewhere_after_its_runtimes_end() {
    within_a_minute(|| {
        for runtime in runtimes() {
            let lock = Arc::new(Mutex::new(7));
            let rw_lock = Arc::new(RwLock::new(7));
            let semaphore = Arc::new(Semaphore::new(1));
            let (notify, cell) = (Arc::new(Notify::new()), Arc::new(SetOnce::new()));
            let (sender, mut receiver) = mpsc::channel(1);
            let (reply, answer) = oneshot::channel();
            let (config, mut changes) = watch::channel(0);
            let (news, mut reader) = broadcast::channel(1);

            let guard = Arc::clone(&lock).try_lock_owned().expect("it is free");
            let reading = Arc::clone(&rw_lock).try_read_owned().expect("it is free");
            let held = Arc::clone(&semaphore).try_acquire_owned().expect("it is free");
            let (cell_to_wait_for, to_be_notified) = (Arc::clone(&cell), Arc::clone(&notify));
            let waits = [
                begun_on(&runtime, async move { assert_eq!(*lock.lock().await, 7) }),
                begun_on(&runtime, async move { *rw_lock.write().await += 1 }),
                begun_on(&runtime, async move { drop(semaphore.acquire().await.expect("it is open")) }),
                begun_on(&runtime, to_be_notified.notified_owned()),
                begun_on(&runtime, async move { assert_eq!(*cell_to_wait_for.wait().await, 7) }),
                begun_on(&runtime, async move { assert_eq!(receiver.recv().await, Some(7)) }),
                begun_on(&runtime, async move { assert_eq!(answer.await, Ok(7)) }),
                begun_on(&runtime, async move { changes.changed().await.expect("the sender is there") }),
                begun_on(&runtime, async move { assert_eq!(reader.recv().await, Ok(7)) }),
            ];
            drop(runtime);

            // Each wakes a task that is gone.
            drop((guard, reading, held));
            notify.notify_one();
            cell.set(7).expect("it is empty");
            sender.try_send(7).expect("there is room");
            reply.send(7).expect("the receiver is there");
            config.send_replace(7);
            news.send(7).expect("the receiver is there");
            waits.into_iter().for_each(foreign_block_on);
        }
    });
}

/// The runtime drops its tasks, each with one end: the other ends learn of that.
#[test]
fn the_ends_outside_learn_that_the_tasks_are_gone() {
    within_a_minute(|| {
        for runtime in runtimes() {
            let roll = Roll::new(4);
            let lock = Arc::new(Mutex::new(roll.entry(0)));
            let (sender, mut receiver) = mpsc::channel(1);
            let (full, mut last) = mpsc::channel(1);
            let (news, reader) = broadcast::channel::<u8>(1);
            let (reply, answer) = oneshot::channel::<()>();
            full.try_send(roll.entry(1)).expect("there is room");

            let (locking, value) = (Arc::clone(&lock), roll.entry(2));
            let late = roll.entry(3);
            let began = [
                runtime.spawn(hold(async move { locking.lock_owned().await })),
                runtime.spawn(hold(async move { sender.send(value).await.map(|()| sender) })),
                runtime.spawn(hold(std::future::ready((reader, reply)))),
            ];
            // It waits for room.
            let sending = runtime.spawn(async move { full.send(late).await.expect("the receiver is there") });
            runtime.block_on(async {
                while lock.try_lock().is_ok() || receiver.is_empty() {
                    wsrt::task::yield_now().await;
                }
            });
            drop(runtime);

            assert!(lock.try_lock().is_ok(), "the guard is gone with its task");
            assert!(receiver.blocking_recv().is_some());
            assert!(receiver.blocking_recv().is_none(), "the sender is gone with its task");
            assert!(last.blocking_recv().is_some());
            let rest = last.blocking_recv();
            assert!(news.send(7).is_err(), "the receiver is gone with its task");
            answer.blocking_recv().expect_err("the sender is gone with its task");
            drop((lock, rest, began, sending));
            roll.assert_each_dropped_once();
        }
    });
}

/// Keeps the output, for ever.
async fn hold<T>(future: impl Future<Output = T>) {
    let _held = future.await;
    pending::<()>().await;
}
