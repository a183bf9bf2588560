//! Which children of a set are done: each child's own waker puts its key on a list, so that nobody searches.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use parking_lot::Mutex;

/// The list that children put themselves on, and who waits for it to fill.
///
/// A key says where to look, not what is there: a waker may be woken for no reason. Whoever takes one asks the child itself.
#[derive(Debug, Default)]
pub(super) struct Arrivals {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    keys: VecDeque<usize>,
    waiter: Option<Waker>,
}

impl Arrivals {
    /// The waker that announces the child `key`.
    pub(super) fn announcer(self: &Arc<Self>, key: usize) -> Waker {
        Waker::from(Arc::new(Announcer { arrivals: Arc::clone(self), key }))
    }

    /// Moves the keys to `taken`, which is empty.
    pub(super) fn take(&self, taken: &mut VecDeque<usize>) {
        self.inner.lock().hand_over(taken);
    }

    /// Moves the keys to `taken`, which is empty. While there are none, it is pending, and `cx`'s task is woken by the next.
    pub(super) fn poll_take(&self, cx: &Context<'_>, taken: &mut VecDeque<usize>) -> Poll<()> {
        {
            let mut inner = self.inner.lock();
            inner.hand_over(taken);
            if !taken.is_empty() {
                return Poll::Ready(());
            }
            if inner.is_awaited_by(cx.waker()) {
                return Poll::Pending;
            }
        }
        // Cloning and dropping wakers is somebody else's code, and not for under the lock.
        let waiter = cx.waker().clone();
        let _displaced = {
            let mut inner = self.inner.lock();
            inner.hand_over(taken);
            inner.waiter.replace(waiter)
        };
        if taken.is_empty() { Poll::Pending } else { Poll::Ready(()) }
    }

    /// Wakes whoever waits, to look at the set anew.
    pub(super) fn rouse(&self) {
        let waiter = self.inner.lock().waiter.take();
        waiter.into_iter().for_each(Waker::wake);
    }

    fn announce(&self, key: usize) {
        self.inner.lock().keys.push_back(key);
        self.rouse();
    }
}

impl Inner {
    /// The list gets `taken`'s memory in exchange for its own.
    fn hand_over(&mut self, taken: &mut VecDeque<usize>) {
        debug_assert!(taken.is_empty(), "keys are taken when those before are used up");
        std::mem::swap(&mut self.keys, taken);
    }

    fn is_awaited_by(&self, waker: &Waker) -> bool {
        self.waiter.as_ref().is_some_and(|waiter| waiter.will_wake(waker))
    }
}

/// Waits for one child.
struct Announcer {
    arrivals: Arc<Arrivals>,
    key: usize,
}

impl Wake for Announcer {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.arrivals.announce(self.key);
    }
}
