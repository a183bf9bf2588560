//! A node of a tree of tokens: whether it is cancelled, the tasks that wait for the cancellation,
//! and its children.
//!
//! # Who keeps whom
//!
//! A node keeps its parent, so that a cancellation of any ancestor reaches it. The parent only
//! *knows* its children, by weak references, and a child that is dropped takes itself off the
//! parent's list: a server's token does not grow with the number of its past connections. A node
//! that is cancelled has no children: its list was taken out, and later children are born
//! cancelled.
//!
//! Both ways through the tree, down when it is cancelled and up when it is dropped, are loops: a
//! tree may be deeper than a stack.
//!
//! # No child is overlooked
//!
//! A node is cancelled, and a child is listed, under the lock of the node's children. So a child is
//! either on the list that the cancellation takes out, or it finds its parent cancelled. One lock
//! is held at a time, for a few steps, and no user code runs during that time.

use crate::budget;
use crate::notify::Notify;
use crate::sync::Mutex;
use crate::sync::atomic::AtomicBool;
use crate::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use crate::wait::{Place, WaitKind};
use crate::wakers::for_each_despite_panics;
use slab::Slab;
use std::mem;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::pin::pin;
// std's: loom has no weak references, and no model depends on the order of the counts.
use std::sync::{Arc, Weak};

type Children = Slab<Weak<Node>>;

/// The state of a token, which all its clones share.
#[derive(Debug)]
pub(super) struct Node {
    is_cancelled: AtomicBool,
    waiters: Notify,
    pub(super) children: Mutex<Children>,
    parent: Option<Parent>,
}

/// The parent of a node, and the node's key on its list.
#[derive(Debug)]
struct Parent {
    node: Arc<Node>,
    key: usize,
}

// A waker that panics is called with no lock held, so it leaves nothing half done.
impl UnwindSafe for Node {}
impl RefUnwindSafe for Node {}

impl Node {
    pub(super) fn new(place: Place) -> Self {
        Self::made(place, false, None)
    }

    fn made(place: Place, is_cancelled: bool, parent: Option<Parent>) -> Self {
        let (is_cancelled, waiters) = (AtomicBool::new(is_cancelled), Notify::made_at(place));
        Self { is_cancelled, waiters, children: Mutex::new(Slab::new()), parent }
    }

    /// Returns a new child. If the node is cancelled, the child is cancelled, too, and is on no
    /// list.
    pub(super) fn child(self: &Arc<Self>, place: Place) -> Arc<Self> {
        let mut children = self.children.lock();
        if self.is_cancelled.load(Relaxed) {
            drop(children);
            return Arc::new(Self::made(place, true, None));
        }
        let entry = children.vacant_entry();
        let parent = Parent { node: Arc::clone(self), key: entry.key() };
        let child = Arc::new(Self::made(place, false, Some(parent)));
        entry.insert(Arc::downgrade(&child));
        child
    }

    #[inline]
    pub(super) fn is_cancelled(&self) -> bool {
        // Acquire pairs with the Release of `mark`: a thread that sees the cancellation also sees
        // everything before it.
        self.is_cancelled.load(Acquire)
    }

    /// Cancels the node and its descendants. First all of them are marked, and then the tasks that
    /// wait are woken, so that a task that is woken finds the whole tree cancelled.
    ///
    /// # Panics
    ///
    /// Panics if a waker panics, but only after all tasks have been woken.
    pub(super) fn cancel(self: &Arc<Self>) {
        if self.is_cancelled() {
            return;
        }
        for_each_despite_panics(self.mark_tree(), |node| node.waiters.notify_waiters());
    }

    /// Marks the node and its descendants, and returns the nodes that were not marked before.
    fn mark_tree(self: &Arc<Self>) -> Vec<Arc<Self>> {
        let (mut marked, mut open) = (Vec::new(), vec![Arc::clone(self)]);
        while let Some(node) = open.pop() {
            let Some(children) = node.mark() else { continue };
            open.extend(children.iter().filter_map(|(_, child)| child.upgrade()));
            marked.push(node);
        }
        marked
    }

    /// Marks the node as cancelled, and returns its children. Returns `None` if another thread was
    /// first, which marks the children as well.
    fn mark(&self) -> Option<Children> {
        let mut children = self.children.lock();
        if self.is_cancelled.load(Relaxed) {
            return None;
        }
        // Release pairs with the Acquire of `is_cancelled`. It comes before the notification, so
        // that a waiter that enters the list later sees it.
        self.is_cancelled.store(true, Release);
        Some(mem::take(&mut *children))
    }

    pub(super) async fn wait(&self) {
        // Made before the look, so that a cancellation after the look wakes it.
        let cancelled = pin!(self.waiters.notified_as(WaitKind::Cancellation));
        if self.is_cancelled() {
            return budget::consume().await;
        }
        cancelled.await;
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let mut parent = self.parent.take();
        while let Some(Parent { node, key }) = parent {
            // Not there if the parent was cancelled.
            let listed = node.children.lock().try_remove(key);
            drop(listed);
            // Of the threads that drop a node's last references, one gets the node.
            parent = Arc::into_inner(node).and_then(|mut node| node.parent.take());
        }
    }
}
