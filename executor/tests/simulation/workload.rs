//! A program in which tasks meet in every way: channels, locks, timers, joins, aborts, jobs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use wsrt::runtime::Runtime;
use wsrt::sync::{Mutex, Notify, Semaphore, mpsc, oneshot};
use wsrt::task::{JoinSet, spawn_blocking, yield_now};
use wsrt::time::{sleep, timeout};

/// Runs it. Returns a number that its tasks have made in their order.
pub(crate) fn run(runtime: &Runtime) -> u64 {
    runtime.run(async {
        let order = Order::default();
        let (channels, tree, timers) = (
            wsrt::spawn(channels(order.clone())),
            wsrt::spawn(tree(order.clone(), 4)),
            wsrt::spawn(timers(order.clone())),
        );
        let (locks, jobs) = (wsrt::spawn(locks(order.clone())), wsrt::spawn(jobs(order.clone())));
        for task in [channels, tree, timers, locks, jobs] {
            task.await.expect("no part panics");
        }
        aborts(&order).await;
        order.0.load(Relaxed)
    })
}

/// A hash of the order in which its owners have called.
#[derive(Clone, Default)]
struct Order(Arc<AtomicU64>);

impl Order {
    fn note(&self, number: u64) {
        let value = self.0.load(Relaxed);
        self.0.store((value.rotate_left(7) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15), Relaxed);
    }
}

async fn channels(order: Order) {
    let (sender, mut receiver) = mpsc::channel(2);
    for number in 0..4 {
        let sender = sender.clone();
        wsrt::spawn(async move {
            for round in 0..4 {
                sender.send(number * 10 + round).await.expect("the receiver waits for all");
            }
        });
    }
    drop(sender);
    let (tell, mut told) = oneshot::channel();
    let mut tell = Some(tell);
    let mut count = 0;
    loop {
        wsrt::select! {
            number = receiver.recv() => match number {
                Some(number) => {
                    order.note(number);
                    count += 1;
                    if count == 16 {
                        tell.take().expect("it is told once").send(()).expect("this task listens");
                    }
                }
                None => break,
            },
            _ = &mut told, if count == 16 => break,
        }
    }
    assert_eq!(count, 16);
}

/// Spawns a tree of tasks, each of which waits for its children.
fn tree(order: Order, depth: u64) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(async move {
        order.note(depth);
        if depth == 0 {
            return yield_now().await;
        }
        let mut children = JoinSet::new();
        for _ in 0..2 {
            children.spawn(tree(order.clone(), depth - 1));
        }
        while let Some(child) = children.join_next().await {
            child.expect("no child panics");
        }
    })
}

async fn timers(order: Order) {
    let mut sleepers = JoinSet::new();
    for number in 0..8 {
        let order = order.clone();
        sleepers.spawn(async move {
            sleep(Duration::from_micros(100 * (8 - number))).await;
            order.note(number);
        });
    }
    sleepers.join_all().await;
    assert!(timeout(Duration::from_secs(3_600), std::future::pending::<()>()).await.is_err());
}

async fn locks(order: Order) {
    let (mutex, semaphore) = (Arc::new(Mutex::new(0)), Arc::new(Semaphore::new(2)));
    let notify = Arc::new(Notify::new());
    let mut holders = JoinSet::new();
    for number in 0..6 {
        let (mutex, semaphore, notify, order) = (mutex.clone(), semaphore.clone(), notify.clone(), order.clone());
        holders.spawn(async move {
            let _admitted = semaphore.acquire().await.expect("it is not closed");
            let mut guard = mutex.lock().await;
            *guard += 1;
            yield_now().await;
            order.note(number);
            if *guard == 6 {
                notify.notify_one();
            }
        });
    }
    notify.notified().await;
    holders.join_all().await;
}

async fn jobs(order: Order) {
    let jobs: Vec<_> = (0..4)
        .map(|number| {
            let order = order.clone();
            spawn_blocking(move || {
                order.note(number);
                number
            })
        })
        .collect();
    let mut sum = 0;
    for job in jobs {
        sum += job.await.expect("no job panics");
    }
    assert_eq!(sum, 6);
}

/// Some of the tasks that are aborted have ended before, by what the seed says.
async fn aborts(order: &Order) {
    let tasks: Vec<_> = (0..6).map(|number| wsrt::spawn(sleep(Duration::from_micros(5 * number)))).collect();
    sleep(Duration::from_micros(15)).await;
    tasks.iter().for_each(|task| task.abort());
    for task in tasks {
        order.note(u64::from(task.await.is_ok()));
    }
}
