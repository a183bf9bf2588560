//! A queue with many senders and one receiver, which waits through a waker.

use std::collections::VecDeque;
use std::panic::RefUnwindSafe;
use std::task::{Context, Poll, Waker};

use crate::util::sync::Mutex;
use crate::util::sync::atomic::AtomicBool;
use crate::util::sync::atomic::Ordering::Relaxed;

/// The posts that were not taken yet, and the receiver's waker.
///
/// One lock protects both, so that either the receiver sees a post before it waits, or the sender
/// sees the receiver's waker.
#[derive(Debug)]
pub(crate) struct Inbox<T> {
    inner: Mutex<InboxState<T>>,
    /// True if there are posts. Written with the lock held, and read without it.
    has_posts: AtomicBool,
}

#[derive(Debug)]
struct InboxState<T> {
    posts: VecDeque<T>,
    waiter: Option<Waker>,
}

// Wakers are woken, cloned and dropped with the lock released: a panic in one leaves nothing half
// changed.
impl<T> RefUnwindSafe for Inbox<T> {}

impl<T> Inbox<T> {
    /// Adds `post`, and wakes the receiver if it is waiting.
    pub(crate) fn post(&self, post: T) {
        let waiter = {
            let mut inner = self.inner.lock();
            inner.posts.push_back(post);
            self.has_posts.store(true, Relaxed);
            inner.waiter.take()
        };
        waiter.into_iter().for_each(Waker::wake);
    }

    /// Wakes the receiver if it is waiting, without adding a post.
    pub(crate) fn rouse(&self) {
        let waiter = self.inner.lock().waiter.take();
        waiter.into_iter().for_each(Waker::wake);
    }

    /// Returns whether there are posts. Relaxed: posts that happen before this call are seen.
    #[inline]
    pub(crate) fn has_posts(&self) -> bool {
        self.has_posts.load(Relaxed)
    }

    /// Moves all posts to the end of `taken`.
    pub(crate) fn take(&self, taken: &mut VecDeque<T>) {
        self.empty(&mut self.inner.lock(), taken);
    }

    /// Moves all posts to the end of `taken`, with the lock held.
    fn empty(&self, inner: &mut InboxState<T>, taken: &mut VecDeque<T>) {
        taken.append(&mut inner.posts);
        self.has_posts.store(false, Relaxed);
    }

    /// Moves all posts to the end of `taken`. If there are none, returns `Pending`, and the next
    /// post wakes `cx`'s task.
    pub(crate) fn poll_take(&self, cx: &Context<'_>, taken: &mut VecDeque<T>) -> Poll<()> {
        {
            let mut inner = self.inner.lock();
            if !inner.posts.is_empty() {
                self.empty(&mut inner, taken);
                return Poll::Ready(());
            }
            if inner.is_awaited_by(cx.waker()) {
                return Poll::Pending;
            }
        }
        // Cloning and dropping a waker may run user code, so it is not done under the lock.
        let waiter = cx.waker().clone();
        let (came, _displaced) = {
            let mut inner = self.inner.lock();
            let came = !inner.posts.is_empty();
            self.empty(&mut inner, taken);
            (came, inner.waiter.replace(waiter))
        };
        if came { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl<T> InboxState<T> {
    fn is_awaited_by(&self, waker: &Waker) -> bool {
        self.waiter.as_ref().is_some_and(|waiter| waiter.will_wake(waker))
    }
}

impl<T> Default for Inbox<T> {
    fn default() -> Self {
        Self {
            inner: Mutex::new(InboxState { posts: VecDeque::new(), waiter: None }),
            has_posts: AtomicBool::new(false),
        }
    }
}
