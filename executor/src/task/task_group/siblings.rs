//! The children of a group as they see each other: one that fails cancels the others at once,
//! whether the owner of the group looks or not.

use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use crate::util::sync::Mutex;
use pin_project_lite::pin_project;
use slab::Slab;
use wsrt_sync::Semaphore;

use crate::task::AbortHandle;

/// The children of one group that have not ended.
#[derive(Debug)]
pub(super) struct Siblings {
    state: Mutex<State>,
    /// The places of those that may run at once, if there is a limit.
    places: Option<Arc<Semaphore>>,
}

#[derive(Debug, Default)]
struct State {
    /// `None` for a child that is about to be spawned.
    children: Slab<Option<AbortHandle>>,
    /// The number of the child that failed first.
    first_failure: Option<usize>,
    is_over: bool,
}

impl Siblings {
    pub(super) fn new(places: Option<usize>) -> Arc<Self> {
        Arc::new(Self { state: Mutex::default(), places: places.map(|places| Arc::new(Semaphore::new(places))) })
    }

    /// Returns whether the children were cancelled, so that no more are taken.
    pub(super) fn is_over(&self) -> bool {
        self.state.lock().is_over
    }

    /// The number of the child that failed first, if one has.
    pub(super) fn first_failure(&self) -> Option<usize> {
        self.state.lock().first_failure
    }

    /// Makes room for a child that is about to be spawned.
    pub(super) fn enroll(self: &Arc<Self>, number: usize) -> Membership {
        Membership { key: self.state.lock().children.insert(None), number, siblings: Arc::clone(self) }
    }

    /// Keeps the handle of the child with this key, which was just spawned and may have ended
    /// since; aborts it if the group is over.
    pub(super) fn admit(&self, key: usize, handle: AbortHandle) {
        let mut state = self.state.lock();
        if state.is_over {
            drop(state);
            return handle.abort();
        }
        if let Some(child) = state.children.get_mut(key) {
            *child = Some(handle);
        }
    }

    /// Cancels all children, and takes no more.
    pub(super) fn cancel(&self) {
        let mut state = self.state.lock();
        state.is_over = true;
        let handles: Vec<_> = state.children.iter_mut().filter_map(|(_, child)| child.take()).collect();
        // Not under the lock: an abort may start a thread, which runs hooks of the user's.
        drop(state);
        handles.iter().for_each(AbortHandle::abort);
    }

    /// Waits for a place, which is held as long as the guard is.
    pub(super) async fn place(&self) -> Option<impl Send + use<>> {
        let places = Arc::clone(self.places.as_ref()?);
        Some(places.acquire_owned().await.expect("the semaphore is never closed"))
    }
}

/// A child's entry among its siblings. It goes with the child.
#[derive(Debug)]
pub(super) struct Membership {
    siblings: Arc<Siblings>,
    key: usize,
    number: usize,
}

impl Membership {
    pub(super) fn key(&self) -> usize {
        self.key
    }

    fn fail(&self) {
        // The child ends by itself, and keeps its error.
        let own = self.siblings.state.lock().fail(self.key, self.number);
        drop(own);
        self.siblings.cancel();
    }
}

impl State {
    #[must_use]
    fn fail(&mut self, key: usize, number: usize) -> Option<AbortHandle> {
        // One that failed after the group was cancelled is not the reason for that.
        if !self.is_over {
            self.first_failure.get_or_insert(number);
        }
        self.children.get_mut(key)?.take()
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        let own = self.siblings.state.lock().children.try_remove(self.key);
        drop(own);
    }
}

pin_project! {
    /// A member: `body`, whose error or panic cancels its siblings.
    pub(super) struct Member<F> {
        #[pin]
        body: F,
        membership: Membership,
    }
}

impl<F> Member<F> {
    pub(super) fn new(membership: Membership, body: F) -> Self {
        Self { body, membership }
    }
}

impl<F, T, E> Future for Member<F>
where
    F: Future<Output = Result<T, E>>,
{
    /// The member's number, and its result.
    type Output = (usize, Result<T, E>);

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let unwinding = FailsByUnwinding(this.membership);
        let polled = this.body.poll(context);
        mem::forget(unwinding);
        let result = ready!(polled);
        if result.is_err() {
            this.membership.fail();
        }
        Poll::Ready((this.membership.number, result))
    }
}

/// Dropped where a poll unwinds.
struct FailsByUnwinding<'a>(&'a Membership);

impl Drop for FailsByUnwinding<'_> {
    fn drop(&mut self) {
        self.0.fail();
    }
}
