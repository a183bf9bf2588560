//! Locks under contention, with waiters that give up.

use std::sync::Arc;
use std::time::Duration;

use wsrt::sync::{Mutex, Notify, RwLock, Semaphore};
use wsrt::time::timeout;

use crate::ledger::Kind;
use crate::soak::Soak;

const TASKS: u64 = 8;

/// Lets some tasks fight for a lock of each kind, again and again.
pub(crate) async fn run(soak: Arc<Soak>) {
    while soak.turn(Duration::from_millis(1)).await {
        count_under_a_mutex(&soak).await;
        count_under_an_rwlock(&soak).await;
        give_up_on_a_semaphore(&soak).await;
        notify_each_once(&soak).await;
    }
}

async fn count_under_a_mutex(soak: &Arc<Soak>) {
    let count = Arc::new(Mutex::new(0));
    let tasks = in_tasks(soak, {
        let count = Arc::clone(&count);
        move |_| {
            let count = Arc::clone(&count);
            async move {
                let mut count = count.lock().await;
                let before = *count;
                wsrt::task::yield_now().await;
                *count = before + 1;
            }
        }
    });
    tasks.await;
    let count = *count.lock().await;
    soak.ledger.check(count == TASKS, || format!("{TASKS} tasks counted to {count} under a mutex"));
}

async fn count_under_an_rwlock(soak: &Arc<Soak>) {
    let count = Arc::new(RwLock::new(0));
    let tasks = in_tasks(soak, {
        let count = Arc::clone(&count);
        move |index| {
            let count = Arc::clone(&count);
            async move {
                if index % 2 == 0 {
                    *count.write().await += 1;
                } else {
                    assert!(*count.read().await <= TASKS / 2, "only half of them write");
                }
            }
        }
    });
    tasks.await;
    let count = *count.read().await;
    soak.ledger.check(count == TASKS / 2, || format!("{} tasks counted to {count} under a lock", TASKS / 2));
}

/// Half of the waiters give up: no permit may be lost with them.
async fn give_up_on_a_semaphore(soak: &Arc<Soak>) {
    const PERMITS: usize = 3;
    let semaphore = Arc::new(Semaphore::new(PERMITS));
    let tasks = in_tasks(soak, {
        let semaphore = Arc::clone(&semaphore);
        move |index| {
            let semaphore = Arc::clone(&semaphore);
            async move {
                let limit = if index % 2 == 0 { Duration::from_micros(200) } else { Duration::MAX };
                if let Ok(permit) = timeout(limit, semaphore.acquire_many(2)).await {
                    wsrt::task::yield_now().await;
                    drop(permit);
                }
            }
        }
    });
    tasks.await;
    let left = semaphore.available_permits();
    soak.ledger.check(left == PERMITS, || format!("{left} of {PERMITS} permits are left"));
}

async fn notify_each_once(soak: &Arc<Soak>) {
    let notify = Arc::new(Notify::new());
    let entry = soak.ledger.open(Kind::Lock);
    let waiting = soak.spawn({
        let notify = Arc::clone(&notify);
        async move { notify.notified().await }
    });
    if fastrand::bool() {
        wsrt::task::yield_now().await;
    }
    notify.notify_one();
    soak.ledger.check(waiting.await.is_ok(), || "a waiter was not notified".into());
    entry.settle();
}

/// Runs `work` in some tasks at once, and waits for them.
async fn in_tasks<W>(soak: &Arc<Soak>, mut work: impl FnMut(u64) -> W)
where
    W: Future<Output = ()> + Send + 'static,
{
    let entry = soak.ledger.open(Kind::Lock);
    let tasks: Vec<_> = (0..TASKS).map(|index| soak.spawn(work(index))).collect();
    for task in tasks {
        if let Err(error) = task.await {
            soak.ledger.fault(format!("a task with a lock: {error}"));
        }
    }
    entry.settle();
}
