//! The runtimes of the programs, and the promises that many of them check.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use wsrt::runtime::{Builder, Runtime};
use wsrt::task::yield_now;
use wsrt_schedule::atomic::{AtomicUsize, Ordering::SeqCst};
use wsrt_schedule::{Condvar, Mutex, time};

/// A runtime with so many processors.
pub(crate) fn runtime(processors: usize) -> Runtime {
    Builder::new_multi_thread().worker_threads(processors).build().expect("the system has descriptors and threads")
}

/// A runtime that the threads in `block_on` drive.
pub(crate) fn current_thread() -> Runtime {
    Builder::new_current_thread().build().expect("the system has descriptors")
}

/// Checks that not all threads sleep at once from here on: the program waits for no moment, so a
/// wake would be lost, even if the watcher mends that.
#[must_use]
pub(crate) struct Busy(Duration);

impl Busy {
    pub(crate) fn from_here() -> Self {
        Self(time::idle())
    }

    #[track_caller]
    pub(crate) fn check(self) {
        let idle = time::idle() - self.0;
        assert!(idle.is_zero(), "all threads slept for {idle:?} although there was work");
    }
}

/// Counts how many of the values that it lent are alive, and how many drops there were.
#[derive(Clone, Default)]
pub(crate) struct Ledger(Arc<(AtomicUsize, AtomicUsize)>);

/// A value that a [`Ledger`] counts.
pub(crate) struct Entry(Ledger);

impl Ledger {
    pub(crate) fn entry(&self) -> Entry {
        self.0.0.fetch_add(1, SeqCst);
        Entry(self.clone())
    }

    /// Each value was dropped, once.
    #[track_caller]
    pub(crate) fn assert_balanced(&self) {
        assert_eq!(self.0.0.load(SeqCst), self.0.1.load(SeqCst), "entries made, entries dropped");
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.0.0.1.fetch_add(1, SeqCst);
    }
}

/// A gate for threads, which block on it.
#[derive(Clone, Default)]
pub(crate) struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    pub(crate) fn open(&self) {
        *self.0.0.lock() = true;
        self.0.1.notify_all();
    }

    pub(crate) fn wait(&self) {
        let mut open = self.0.0.lock();
        self.0.1.wait_while(&mut open, |open| !*open);
    }
}

/// Wakes itself once before it is ready.
#[derive(Default)]
pub(crate) struct OneMore(bool);

impl Future for OneMore {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.0, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

/// Polls `future` once. If it is not ready, lets a turn pass, in which it may be given what it
/// waits for, and drops it.
pub(crate) async fn give_up_on<F: Future>(future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    let first = poll_fn(|cx| {
        Poll::Ready(match future.as_mut().poll(cx) {
            Poll::Ready(output) => Some(output),
            Poll::Pending => None,
        })
    });
    let output = first.await;
    if output.is_none() {
        yield_now().await;
    }
    output
}
