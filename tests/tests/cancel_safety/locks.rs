//! Locks, and other waits without data: what a dropped wait was given goes to another task.

use std::future::Future;
use std::sync::Arc;

use wsrt::sync::{Barrier, CancellationToken, Notify, OnceCell, RwLock, Semaphore, SetOnce};
use wsrt::task::JoinHandle;
use wsrt::test::cancel_at_each_await;

use crate::{later, run};

type Mutex = wsrt::sync::Mutex<()>;

/// Holds a lock until the operation waits for it. The lock is free again in the end: the check can
/// acquire all of it, and so can a peer that came after the operation.
async fn frees<L, G, C>(
    lock: impl Fn() -> L,
    take_all: impl AsyncFn(Arc<L>) -> G,
    take: impl AsyncFn(&Arc<L>),
    is_free: impl Fn(&L) -> C,
) where
    L: Send + Sync + 'static,
    G: Send + 'static,
    C: PartialEq + std::fmt::Debug,
{
    let free = is_free(&lock());
    let make = async || {
        let lock = Arc::new(lock());
        let held = take_all(Arc::clone(&lock)).await;
        let holder = wsrt::spawn(async move {
            later().await;
            drop(held);
        });
        (lock, holder)
    };
    let check = async |(lock, holder): (Arc<L>, JoinHandle<()>), _| {
        drop(take_all(Arc::clone(&lock)).await);
        holder.await.expect("it does not panic");
        assert_eq!(is_free(&lock), free);
    };
    let waits = cancel_at_each_await(make, async |(lock, _): &mut (Arc<L>, _)| take(lock).await, check).await;
    assert!(waits >= 1);
}

/// Of `Mutex::lock` and `Mutex::lock_owned`.
#[test]
fn a_mutex_is_free_again() {
    run(async || {
        let is_free = |mutex: &Mutex| mutex.try_lock().is_ok();
        let all = async |mutex: Arc<Mutex>| mutex.lock_owned().await;
        frees(|| Mutex::new(()), all, async |mutex| drop(mutex.lock().await), is_free).await;
        frees(|| Mutex::new(()), all, async |mutex| drop(Arc::clone(mutex).lock_owned().await), is_free).await;
    });
}

/// Of `RwLock::read`, `RwLock::read_owned`, `RwLock::write` and `RwLock::write_owned`.
#[test]
fn a_reader_writer_lock_is_free_again() {
    run(async || {
        let new = || RwLock::new(());
        let is_free = |lock: &RwLock<()>| lock.try_write().is_ok();
        let all = async |lock: Arc<RwLock<()>>| lock.write_owned().await;
        frees(new, all, async |lock| drop(lock.read().await), is_free).await;
        frees(new, all, async |lock| drop(lock.write().await), is_free).await;
        frees(new, all, async |lock| drop(Arc::clone(lock).read_owned().await), is_free).await;
        frees(new, all, async |lock| drop(Arc::clone(lock).write_owned().await), is_free).await;
    });
}

/// Of `Semaphore::acquire`, `Semaphore::acquire_many`, `Semaphore::acquire_owned` and
/// `Semaphore::acquire_many_owned`.
#[test]
fn a_semaphore_is_full_again() {
    run(async || {
        let new = || Semaphore::new(3);
        let count = Semaphore::available_permits;
        let all = async |semaphore: Arc<Semaphore>| semaphore.acquire_many_owned(3).await.expect("it is open");
        let open = "it is open";
        frees(new, all, async |semaphore| drop(semaphore.acquire().await.expect(open)), count).await;
        frees(new, all, async |semaphore| drop(semaphore.acquire_many(2).await.expect(open)), count).await;
        let owned = async |semaphore: &Arc<Semaphore>| drop(Arc::clone(semaphore).acquire_owned().await.expect(open));
        frees(new, all, owned, count).await;
        let many =
            async |semaphore: &Arc<Semaphore>| drop(Arc::clone(semaphore).acquire_many_owned(2).await.expect(open));
        frees(new, all, many, count).await;
    });
}

/// Waits for a notification that comes later, and checks that no notification is lost.
async fn notifies<F: Future<Output = ()>>(wait: impl Fn(Arc<Notify>) -> F) {
    let make = async || {
        let notify = Arc::new(Notify::new());
        let notifying = Arc::clone(&notify);
        let peer = wsrt::spawn(async move {
            later().await;
            notifying.notify_one();
        });
        (notify, peer)
    };
    let check = async |(notify, peer): (Arc<Notify>, JoinHandle<()>), output: Option<()>| {
        peer.await.expect("it does not panic");
        if output.is_none() {
            notify.notified().await;
        }
    };
    cancel_at_each_await(make, async |(notify, _): &mut (Arc<Notify>, _)| wait(Arc::clone(notify)).await, check).await;
}

/// Of `Notify::notified` and `Notify::notified_owned`.
#[test]
fn a_notification_passes_on() {
    run(async || {
        notifies(|notify| async move { notify.notified().await }).await;
        notifies(Notify::notified_owned).await;
    });
}

/// Of `Barrier::wait`, which is not cancel safe: a dropped wait counts.
#[test]
fn a_dropped_arrival_counts() {
    run(async || {
        let make = async || {
            let barrier = Arc::new(Barrier::new(2));
            let other = Arc::clone(&barrier);
            let peer = wsrt::spawn(async move {
                later().await;
                other.wait().await.is_leader()
            });
            (barrier, peer)
        };
        let operation = async |(barrier, _): &mut (Arc<Barrier>, _)| barrier.wait().await.is_leader();
        let check = async |(_, peer): (_, JoinHandle<bool>), output| {
            assert!(peer.await.expect("it does not panic"), "it was the second to come");
            assert_ne!(output, Some(true));
        };
        cancel_at_each_await(make, operation, check).await;
    });
}

/// Of `OnceCell::get_or_init` and `OnceCell::get_or_try_init`.
#[test]
fn a_cell_stays_empty_for_the_next_task() {
    run(async || {
        let make = async || Arc::new(OnceCell::new());
        let check = async |cell: Arc<OnceCell<u32>>, output: Option<u32>| {
            assert_eq!(cell.get().copied(), output);
            let expected = output.unwrap_or(2);
            assert_eq!(*cell.get_or_init(async || 2).await, expected);
        };
        let first = async || {
            later().await;
            1
        };
        let operation = async |cell: &mut Arc<OnceCell<u32>>| *cell.get_or_init(first).await;
        cancel_at_each_await(make, operation, check).await;
        let operation = async |cell: &mut Arc<OnceCell<u32>>| {
            *cell.get_or_try_init(async || Ok::<_, ()>(first().await)).await.expect("it succeeds")
        };
        cancel_at_each_await(make, operation, check).await;
    });
}

/// Of `OnceCell::get_or_init` and `OnceCell::get_or_try_init`, in line behind another task.
#[test]
fn a_task_in_line_for_a_cell_may_leave() {
    run(async || {
        let make = async || {
            let cell = Arc::new(OnceCell::new());
            let filling = Arc::clone(&cell);
            let peer = wsrt::spawn(async move {
                let fill = async || {
                    later().await;
                    1
                };
                *filling.get_or_init(fill).await
            });
            wsrt::task::yield_now().await;
            (cell, peer)
        };
        let operation = async |(cell, _): &mut (Arc<OnceCell<u32>>, _)| *cell.get_or_init(async || 2).await;
        let check = async |(cell, peer): (Arc<OnceCell<u32>>, JoinHandle<u32>), _| {
            assert_eq!(peer.await.expect("it does not panic"), 1);
            assert_eq!(cell.get(), Some(&1));
        };
        cancel_at_each_await(make, operation, check).await;
    });
}

/// Of `SetOnce::wait`.
#[test]
fn a_value_that_is_set_stays() {
    run(async || {
        let make = async || {
            let cell = Arc::new(SetOnce::new());
            let setting = Arc::clone(&cell);
            wsrt::spawn(async move {
                later().await;
                setting.set(7)
            });
            cell
        };
        let check = async |cell: Arc<SetOnce<u32>>, _| assert_eq!(*cell.wait().await, 7);
        cancel_at_each_await(make, async |cell: &mut Arc<SetOnce<u32>>| *cell.wait().await, check).await;
    });
}

/// Of `CancellationToken::cancelled`, `CancellationToken::cancelled_owned`,
/// `CancellationToken::run_until_cancelled` and `CancellationToken::run_until_cancelled_owned`.
#[test]
fn a_cancelled_token_stays_cancelled() {
    async fn stays<F: Future>(wait: impl Fn(CancellationToken) -> F) {
        let make = async || {
            let token = CancellationToken::new();
            let cancelling = token.clone();
            wsrt::spawn(async move {
                later().await;
                cancelling.cancel();
            });
            token.child_token()
        };
        let check = async |token: CancellationToken, _| {
            token.cancelled().await;
            assert!(token.is_cancelled());
        };
        let operation = async |token: &mut CancellationToken| drop(wait(token.clone()).await);
        cancel_at_each_await(make, operation, check).await;
    }
    run(async || {
        stays(|token| async move { token.cancelled().await }).await;
        stays(CancellationToken::cancelled_owned).await;
        stays(|token| async move { token.run_until_cancelled(std::future::pending::<()>()).await }).await;
        stays(|token| token.run_until_cancelled_owned(std::future::pending::<()>())).await;
    });
}
