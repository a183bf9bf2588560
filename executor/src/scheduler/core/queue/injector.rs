//! The injector: the one queue that all share, first in first out and unbounded.
//!
//! It takes the tasks that have no processor to go to: those spawned or woken by threads outside
//! the runtime, those that a full ring gave up, and the part of a poll batch that other processors
//! are to have.
//!
//! The tasks are linked through themselves, oldest first, so that it allocates nothing. A thread
//! that pushes takes no lock: the task, or a whole chain of them, becomes the newest by one swap,
//! and is then linked behind the one that was the newest until then. A thread that takes holds a
//! lock, and takes as many as wanted while it has it. A machine that wants some meanwhile looks
//! elsewhere first: the other may have lost its core.
//!
//! ```text
//!   oldest                               newest
//!     v                                    v
//!    [G1] -> [G2] -> [G3]   .   [G4] -> [G5]
//!                           ^
//!                           a pusher has swapped G5 in for G3, and will link G4 behind G3 next
//! ```
//!
//! A task behind such a gap is seen by [`Injector::is_empty`], but is out of reach for as long as
//! the other side takes for two instructions, or is kept from a core between them. So a taker may
//! come back with nothing though the injector is not empty. It has to look again, as the sleeping
//! protocol makes it do: no machine sleeps beside an injector that is not empty.

use std::ptr::{self, NonNull};

use crossbeam_utils::CachePadded;

use crate::task::{Header, Runnable};
use crate::util::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use crate::util::sync::atomic::{AtomicPtr, AtomicUsize};
use crate::util::sync::{Mutex, MutexGuard};

/// An item of an injector: an owned handle that stands for a node with a link.
///
/// # Safety
///
/// From [`into_node`](Self::into_node) to [`from_node`](Self::from_node) the node stays alive where
/// it is, and only the injector uses its link.
pub(crate) unsafe trait Queued: Send {
    /// The node that the handle stands for.
    type Node;

    /// Turns the handle into its node.
    fn into_node(self) -> NonNull<Self::Node>;

    /// Turns a node back into its handle.
    ///
    /// # Safety
    ///
    /// `node` comes from [`into_node`](Self::into_node), and is turned back once.
    unsafe fn from_node(node: NonNull<Self::Node>) -> Self;

    /// The node's link to the next.
    fn link(node: &Self::Node) -> &AtomicPtr<Self::Node>;
}

// SAFETY: a task is alive while a thread has its `Runnable`, and the link belongs to that one.
unsafe impl Queued for Runnable {
    type Node = Header;

    fn into_node(self) -> NonNull<Header> {
        self.into_raw()
    }

    unsafe fn from_node(node: NonNull<Header>) -> Self {
        // SAFETY: by the caller's promise.
        unsafe { Self::from_raw(node) }
    }

    fn link(node: &Header) -> &AtomicPtr<Header> {
        node.queue_link()
    }
}

/// The queue. Both ends are at work at the same time, so each has its own cache lines.
pub(crate) struct Injector<P: Queued> {
    back: CachePadded<Back<P::Node>>,
    front: CachePadded<Front<P::Node>>,
}

// SAFETY: it owns runnables, which are Send, and reaches nothing else.
unsafe impl<P: Queued> Send for Injector<P> {}
// SAFETY: it hands runnables out by value only, and all that it does with their nodes is atomic.
unsafe impl<P: Queued> Sync for Injector<P> {}

impl<P: Queued> Injector<P> {
    pub(crate) fn new() -> Self {
        Self { back: CachePadded::new(Back::new()), front: CachePadded::new(Front::new()) }
    }

    /// Appends a task.
    pub(crate) fn push(&self, task: P) {
        let node = task.into_node();
        self.append(node, node, 1);
    }

    /// Appends a batch, in its order and with nothing in between.
    pub(crate) fn push_all(&self, batch: impl Iterator<Item = P>) {
        let mut nodes = batch.map(P::into_node);
        let Some(first) = nodes.next() else { return };
        let (mut last, mut count) = (first, 1);
        for node in nodes {
            // SAFETY: its handle is in our hands.
            let link = P::link(unsafe { last.as_ref() });
            // Relaxed: published with the chain, or with the link to its first node.
            link.store(node.as_ptr(), Relaxed);
            last = node;
            count += 1;
        }
        self.append(first, last, count);
    }

    /// Appends the chain of `count` nodes from `first` to `last`.
    fn append(&self, first: NonNull<P::Node>, last: NonNull<P::Node>, count: usize) {
        // SAFETY: its handle is in our hands.
        let link = P::link(unsafe { last.as_ref() });
        // Relaxed: the Release of `swap_in` carries it to the thread that swaps a task in behind
        // this one and links that here, the Release of a link to the thread that reads it.
        link.store(ptr::null_mut(), Relaxed);
        match self.back.swap_in(last, count) {
            None => self.front.begin_with(first),
            Some(before) => {
                // SAFETY: no taker lets go of a node before something is linked behind it or it is
                // swapped out as the newest; only we can link something here, and we have swapped
                // it out.
                let link = P::link(unsafe { before.as_ref() });
                // Release pairs with the Acquire in `InjectorBatch::next`: a thread that finds the
                // node sees the writes before its push.
                link.store(first.as_ptr(), Release);
            }
        }
    }

    /// Takes the oldest task, and waits while another thread takes. `None` too if a push is under
    /// way: see [`is_empty`](Self::is_empty).
    pub(crate) fn take(&self) -> Option<P> {
        if self.is_empty() {
            return None;
        }
        InjectorBatch { injector: self, left: 1, taken: 0, _lock: self.front.lock.lock() }.next()
    }

    /// Takes the oldest tasks, `most` of them at most, as they are asked for; those that are not
    /// asked for stay. Other takers get nothing until it is dropped: its holder does nothing but
    /// move tasks to another queue. `None` while another thread takes.
    pub(crate) fn take_batch(&self, most: usize) -> Option<InjectorBatch<'_, P>> {
        Some(InjectorBatch { injector: self, left: most, taken: 0, _lock: self.front.lock.try_lock()? })
    }

    /// Returns whether everything that was pushed has been taken.
    pub(crate) fn is_empty(&self) -> bool {
        self.back.is_empty()
    }

    /// How many tasks have been taken. A figure: while it stays, so does the oldest that waits.
    pub(crate) fn taken(&self) -> usize {
        self.front.taken.load(Relaxed)
    }

    /// How many tasks wait. A figure, not to be relied on: it may be a little behind, or ahead by
    /// pushes that are under way.
    pub(crate) fn len(&self) -> usize {
        let taken = self.front.taken.load(Relaxed);
        let waiting = self.back.pushed.load(Relaxed).wrapping_sub(taken) as isize;
        usize::try_from(waiting).unwrap_or(0)
    }
}

impl<P: Queued> Drop for Injector<P> {
    fn drop(&mut self) {
        while let Some(task) = self.take() {
            drop(task);
        }
    }
}

/// The end at which tasks come in.
struct Back<N> {
    /// Null if there is none.
    newest: AtomicPtr<N>,
    /// How many tasks have been pushed, or are about to be.
    pushed: AtomicUsize,
}

impl<N> Back<N> {
    fn new() -> Self {
        Self { newest: AtomicPtr::new(ptr::null_mut()), pushed: AtomicUsize::new(0) }
    }

    /// Makes `last` the newest, and returns the one before, to link it behind that.
    ///
    /// Release pairs with the Acquire of the next push: its link into our node comes after our own
    /// null there. It also pairs with `swap_out`'s. Acquire pairs with the Release of
    /// `swap_out`: a push that finds nothing comes after the taker's last write to `oldest`.
    #[must_use]
    fn swap_in(&self, last: NonNull<N>, count: usize) -> Option<NonNull<N>> {
        // Relaxed: a figure. Before the swap, so that it is not behind those that others have taken
        // already.
        self.pushed.fetch_add(count, Relaxed);
        NonNull::new(self.newest.swap(last.as_ptr(), AcqRel))
    }

    /// Leaves nothing behind if `only` is the newest still. `false` if something was swapped in for
    /// it: that will be linked behind it.
    #[must_use]
    fn swap_out(&self, only: NonNull<N>) -> bool {
        // Release pairs with the Acquire of `swap_in`.
        self.newest.compare_exchange(only.as_ptr(), ptr::null_mut(), Release, Relaxed).is_ok()
    }

    /// Relaxed: the fences of the sleeping protocol make a push and a look meet. A null that comes
    /// after a push, in the order of this word, comes after that task was taken.
    #[must_use]
    fn is_empty(&self) -> bool {
        self.newest.load(Relaxed).is_null()
    }
}

/// The end at which they go out.
struct Front<N> {
    /// Null if there is none, or if the first is about to be put here. Otherwise written under the
    /// lock.
    oldest: AtomicPtr<N>,
    /// How many tasks have been taken. Written under the lock.
    taken: AtomicUsize,
    lock: Mutex<()>,
}

impl<N> Front<N> {
    fn new() -> Self {
        Self { oldest: AtomicPtr::new(ptr::null_mut()), taken: AtomicUsize::new(0), lock: Mutex::new(()) }
    }

    /// Puts the first task in, for the thread that has swapped one in for none. No other writes
    /// here in the meantime: takers find nothing, and other pushes find something to be linked
    /// behind.
    fn begin_with(&self, first: NonNull<N>) {
        // Release pairs with the Acquire in `InjectorBatch::next`.
        self.oldest.store(first.as_ptr(), Release);
    }
}

/// Tasks on their way out of the injector, from which no other thread takes at that time.
#[must_use = "what is not taken out stays in"]
pub(crate) struct InjectorBatch<'a, P: Queued> {
    injector: &'a Injector<P>,
    left: usize,
    taken: usize,
    _lock: MutexGuard<'a, ()>,
}

impl<P: Queued> InjectorBatch<'_, P> {
    /// Takes `oldest` off the front. `false` if that cannot be done now: something was swapped in
    /// behind it that is not linked.
    #[must_use]
    fn detach(&mut self, oldest: NonNull<P::Node>) -> bool {
        let front = &self.injector.front;
        // SAFETY: its handle is in the injector, and no other thread takes it out.
        let link = P::link(unsafe { oldest.as_ref() });
        // Acquire, here and below, pairs with the Release of `append`.
        let mut next = link.load(Acquire);
        if next.is_null() {
            // Relaxed: before `swap_out`, which publishes it. A thread that then swaps a task in
            // for none writes here after us.
            front.oldest.store(ptr::null_mut(), Relaxed);
            if self.injector.back.swap_out(oldest) {
                return true;
            }
            next = link.load(Acquire);
        }
        let is_linked = !next.is_null();
        // Relaxed: for other takers, which have the lock after us.
        front.oldest.store(if is_linked { next } else { oldest.as_ptr() }, Relaxed);
        is_linked
    }
}

impl<P: Queued> Iterator for InjectorBatch<'_, P> {
    type Item = P;

    fn next(&mut self) -> Option<P> {
        self.left = self.left.checked_sub(1)?;
        // Acquire pairs with the Release of `begin_with`.
        let oldest = NonNull::new(self.injector.front.oldest.load(Acquire))?;
        if !self.detach(oldest) {
            return None;
        }
        self.taken += 1;
        // SAFETY: it was turned into a node as it was pushed, and is in the injector no more.
        Some(unsafe { P::from_node(oldest) })
    }
}

impl<P: Queued> Drop for InjectorBatch<'_, P> {
    fn drop(&mut self) {
        let taken = &self.injector.front.taken;
        // Relaxed: a figure, with one writer at a time.
        taken.store(taken.load(Relaxed).wrapping_add(self.taken), Relaxed);
    }
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests;
