//! Panics in futures, drops, outputs, wakers and jobs: each stays where it is.

use std::future::{Future, pending};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use wsrt::sync::Notify;
use wsrt::task::{spawn_blocking, yield_now};
use wsrt_schedule::atomic::{AtomicUsize, Ordering::SeqCst};
use wsrt_schedule::thread;

use crate::support::{Ledger, runtime};

/// Panics when it is dropped.
struct Rude;

impl Drop for Rude {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            panic!("in a drop");
        }
    }
}

/// Tasks that panic in their polls, in their drops and with their outputs.
pub(crate) fn panics_in_tasks() {
    let (runtime, ledger) = (runtime(2), Ledger::default());
    runtime.block_on(async {
        let entries = (ledger.entry(), ledger.entry(), ledger.entry());
        let polls = wsrt::spawn(async move {
            let _entry = entries.0;
            yield_now().await;
            panic!("in a poll");
        });
        let drops = wsrt::spawn(async move {
            let (_entry, _rude) = (entries.1, Rude);
            pending::<()>().await;
        });
        let outputs = wsrt::spawn(async move {
            let _entry = entries.2;
            Rude
        });
        let job = spawn_blocking(|| panic!("in a job"));
        drops.abort();
        drop(outputs);
        let polls: Result<(), _> = polls.await;
        assert!(polls.expect_err("it panics").is_panic());
        let _ = drops.await;
        let job: Result<(), _> = job.await;
        assert!(job.expect_err("it panics").is_panic());
        wsrt::spawn(yield_now()).await.expect("the runtime is well");
    });
    drop(runtime);
    ledger.assert_balanced();
}

/// A waker that panics.
struct Explosive;

impl Wake for Explosive {
    fn wake(self: Arc<Self>) {
        panic!("in a waker");
    }
}

/// Polls `F` once with a waker that panics, and keeps it.
struct WithExplosive<F>(F);

impl<F: Future + Unpin> Future for WithExplosive<F> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        let waker = Waker::from(Arc::new(Explosive));
        let _ = Pin::new(&mut self.0).poll(&mut Context::from_waker(&waker));
        Poll::Ready(())
    }
}

/// Wakers that panic in joins and notices keep no one from being woken.
pub(crate) fn panics_in_wakers() {
    let runtime = runtime(2);
    runtime.block_on(async {
        let notify = Arc::new(Notify::new());
        let theirs = Arc::clone(&notify);
        let mut task = wsrt::spawn(async move { theirs.notified().await });
        WithExplosive(&mut task).await;
        let second = Arc::new(Notify::new());
        let theirs = Arc::clone(&second);
        let other = wsrt::spawn(async move { theirs.notified().await });
        notify.notify_one();
        second.notify_one();
        other.await.expect("no panic");
        let _ = task.await;
    });
}

/// Drops that spawn, wait and panic while the runtime ends.
pub(crate) fn drops_that_spawn() {
    struct Spawns(wsrt::runtime::Handle, Arc<AtomicUsize>);
    impl Drop for Spawns {
        fn drop(&mut self) {
            let task = wsrt::spawn(yield_now());
            self.0.spawn(async move { drop(task) });
            self.1.fetch_add(1, SeqCst);
        }
    }
    let (runtime, ledger, returned) = (runtime(2), Ledger::default(), Arc::new(AtomicUsize::new(0)));
    for _ in 0..2 {
        let (entry, spawns) = (ledger.entry(), Spawns(runtime.handle().clone(), Arc::clone(&returned)));
        runtime.spawn(async move {
            let (_spawns, _entry) = (spawns, entry);
            pending::<()>().await;
        });
    }
    let outside = thread::spawn(move || drop(runtime));
    outside.join().expect("no panic");
    assert_eq!(returned.load(SeqCst), 2, "drops that could spawn");
    ledger.assert_balanced();
}
