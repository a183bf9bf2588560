//! Keeps a set's other tasks running while one of them blocks in the middle of its poll.
//!
//! The future that is waited for is wrapped, so that each poll of it also polls the set's other
//! tasks, and the future of the `run_until` that polls the set. The wait's own waker wakes them.

use std::cell::Cell;
use std::future::Future;
use std::panic::resume_unwind;
use std::pin::Pin;
use std::ptr::NonNull;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::{mem, ptr};

use wsrt_reactor::budget;
use wsrt_sync::current_task::{self, LockOwner};

use super::tasks::{CURRENT, LocalTasks};
use crate::task::ScopesAside;
use crate::util::pinned_on_stack::{FrameRef, PinnedFuture};
use crate::util::stack::ask_for_room;

/// The set that a thread has left for the duration of a wait. Tasks outside the set may run during
/// the wait, and the tasks that they spawn must not join the set.
pub(crate) struct SetAside {
    set: Option<Rc<LocalTasks>>,
    current: *const LocalTasks,
}

impl SetAside {
    /// Leaves the thread's set, if there is one, until the returned value is dropped.
    pub(crate) fn take() -> Self {
        let set = LocalTasks::current();
        Self { set, current: CURRENT.replace(ptr::null()) }
    }

    /// Returns whether this thread is polling a task of the set, or the future beside its tasks.
    pub(crate) fn is_polled(&self) -> bool {
        self.set.as_ref().is_some_and(|set| set.is_polled())
    }

    /// Wraps `future` so that it is polled inside the set, together with the set's other tasks.
    ///
    /// # Panics
    ///
    /// Panics if the set is polled and the thread's stack has no room for polling its tasks here.
    #[track_caller]
    pub(crate) fn around<'a, F: Future + ?Sized>(&'a self, future: Pin<&'a mut F>) -> Beside<'a, F> {
        if self.is_polled() {
            ask_for_room();
        }
        Beside { future, set: self.set.as_ref() }
    }
}

impl Drop for SetAside {
    fn drop(&mut self) {
        CURRENT.set(self.current);
    }
}

/// A future that is polled together with the tasks of a set.
pub(crate) struct Beside<'a, F: ?Sized> {
    future: Pin<&'a mut F>,
    set: Option<&'a Rc<LocalTasks>>,
}

impl<F: Future + ?Sized> Future for Beside<'_, F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let Some(set) = self.set else { return self.future.as_mut().poll(cx) };
        let _inside = set.enter();
        let answer = self.future.as_mut().poll(cx);
        // A set that is only entered is polled by another task, or later.
        if answer.is_pending() && set.is_polled() {
            if let Some(main) = set.main.get() {
                main.get().poll_from_within(cx);
            }
            set.poll_tasks(cx);
        }
        answer
    }
}

/// The future of a `run_until`, on this thread's stack, while the tasks of its set are polled.
pub(super) type MainRef = FrameRef<dyn MainFuture>;

pub(super) trait MainFuture {
    /// Polls the future and keeps its output, unless it is already being polled or complete.
    fn poll_from_within(&self, cx: &mut Context<'_>);
}

struct Main<'a, F: Future> {
    future: PinnedFuture<'a, F>,
    /// True if the last poll used another waker than the `run_until`'s.
    is_astray: Cell<bool>,
    owner: LockOwner,
    /// The scopes of task-local values around the `run_until`.
    scopes: ScopesAside,
}

impl<F: Future> MainFuture for Main<'_, F> {
    fn poll_from_within(&self, cx: &mut Context<'_>) {
        if self.future.is_being_polled() || self.future.is_done() {
            return;
        }
        let (_outer, _owner, _scopes) = (budget::keep(), current_task::put(self.owner), self.scopes.put_back());
        budget::refill();
        self.is_astray.set(true);
        let _ = self.future.poll(|future| future.poll(cx));
    }
}

impl<F: Future> Main<'_, F> {
    /// Calls `run` with this future as the main future of `set`.
    fn enter<R>(&self, set: &LocalTasks, run: impl FnOnce() -> R) -> R {
        let main: NonNull<dyn MainFuture + '_> = NonNull::from(self);
        // SAFETY: only the lifetime changes, which `nest` bounds.
        let main = unsafe { mem::transmute::<NonNull<dyn MainFuture + '_>, NonNull<dyn MainFuture>>(main) };
        // SAFETY: this future is borrowed until the call returns. A set is of one thread, and a
        // poll that copies the address ends in `run`.
        unsafe { MainRef::nest(&set.main, main, run) }
    }

    /// Returns the output if the future is complete, and otherwise `Pending`. Wakes `cx`'s task if
    /// the last poll registered another waker.
    fn finish(self, cx: &Context<'_>) -> Poll<F::Output> {
        match self.future.take_result() {
            Some(Ok(output)) => return Poll::Ready(output),
            Some(Err(panic)) => resume_unwind(panic),
            None => {}
        }
        if self.is_astray.get() {
            cx.waker().wake_by_ref();
        }
        Poll::Pending
    }
}

impl LocalTasks {
    /// Polls `future`, then the ready tasks, each with its own budget. When the call returns,
    /// `cx`'s task is woken as soon as there is more to do.
    pub(crate) fn poll_beside<F: Future>(
        self: &Rc<Self>,
        cx: &mut Context<'_>,
        mut future: Pin<&mut F>,
    ) -> Poll<F::Output> {
        let _inside = self.enter();
        let _polled = self.begin_polls();
        if let Poll::Ready(output) = future.as_mut().poll(cx) {
            return Poll::Ready(output);
        }
        let main = Main {
            future: PinnedFuture::new(future),
            is_astray: Cell::new(false),
            owner: LockOwner::current(),
            scopes: ScopesAside::keep(),
        };
        main.enter(self, || self.poll_tasks(cx));
        main.finish(cx)
    }
}
