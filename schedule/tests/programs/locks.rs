//! Locks that are waited for by tasks and by threads, some of which give up.

use std::sync::Arc;

use wsrt::sync::{Barrier, Mutex, Notify, OnceCell, RwLock, Semaphore};
use wsrt::task::yield_now;
use wsrt_schedule::thread;

use crate::support::{Busy, give_up_on, runtime};

/// Tasks and a thread hold a lock in turn, over a yield; one task waits and gives up, another is
/// aborted.
pub(crate) fn mutexes() {
    let runtime = runtime(2);
    let busy = Busy::from_here();
    let lock = Arc::new(Mutex::new(0));
    let theirs = Arc::clone(&lock);
    let outside = thread::spawn(move || *theirs.blocking_lock() += 1);
    runtime.block_on(async {
        let locks = || Arc::clone(&lock);
        let add = |lock: Arc<Mutex<i32>>| async move {
            let mut count = lock.lock().await;
            let before = *count;
            yield_now().await;
            *count = before + 1;
        };
        let gives_up = wsrt::spawn({
            let lock = locks();
            async move { drop(give_up_on(lock.lock()).await) }
        });
        let tasks = [wsrt::spawn(add(locks())), wsrt::spawn(add(locks()))];
        let aborted = wsrt::spawn({
            let lock = locks();
            async move { drop(lock.lock_owned().await) }
        });
        aborted.abort();
        for task in tasks {
            task.await.expect("no panic");
        }
        gives_up.await.expect("no panic");
        let _ = aborted.await;
    });
    outside.join().expect("no panic");
    assert_eq!(*lock.blocking_lock(), 3);
    busy.check();
}

/// Readers see both halves of what a writer writes; one that waits to write gives up with a part of
/// what it needs.
pub(crate) fn readers_and_writers() {
    let runtime = runtime(2);
    let busy = Busy::from_here();
    let lock = Arc::new(RwLock::with_max_readers((0, 0), 2));
    let theirs = Arc::clone(&lock);
    let outside = thread::spawn(move || {
        let mut pair = theirs.blocking_write();
        pair.0 += 1;
        thread::yield_now();
        pair.1 += 1;
    });
    runtime.block_on(async {
        let reads = |lock: Arc<RwLock<(i32, i32)>>| async move {
            let pair = lock.read().await;
            let first = pair.0;
            yield_now().await;
            assert_eq!(pair.1, first, "a writer is half done");
        };
        let readers = [wsrt::spawn(reads(Arc::clone(&lock))), wsrt::spawn(reads(Arc::clone(&lock)))];
        let writes = wsrt::spawn({
            let lock = Arc::clone(&lock);
            async move {
                let mut pair = lock.write_owned().await;
                pair.0 += 1;
                yield_now().await;
                pair.1 += 1;
                assert!(pair.downgrade().0 > 0);
            }
        });
        drop(give_up_on(lock.write()).await);
        for task in readers.into_iter().chain([writes]) {
            task.await.expect("no panic");
        }
    });
    outside.join().expect("no panic");
    assert_eq!(*lock.blocking_read(), (2, 2));
    busy.check();
}

/// Requests for many permits, one of which is given up when it may have one of them; a thread
/// blocks for both.
pub(crate) fn permits_in_parts() {
    let runtime = runtime(2);
    let busy = Busy::from_here();
    let permits = Arc::new(Semaphore::new(2));
    let theirs = Arc::clone(&permits);
    let outside = thread::spawn(move || drop(theirs.blocking_acquire_many(2).expect("it is open")));
    runtime.block_on(async {
        let one = |permits: Arc<Semaphore>| async move {
            let _permit = permits.acquire().await.expect("it is open");
            yield_now().await;
        };
        let tasks = [0; 3].map(|_| wsrt::spawn(one(Arc::clone(&permits))));
        drop(give_up_on(permits.acquire_many(2)).await);
        for task in tasks {
            task.await.expect("no panic");
        }
    });
    outside.join().expect("no panic");
    assert_eq!(permits.available_permits(), 2);
    busy.check();
}

/// A semaphore is closed while it is waited for: each has a permit, or the error.
pub(crate) fn closed_while_waited_for() {
    let runtime = runtime(2);
    let busy = Busy::from_here();
    let permits = Arc::new(Semaphore::new(1));
    runtime.block_on(async {
        let tasks = [0; 3].map(|_| {
            let permits = Arc::clone(&permits);
            wsrt::spawn(async move {
                if let Ok(permit) = permits.acquire().await {
                    yield_now().await;
                    drop(permit);
                }
            })
        });
        let closer = Arc::clone(&permits);
        wsrt::spawn(async move { closer.close() }).await.expect("no panic");
        for task in tasks {
            task.await.expect("no panic");
        }
    });
    assert_eq!(permits.available_permits(), 1);
    busy.check();
}

/// There is one notice for two tasks; the one that gives up leaves it to the other.
pub(crate) fn notices_passed_on() {
    let runtime = runtime(2);
    let busy = Busy::from_here();
    runtime.block_on(async {
        let notify = Arc::new(Notify::new());
        let gives_up = wsrt::spawn({
            let notify = Arc::clone(&notify);
            async move {
                if give_up_on(notify.notified()).await.is_some() {
                    notify.notify_one();
                }
            }
        });
        let waits = wsrt::spawn({
            let notify = Arc::clone(&notify);
            async move { notify.notified().await }
        });
        let tells = wsrt::spawn(async move { notify.notify_one() });
        for task in [tells, gives_up, waits] {
            task.await.expect("no panic");
        }
    });
    busy.check();
}

/// The task that makes the value may be aborted: then another makes it.
pub(crate) fn values_made_once() {
    let runtime = runtime(2);
    let busy = Busy::from_here();
    runtime.block_on(async {
        let cell = Arc::new(OnceCell::new());
        let tasks = [0, 1, 2].map(|number| {
            let cell = Arc::clone(&cell);
            wsrt::spawn(async move {
                let made = async {
                    yield_now().await;
                    number
                };
                *cell.get_or_init(|| made).await
            })
        });
        tasks[0].abort();
        let mut values = Vec::new();
        for task in tasks {
            values.extend(task.await.ok());
        }
        assert!(values.len() >= 2 && values.iter().all(|value| Some(value) == cell.get()), "{values:?}");
    });
    busy.check();
}

/// Tasks meet at a barrier twice, and each time one of them leads.
pub(crate) fn barriers() {
    let runtime = runtime(2);
    let busy = Busy::from_here();
    runtime.block_on(async {
        let barrier = Arc::new(Barrier::new(3));
        let tasks = [0; 3].map(|_| {
            let barrier = Arc::clone(&barrier);
            wsrt::spawn(async move {
                let first = barrier.wait().await.is_leader();
                [first, barrier.wait().await.is_leader()]
            })
        });
        let mut leaders = [0, 0];
        for task in tasks {
            let [first, second] = task.await.expect("no panic");
            leaders[0] += u32::from(first);
            leaders[1] += u32::from(second);
        }
        assert_eq!(leaders, [1, 1]);
    });
    busy.check();
}
