//! Keeps a set's other tasks running while one of them blocks in the middle of its poll.
//!
//! The future that is waited for is wrapped, so that each poll of it also polls the set's other
//! tasks, and the future of the `run_until` that polls the set. The wait's own waker wakes them.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::ptr::NonNull;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::{mem, ptr};

use wsrt_reactor::budget;
use wsrt_sync::current_task::{self, LockOwner};

use super::tasks::{CURRENT, LocalTasks};
use crate::util::stack::ask_for_room;
use crate::util::unwind::Payload;

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
#[derive(Clone, Copy)]
pub(super) struct MainRef(NonNull<dyn MainFuture>);

impl MainRef {
    fn get(&self) -> &dyn MainFuture {
        // SAFETY: it lies in a frame of `poll_beside`, further out on this thread's stack: the
        // address does not leave the thread, and is forgotten before that frame ends.
        unsafe { self.0.as_ref() }
    }
}

trait MainFuture {
    /// Polls the future and keeps its output, unless it is already being polled or complete.
    fn poll_from_within(&self, cx: &mut Context<'_>);
}

struct Main<'a, F: Future> {
    /// The future, borrowed while it is being polled.
    future: RefCell<Pin<&'a mut F>>,
    result: Cell<Option<Result<F::Output, Payload>>>,
    is_done: Cell<bool>,
    /// True if the last poll used another waker than the `run_until`'s.
    is_astray: Cell<bool>,
    owner: LockOwner,
}

impl<F: Future> MainFuture for Main<'_, F> {
    fn poll_from_within(&self, cx: &mut Context<'_>) {
        let Ok(mut future) = self.future.try_borrow_mut() else { return };
        if self.is_done.get() {
            return;
        }
        let (_outer, _owner) = (budget::keep(), current_task::put(self.owner));
        budget::refill();
        self.is_astray.set(true);
        // The wait inside must end in good order, so the panic continues in the outer poll.
        let result = match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(cx))) {
            Ok(Poll::Pending) => return,
            Ok(Poll::Ready(output)) => Ok(output),
            Err(panic) => Err(panic),
        };
        self.result.set(Some(result));
        self.is_done.set(true);
    }
}

impl<F: Future> Main<'_, F> {
    /// Calls `run` with this future as the main future of `set`.
    fn nest<R>(&self, set: &LocalTasks, run: impl FnOnce() -> R) -> R {
        let main: NonNull<dyn MainFuture + '_> = NonNull::from(self);
        // SAFETY: only the lifetime changes, and the address is out of its place again before this
        // call returns.
        let main = MainRef(unsafe { mem::transmute::<NonNull<dyn MainFuture + '_>, NonNull<dyn MainFuture>>(main) });
        let _nested = NestedSet { set, outer: set.main.replace(Some(main)) };
        run()
    }

    /// Returns the output if the future is complete, and otherwise `Pending`. Wakes `cx`'s task if
    /// the last poll registered another waker.
    fn finish(self, cx: &Context<'_>) -> Poll<F::Output> {
        match self.result.take() {
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

/// A guard for the time in which the tasks of a set are polled beside a main future.
struct NestedSet<'a> {
    set: &'a LocalTasks,
    outer: Option<MainRef>,
}

impl Drop for NestedSet<'_> {
    fn drop(&mut self) {
        self.set.main.set(self.outer);
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
            future: RefCell::new(future),
            result: Cell::new(None),
            is_done: Cell::new(false),
            is_astray: Cell::new(false),
            owner: LockOwner::current(),
        };
        main.nest(self, || self.poll_tasks(cx));
        main.finish(cx)
    }
}
