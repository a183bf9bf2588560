//! Futures that must stay on their thread, in task cells that may move.

use std::future::Future;
use std::mem::ManuallyDrop;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::util::report::report;
use crate::util::sync::thread::{self, ThreadId};

/// A future that only the thread that created it polls and drops: polling elsewhere panics,
/// dropping elsewhere leaks the future. Such a future can soundly be stored in a task cell, whose
/// `Runnable` and wakers may move to any thread.
///
/// The future has its own box, which is leaked with it. From the first poll on, others may know the
/// future's address; a `Notify`'s list of waiters, for example, runs through the future's bytes.
/// `Pin` promises that these bytes stay valid until the future is dropped, which never happens to a
/// leaked future, whereas the cell is freed, or overwritten with a panic, soon after.
#[derive(Debug)]
pub(crate) struct ThreadBound<F> {
    /// The ID of the creating thread, which is never reused, unlike an address or an OS thread ID.
    home: ThreadId,
    future: ManuallyDrop<Pin<Box<F>>>,
}

impl<F> ThreadBound<F> {
    pub(crate) fn new(future: F) -> Self {
        Self { home: thread::current().id(), future: ManuallyDrop::new(Box::pin(future)) }
    }

    fn is_at_home(&self) -> bool {
        self.home == thread::current().id()
    }
}

impl<F: Future> Future for ThreadBound<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        assert!(
            self.is_at_home(),
            "wsrt: a task spawned with `spawn_local` belongs to the thread that spawned it; run this runtime's `block_on` there"
        );
        self.get_mut().future.as_mut().poll(context)
    }
}

impl<F> Drop for ThreadBound<F> {
    fn drop(&mut self) {
        if !self.is_at_home() {
            report(format_args!(
                "a local task was leaked: its runtime was dropped, or driven, on another thread than the task's own; drop the \
                 runtime on the thread of its `block_on` (the future is `{}`)",
                std::any::type_name::<F>()
            ));
            return;
        }
        // SAFETY: dropped once, here, and not used afterwards.
        unsafe { ManuallyDrop::drop(&mut self.future) };
    }
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests {
    use super::*;
    use std::rc::Rc;

    struct Carrier<T>(T);
    // SAFETY: the value that the test sends is only ever dropped on the other thread, which
    // `ThreadBound` turns into a leak.
    unsafe impl<T> Send for Carrier<T> {}

    #[test]
    fn a_local_future_dropped_on_another_thread_is_leaked() {
        let witness = Rc::new(());
        let held = Rc::clone(&witness);
        let bound = Carrier(ThreadBound::new(async move { drop(held) }));
        thread::spawn(move || {
            let bound = bound;
            drop(bound.0);
        })
        .join()
        .expect("dropping leaks, and does not panic");
        assert_eq!(Rc::strong_count(&witness), 2);
    }

    #[test]
    fn a_local_future_dropped_at_home_is_dropped() {
        let witness = Rc::new(());
        let held = Rc::clone(&witness);
        drop(ThreadBound::new(async move { drop(held) }));
        assert_eq!(Rc::strong_count(&witness), 1);
    }
}
