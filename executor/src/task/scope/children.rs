//! The children of a scope: their futures, which the scope itself can drop, and the first panic.
//!
//! A child is a task, detached, whose cell holds a [`ScopeChild`]. The user's future is not in the
//! cell: it is in a [`ChildFuture`], which the cell and the scope share. So the scope can drop the
//! future wherever the task is, without the scheduler's help.

use std::future::Future;
use std::mem;
use std::panic::Location;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, Waker, ready};

use pin_project_lite::pin_project;
use slab::Slab;

use crate::scheduler::Scheduler;
use crate::task::AbortHandle;
use crate::util::sync::Mutex;
use crate::util::unwind::{Payload, caught, drop_quietly, swallow, wake_quietly};

/// The future of a child. The type no longer names the lifetime of what the future borrows.
pub(super) type ErasedFuture = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Values that outlive each child that holds them.
pub(super) type Shared = Arc<dyn Send + Sync>;

/// The two kinds of children.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChildKind {
    /// The scope waits until the child has ended.
    Work,
    /// Work that is a background task.
    Background,
    /// The scope cancels the child when no other child is left.
    Watch,
}

/// The children of one scope that have not ended.
#[derive(Default)]
pub(super) struct Children {
    state: Mutex<ChildrenState>,
}

#[derive(Default)]
struct ChildrenState {
    /// A child is listed until its future has been dropped.
    listed: Slab<Arc<ChildFuture>>,
    /// The number of listed children of the kind [`ChildKind::Watch`].
    watches: usize,
    /// True if the children were cancelled. No child is added from then on.
    is_over: bool,
    panic: Option<Payload>,
    /// The waker of the scope's owner, which waits for a change of the other fields.
    owner: Option<Waker>,
}

impl Children {
    /// Spawns a child on `scheduler`. If the children were cancelled, drops `future` instead.
    ///
    /// The child drops `shared` after its future.
    pub(super) fn spawn(
        self: &Arc<Self>,
        scheduler: &Arc<Scheduler>,
        kind: ChildKind,
        future: ErasedFuture,
        shared: Option<Shared>,
        spawned_at: &'static Location<'static>,
    ) {
        let future = Arc::new(ChildFuture { future: Mutex::new(Some(future)), abort: OnceLock::new() });
        let Some(key) = self.list(kind, &future) else { return };
        let child = ScopeChild { future: Arc::clone(&future), shared, children: Arc::clone(self), key, kind };
        let handle = match kind {
            ChildKind::Background => scheduler.spawn_background(child, spawned_at),
            ChildKind::Work | ChildKind::Watch => scheduler.spawn(child, spawned_at),
        };
        let _ = future.abort.set(handle.abort_handle());
        // The lock decides: either `end` finds the handle that was just set, or it came before.
        if self.is_over() {
            future.abort();
        }
    }

    fn list(&self, kind: ChildKind, future: &Arc<ChildFuture>) -> Option<usize> {
        let mut state = self.state.lock();
        if state.is_over {
            return None;
        }
        state.watches += usize::from(kind == ChildKind::Watch);
        Some(state.listed.insert(Arc::clone(future)))
    }

    /// Removes a child whose future has been dropped. A moment later the scope may be gone.
    fn unlist(&self, key: usize, kind: ChildKind) {
        let mut state = self.state.lock();
        let future = state.listed.remove(key);
        state.watches -= usize::from(kind == ChildKind::Watch);
        let owner = if state.has_no_work() { state.owner.take() } else { None };
        drop(state);
        drop(future);
        owner.into_iter().for_each(wake_quietly);
    }

    /// Cancels all children, and accepts no more. Keeps `panic`, if it is the first one.
    pub(super) fn end(&self, panic: Option<Payload>) {
        let mut state = self.state.lock();
        state.is_over = true;
        let later = if state.panic.is_none() { mem::replace(&mut state.panic, panic) } else { panic };
        let owner = state.owner.take();
        let listed: Vec<_> = state.listed.iter().map(|(_, future)| Arc::clone(future)).collect();
        // Without the lock: an abort may start a thread, which runs the user's hooks.
        drop(state);
        later.into_iter().for_each(swallow);
        listed.iter().for_each(|future| future.abort());
        owner.into_iter().for_each(wake_quietly);
    }

    /// Drops the futures that are left, wherever their tasks are, and waits for running polls.
    pub(super) fn drop_futures(&self) {
        self.end(None);
        let listed: Vec<_> = self.state.lock().listed.iter().map(|(_, future)| Arc::clone(future)).collect();
        for future in listed {
            drop_quietly(future.drop_future());
        }
    }

    /// Polls until all children have ended. Cancels the watches when all other children have ended.
    pub(super) fn poll_ended(&self, cx: &Context<'_>) -> Poll<()> {
        ready!(self.poll_until(cx, ChildrenState::has_no_work));
        if !self.is_over() {
            self.end(None);
        }
        self.poll_until(cx, |state| state.listed.is_empty())
    }

    /// Polls until a panic is kept.
    pub(super) fn poll_panic(&self, cx: &Context<'_>) -> Poll<()> {
        self.poll_until(cx, |state| state.panic.is_some())
    }

    fn poll_until(&self, cx: &Context<'_>, is_reached: fn(&ChildrenState) -> bool) -> Poll<()> {
        {
            let state = self.state.lock();
            if is_reached(&state) {
                return Poll::Ready(());
            }
            if state.owner.as_ref().is_some_and(|owner| owner.will_wake(cx.waker())) {
                return Poll::Pending;
            }
        }
        // Cloning and dropping a waker may run user code, so it is not done under the lock.
        let owner = cx.waker().clone();
        let (is_reached, _displaced) = {
            let mut state = self.state.lock();
            (is_reached(&state), state.owner.replace(owner))
        };
        if is_reached { Poll::Ready(()) } else { Poll::Pending }
    }

    pub(super) fn is_over(&self) -> bool {
        self.state.lock().is_over
    }

    pub(super) fn are_gone(&self) -> bool {
        self.state.lock().listed.is_empty()
    }

    /// Returns the number of children that have not ended.
    pub(super) fn count(&self) -> usize {
        self.state.lock().listed.len()
    }

    pub(super) fn take_panic(&self) -> Option<Payload> {
        self.state.lock().panic.take()
    }
}

impl ChildrenState {
    fn has_no_work(&self) -> bool {
        self.listed.len() == self.watches
    }
}

/// The future of one child, until it is dropped.
struct ChildFuture {
    /// Locked during each poll and during the drop. The user's code cannot reach the lock: only the
    /// child's task takes it, and the frame of the scope, which lies below both on any stack.
    future: Mutex<Option<ErasedFuture>>,
    abort: OnceLock<AbortHandle>,
}

impl ChildFuture {
    fn abort(&self) {
        self.abort.get().into_iter().for_each(AbortHandle::abort);
    }

    /// Drops the future. Returns whether it was still there.
    ///
    /// # Errors
    ///
    /// Returns the panic of the future's destructor.
    fn drop_future(&self) -> Result<bool, Payload> {
        let mut place = self.future.lock();
        let future = place.take();
        let was_there = future.is_some();
        caught(|| drop(future)).map(|()| was_there)
    }
}

/// The part of a child that is in the task's cell. When it is dropped, the child has ended.
struct ScopeChild {
    future: Arc<ChildFuture>,
    shared: Option<Shared>,
    children: Arc<Children>,
    key: usize,
    kind: ChildKind,
}

impl Future for ScopeChild {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut place = self.future.future.lock();
        // The scope may have dropped the future.
        let Some(future) = place.as_mut() else { return Poll::Ready(()) };
        ready!(future.as_mut().poll(cx));
        *place = None;
        Poll::Ready(())
    }
}

const LOST: &str = "wsrt: a child of a task scope was cancelled by its runtime, which is shutting down or being drained: end \
                    the scope first, for example by `TaskScope::cancel_when` with the runtime's shutdown token";

impl Drop for ScopeChild {
    fn drop(&mut self) {
        match self.future.drop_future() {
            Ok(true) if !self.children.is_over() => self.children.end(Some(Box::new(LOST))),
            Ok(_) => {}
            Err(panic) => self.children.end(Some(panic)),
        }
        // It may be the last owner of the user's values.
        drop_quietly(self.shared.take());
        self.children.unlist(self.key, self.kind);
    }
}

pin_project! {
    /// A future that returns the output of another one, or the first panic of its polls and its
    /// destructor.
    pub(super) struct CaughtFuture<F> {
        // `None` once it is done.
        #[pin]
        future: Option<F>,
    }
}

impl<F> CaughtFuture<F> {
    pub(super) fn of(future: F) -> Self {
        Self { future: Some(future) }
    }

    pub(super) fn is_done(&self) -> bool {
        self.future.is_none()
    }

    /// Drops the future. It is then done.
    ///
    /// # Errors
    ///
    /// Returns the panic of the future's destructor.
    pub(super) fn drop_future(self: Pin<&mut Self>) -> Result<(), Payload> {
        caught(|| self.project().future.set(None))
    }
}

impl<F: Future> Future for CaughtFuture<F> {
    type Output = Result<F::Output, Payload>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let future = self.as_mut().project().future.as_pin_mut().expect("it is polled until it is done");
        let polled = match caught(|| future.poll(cx)) {
            Ok(polled) => Ok(ready!(polled)),
            Err(panic) => Err(panic),
        };
        Poll::Ready(match (polled, self.drop_future()) {
            (polled, Ok(())) => polled,
            (Ok(output), Err(panic)) => {
                drop_quietly(output);
                Err(panic)
            }
            (Err(first), Err(second)) => {
                swallow(second);
                Err(first)
            }
        })
    }
}
