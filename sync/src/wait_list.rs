//! The list of those that wait, in order: first come, first served.
//!
//! It is a doubly linked list whose nodes lie in a slab, so a waiter is a key and not an address:
//! futures need not be pinned for it, and there is nothing unsafe here. The slab grows to the
//! largest number of waiters that there were at one time, and stays so.
//!
//! A node stays in the slab until its owner, the future, removes it. It leaves the *order* earlier,
//! when it is granted what it waits for: an unlinked node is one whose owner has yet to look.

use crate::sync::{WaitGuard, WaitLock};
use slab::Slab;
use std::task::Waker;

/// No node.
const NONE: usize = usize::MAX;

/// Waiters with a value each, in the order in which they came.
#[derive(Debug)]
pub(crate) struct WaitList<T> {
    nodes: Slab<Node<T>>,
    first: usize,
    last: usize,
}

#[derive(Debug)]
struct Node<T> {
    value: T,
    /// Taken when the node is unlinked.
    waker: Option<Waker>,
    is_linked: bool,
    previous: usize,
    next: usize,
}

impl<T> WaitList<T> {
    pub(crate) const fn new() -> Self {
        Self { nodes: Slab::new(), first: NONE, last: NONE }
    }

    /// True if no node is linked.
    pub(crate) fn is_empty(&self) -> bool {
        self.first == NONE
    }

    /// Links a new node behind all others, and returns its key.
    pub(crate) fn push(&mut self, value: T, waker: Waker) -> usize {
        let last = self.last;
        let key = self.nodes.insert(Node { value, waker: Some(waker), is_linked: true, previous: last, next: NONE });
        match self.nodes.get_mut(last) {
            Some(node) => node.next = key,
            None => self.first = key,
        }
        self.last = key;
        key
    }

    /// True if the node waits still: it was neither granted nor removed.
    pub(crate) fn is_linked(&self, key: usize) -> bool {
        self.nodes[key].is_linked
    }

    /// The value of the first node.
    pub(crate) fn first_mut(&mut self) -> Option<&mut T> {
        Some(&mut self.nodes.get_mut(self.first)?.value)
    }

    /// The value of a node that was not removed.
    pub(crate) fn value_mut(&mut self, key: usize) -> &mut T {
        &mut self.nodes[key].value
    }

    /// The values of the linked nodes with their wakers, in order.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&T, &Waker)> {
        let node = |key: usize| self.nodes.get(key);
        let linked = std::iter::successors(node(self.first), move |before| node(before.next));
        linked.filter_map(|node| Some((&node.value, node.waker.as_ref()?)))
    }

    /// Unlinks the first node, and returns its value and its waker. Its owner removes it later.
    pub(crate) fn unlink_first(&mut self) -> Option<(&mut T, Waker)> {
        self.unlink(self.first)
    }

    /// Unlinks the last node, as `unlink_first` does the first.
    pub(crate) fn unlink_last(&mut self) -> Option<(&mut T, Waker)> {
        self.unlink(self.last)
    }

    fn unlink(&mut self, key: usize) -> Option<(&mut T, Waker)> {
        self.detach(key)?;
        let node = &mut self.nodes[key];
        let waker = node.waker.take().expect("a linked node has a waker");
        Some((&mut node.value, waker))
    }

    /// True if the node wakes the task of `waker` already.
    pub(crate) fn will_wake(&self, key: usize, waker: &Waker) -> bool {
        self.nodes[key].waker.as_ref().is_some_and(|left| left.will_wake(waker))
    }

    /// Has a linked node wake `waker` from now on. Returns the waker that is not needed any more.
    ///
    /// The caller clones before it takes the lock and drops after: both run foreign code.
    #[must_use = "to be dropped after the lock is released"]
    pub(crate) fn replace_waker(&mut self, key: usize, waker: Waker) -> Option<Waker> {
        self.nodes[key].waker.replace(waker)
    }

    /// Removes a node for good. Returns its value, whether it was linked, and its waker, to be
    /// dropped with no lock held.
    #[must_use = "the waker is to be dropped after the lock is released"]
    pub(crate) fn remove(&mut self, key: usize) -> (T, bool, Option<Waker>) {
        let was_linked = self.detach(key).is_some();
        let node = self.nodes.remove(key);
        (node.value, was_linked, node.waker)
    }

    /// Takes the node out of the order. `None` if it was not in it.
    fn detach(&mut self, key: usize) -> Option<()> {
        let node = self.nodes.get_mut(key).filter(|node| node.is_linked)?;
        node.is_linked = false;
        let (previous, next) = (node.previous, node.next);
        match self.nodes.get_mut(previous) {
            Some(node) => node.next = next,
            None => self.first = next,
        }
        match self.nodes.get_mut(next) {
            Some(node) => node.previous = previous,
            None => self.last = previous,
        }
        Some(())
    }
}

/// Has the node wake the task of `waker`, and returns `None`, if it waits still. Otherwise returns
/// the list, locked, for the owner to remove the node.
pub(crate) fn wait_on<'a, T>(
    waiters: &'a WaitLock<WaitList<T>>,
    key: usize,
    waker: &Waker,
) -> Option<WaitGuard<'a, WaitList<T>>> {
    let mut fresh = None;
    loop {
        let mut list = waiters.lock();
        if !list.is_linked(key) {
            return Some(list);
        }
        if list.will_wake(key, waker) {
            return None;
        }
        if let Some(fresh) = fresh.take() {
            let displaced = list.replace_waker(key, fresh);
            drop(list);
            drop(displaced);
            return None;
        }
        drop(list);
        // With no lock held: it is foreign code.
        fresh = Some(waker.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::WaitList;
    use std::collections::VecDeque;
    use std::task::Waker;

    #[test]
    fn a_random_history_keeps_the_order_of_a_queue() {
        let mut random = fastrand::Rng::with_seed(14);
        let (mut list, mut model, mut unlinked) = (WaitList::new(), VecDeque::new(), Vec::new());
        for number in 0..10_000 {
            match random.u8(..5) {
                0 | 1 => model.push_back((list.push(number, Waker::noop().clone()), number)),
                2 => {
                    let first = model.pop_front();
                    assert_eq!(list.unlink_first().map(|(value, _)| *value), first.map(|first| first.1));
                    unlinked.extend(first);
                }
                3 => {
                    let last = model.pop_back();
                    assert_eq!(list.unlink_last().map(|(value, _)| *value), last.map(|last| last.1));
                    unlinked.extend(last);
                }
                _ => {
                    let from_model = random.bool();
                    let of = if from_model { model.len() } else { unlinked.len() };
                    if of > 0 {
                        let at = random.usize(..of);
                        let (key, number) =
                            if from_model { model.remove(at).expect("in range") } else { unlinked.swap_remove(at) };
                        assert_eq!(list.is_linked(key), from_model);
                        let (value, was_linked, waker) = list.remove(key);
                        assert_eq!((value, was_linked, waker.is_some()), (number, from_model, from_model));
                    }
                }
            }
            assert_eq!(list.is_empty(), model.is_empty());
            assert_eq!(list.first_mut().copied(), model.front().map(|first| first.1));
        }
    }
}
