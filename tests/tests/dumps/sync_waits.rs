//! A task that waits for a lock or channel is shown with the kind of its wait, and with the place
//! where the lock or channel was made.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use wsrt::runtime::{SyncWait, TaskDump, WaitKind, WaitsOn};
use wsrt::sync::{
    Barrier, CancellationToken, Mutex, Notify, OnceCell, RwLock, Semaphore, SetOnce, broadcast, mpmc, mpsc, oneshot,
    watch,
};
use wsrt::time::{sleep, timeout};
use wsrt_tests::{LIMIT, two_processors, within_a_minute};

use crate::{named, task_once, waiting};

type Wait = Pin<Box<dyn Future<Output = ()> + Send>>;

fn sync_waits(task: &TaskDump) -> Vec<SyncWait> {
    let of_sync = |on: &WaitsOn| match on {
        WaitsOn::Sync(sync) => Some(*sync),
        _ => None,
    };
    task.waits_on().iter().filter_map(of_sync).collect()
}

fn boxed(wait: impl Future<Output = ()> + Send + 'static) -> Wait {
    Box::pin(wait)
}

/// A wait for each lock, with its kind and the line where the lock was made.
fn waits_for_locks() -> [(WaitKind, u32, Wait); 5] {
    let (mutex, at_mutex) = (Mutex::new(()), line!());
    let (to_read, at_to_read) = (RwLock::new(()), line!());
    let (to_write, at_to_write) = (RwLock::new(()), line!());
    let (semaphore, at_semaphore) = (Semaphore::new(1), line!());
    let (once, at_once) = (Arc::new(OnceCell::<()>::new()), line!());
    [
        (WaitKind::Mutex, at_mutex, boxed(async move { drop((mutex.lock().await, mutex.lock().await)) })),
        (WaitKind::RwLockRead, at_to_read, boxed(async move { drop((to_read.write().await, to_read.read().await)) })),
        (
            WaitKind::RwLockWrite,
            at_to_write,
            boxed(async move { drop((to_write.read().await, to_write.write().await)) }),
        ),
        (WaitKind::Semaphore, at_semaphore, boxed(async move { drop(semaphore.acquire_many(2).await) })),
        (
            WaitKind::OnceCell,
            at_once,
            boxed(async move {
                let again = Arc::clone(&once);
                once.get_or_init(|| async move { *again.get_or_init(|| async {}).await }).await;
            }),
        ),
    ]
}

/// A wait for each channel, likewise.
fn waits_for_channels() -> [(WaitKind, u32, Wait); 11] {
    let ((sender, mut receiver), at_receive) = (mpsc::unbounded_channel::<()>(), line!());
    let ((full, unread), at_send) = (mpsc::channel(1), line!());
    let ((open, not_closed), at_closed) = (mpsc::channel::<()>(1), line!());
    let ((many_sender, many), at_many) = (mpmc::channel::<()>(1), line!());
    let ((crowded, waiting), at_crowded) = (mpmc::channel(1), line!());
    let ((shared, not_left), at_shared) = (mpmc::channel::<()>(1), line!());
    let ((one_sender, one), at_one) = (oneshot::channel::<()>(), line!());
    let ((mut asked, not_dropped), at_asked) = (oneshot::channel::<()>(), line!());
    let ((watched, mut watching), at_watch) = (watch::channel(()), line!());
    let ((seen, _seeing), at_seen) = (watch::channel(()), line!());
    let ((caster, mut listener), at_cast) = (broadcast::channel::<()>(1), line!());
    [
        (WaitKind::MpscReceive, at_receive, boxed(async move { drop((receiver.recv().await, sender)) })),
        (WaitKind::MpscSend, at_send, boxed(async move { drop((full.send(()).await, full.send(()).await, unread)) })),
        (WaitKind::MpscClosed, at_closed, boxed(async move { drop((open.closed().await, not_closed)) })),
        (WaitKind::MpmcReceive, at_many, boxed(async move { drop((many.recv().await, many_sender)) })),
        (
            WaitKind::MpmcSend,
            at_crowded,
            boxed(async move { drop((crowded.send(()).await, crowded.send(()).await, waiting)) }),
        ),
        (WaitKind::MpmcClosed, at_shared, boxed(async move { drop((shared.closed().await, not_left)) })),
        (WaitKind::OneshotReceive, at_one, boxed(async move { drop((one.await, one_sender)) })),
        (WaitKind::OneshotClosed, at_asked, boxed(async move { drop((asked.closed().await, not_dropped)) })),
        (WaitKind::WatchChanged, at_watch, boxed(async move { drop((watching.changed().await, watched)) })),
        (WaitKind::WatchClosed, at_seen, boxed(async move { drop((seen.closed().await, _seeing)) })),
        (WaitKind::BroadcastReceive, at_cast, boxed(async move { drop((listener.recv().await, caster)) })),
    ]
}

/// A wait for each signal without data, likewise.
fn waits_for_signals() -> [(WaitKind, u32, Wait); 4] {
    let (notify, at_notify) = (Notify::new(), line!());
    let (barrier, at_barrier) = (Barrier::new(2), line!());
    let (set_once, at_set_once) = (SetOnce::<()>::new(), line!());
    let (token, at_token) = (CancellationToken::new(), line!());
    [
        (WaitKind::Notify, at_notify, boxed(async move { notify.notified().await })),
        (WaitKind::Barrier, at_barrier, boxed(async move { assert!(barrier.wait().await.is_leader()) })),
        (WaitKind::SetOnce, at_set_once, boxed(async move { set_once.wait().await.to_owned() })),
        (WaitKind::Cancellation, at_token, boxed(token.cancelled_owned())),
    ]
}

#[test]
fn a_wait_is_shown_with_kind_and_place() {
    within_a_minute(|| {
        let runtime = two_processors();
        let waits = waits_for_locks().into_iter().chain(waits_for_channels()).chain(waits_for_signals());
        for (kind, line, wait) in waits {
            drop(named(kind.name()).spawn_on(wait, runtime.handle()));
            let task = waiting(runtime.handle(), kind.name());
            let &[sync] = &*sync_waits(&task) else { panic!("{task}") };
            assert_eq!((sync.kind(), sync.made_at().line()), (kind, line), "{task}");
            assert_eq!(sync.made_at().file(), file!());
            let shown = format!("idle, waits for {} made at {}", kind.awaited(), sync.made_at());
            assert!(task.to_string().contains(&shown), "{task}");
        }
    });
}

#[test]
fn a_lock_is_shown_beside_the_timeout_around_it() {
    within_a_minute(|| {
        let runtime = two_processors();
        let (_sender, receiver) = oneshot::channel::<()>();
        drop(named("both").spawn_on(timeout(LIMIT, receiver), runtime.handle()));
        let both = task_once(runtime.handle(), "both", |task| task.waits_on().len() == 2);
        assert!(both.waits_on().iter().any(|on| matches!(on, WaitsOn::Timer(_))), "{both}");
        assert_eq!(sync_waits(&both).len(), 1);
    });
}

#[test]
fn a_wait_that_was_given_up_is_not_shown() {
    within_a_minute(|| {
        let runtime = two_processors();
        let fickle = async {
            let mutex = Mutex::new(());
            let _guard = mutex.lock().await;
            poll_fn(|cx| {
                assert!(pin!(mutex.lock()).poll(cx).is_pending());
                Poll::Ready(())
            })
            .await;
            sleep(Duration::from_secs(1_000)).await;
        };
        drop(named("fickle").spawn_on(fickle, runtime.handle()));
        let fickle = waiting(runtime.handle(), "fickle");
        assert!(matches!(fickle.waits_on(), [WaitsOn::Timer(_)]), "{fickle}");
    });
}

#[test]
fn the_wait_is_that_of_the_last_poll() {
    within_a_minute(|| {
        let runtime = two_processors();
        let (sender, receiver) = oneshot::channel::<()>();
        let task = async move {
            receiver.await.expect("it is sent");
            sleep(Duration::from_secs(1_000)).await;
        };
        drop(named("later").spawn_on(task, runtime.handle()));
        waiting(runtime.handle(), "later");
        sender.send(()).expect("it is received");
        let later = task_once(runtime.handle(), "later", |task| matches!(task.waits_on(), [WaitsOn::Timer(_)]));
        assert!(sync_waits(&later).is_empty());
    });
}
