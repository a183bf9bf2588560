//! The list of waiters, in the order in which they came.
//!
//! The list is a doubly linked list whose nodes lie in a slab, so a waiter is identified by a key
//! rather than an address: futures need not be pinned for the list, and no unsafe code is needed.
//! The slab grows to the largest number of waiters that were present at one time, and never
//! shrinks.
//!
//! A node stays in the slab until its owner, the future, removes it. The node leaves the *order*
//! earlier, when it is granted what it waits for: an unlinked node is one whose owner has yet to
//! look.
//!
//! # All at once
//!
//! [`release_all`](WaitList::release_all) unlinks every node in a few steps, however many there
//! are: the whole chain becomes the *released* one, and each node of it counts as unlinked, since
//! it came in an earlier round. [`take_released`](WaitList::take_released) then takes the wakers
//! out a batch at a time, so that the lock is never held for long.

use crate::sync::{BATCH, WaitGuard, WaitLock};
use crate::wakers::Wakers;
use slab::Slab;
use std::task::Waker;

/// Stands for no node.
const NONE: usize = usize::MAX;

/// A list of waiters, each with a value, in the order in which they came.
#[derive(Debug)]
pub(crate) struct WaitList<T> {
    nodes: Slab<WaitNode<T>>,
    /// The waiting nodes, in order.
    linked: Chain,
    /// The nodes that were released and still have their wakers.
    released: Chain,
    /// The number of calls of `release_all` so far, which is never `NONE`.
    round: usize,
}

/// The two ends of a chain of nodes.
#[derive(Clone, Copy, Debug)]
struct Chain {
    first: usize,
    last: usize,
}

impl Chain {
    const EMPTY: Self = Self { first: NONE, last: NONE };
}

#[derive(Debug)]
struct WaitNode<T> {
    value: T,
    /// The waker, which is taken out when the node is unlinked.
    waker: Option<Waker>,
    /// The round in which the node was added, or `NONE` once the node is in no chain.
    round: usize,
    previous: usize,
    next: usize,
}

impl<T> WaitList<T> {
    pub(crate) const fn new() -> Self {
        Self { nodes: Slab::new(), linked: Chain::EMPTY, released: Chain::EMPTY, round: 0 }
    }

    /// Returns `true` if no node is linked.
    pub(crate) fn is_empty(&self) -> bool {
        self.linked.first == NONE
    }

    /// Links a new node at the end of the list, and returns its key.
    pub(crate) fn push(&mut self, value: T, waker: Waker) -> usize {
        let (last, round) = (self.linked.last, self.round);
        let key = self.nodes.insert(WaitNode { value, waker: Some(waker), round, previous: last, next: NONE });
        match self.nodes.get_mut(last) {
            Some(node) => node.next = key,
            None => self.linked.first = key,
        }
        self.linked.last = key;
        key
    }

    /// Returns `true` if the node still waits, that is, it was neither granted nor removed.
    pub(crate) fn is_linked(&self, key: usize) -> bool {
        self.nodes[key].round == self.round
    }

    /// Returns the value of the first node.
    pub(crate) fn first(&self) -> Option<&T> {
        Some(&self.nodes.get(self.linked.first)?.value)
    }

    /// Returns `true` if the node is the only linked one.
    pub(crate) fn is_alone(&self, key: usize) -> bool {
        self.linked.first == key && self.linked.last == key
    }

    /// Takes the first node's waker, and leaves the node linked: the task has yet to look whether
    /// it may leave the list.
    pub(crate) fn take_first_waker(&mut self) -> Option<Waker> {
        self.nodes.get_mut(self.linked.first)?.waker.take()
    }

    /// Returns the value of the first node.
    pub(crate) fn first_mut(&mut self) -> Option<&mut T> {
        Some(&mut self.nodes.get_mut(self.linked.first)?.value)
    }

    /// Returns the value of a node that was not removed.
    pub(crate) fn value_mut(&mut self, key: usize) -> &mut T {
        &mut self.nodes[key].value
    }

    /// Returns the values of the linked nodes with their wakers, in order.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&T, &Waker)> {
        let node = |key: usize| self.nodes.get(key);
        let linked = std::iter::successors(node(self.linked.first), move |before| node(before.next));
        linked.filter_map(|node| Some((&node.value, node.waker.as_ref()?)))
    }

    /// Returns the values of all nodes, in no order.
    pub(crate) fn values(&self) -> impl Iterator<Item = &T> {
        self.nodes.iter().map(|(_, node)| &node.value)
    }

    /// Returns the values of the unlinked nodes, in no order: they were granted or refused, and
    /// their owners have not looked yet.
    pub(crate) fn unlinked(&self) -> impl Iterator<Item = &T> {
        self.nodes.iter().filter(|(_, node)| node.round == NONE).map(|(_, node)| &node.value)
    }

    /// Unlinks the first node, and returns its value and its waker. The node's owner removes it
    /// later.
    pub(crate) fn unlink_first(&mut self) -> Option<(&mut T, Waker)> {
        self.unlink(self.linked.first)
    }

    /// Unlinks the last node, and returns its value and its waker. The node's owner removes it
    /// later.
    pub(crate) fn unlink_last(&mut self) -> Option<(&mut T, Waker)> {
        self.unlink(self.linked.last)
    }

    /// Unlinks all nodes at once. Returns `false` if no node was linked.
    ///
    /// The wakers stay in the list: the caller continues with
    /// [`take_released`](Self::take_released) until that method returns `false`.
    pub(crate) fn release_all(&mut self) -> bool {
        if self.is_empty() {
            return false;
        }
        let all = std::mem::replace(&mut self.linked, Chain::EMPTY);
        // The half of the numbers that has no `NONE`.
        self.round = self.round.wrapping_add(1) & (usize::MAX >> 1);
        match self.nodes.get_mut(self.released.last) {
            Some(node) => node.next = all.first,
            None => self.released.first = all.first,
        }
        self.nodes[all.first].previous = self.released.last;
        self.released.last = all.last;
        true
    }

    /// Takes the wakers of a batch of released nodes, from this or another call of `release_all`.
    /// Returns `true` if there are more.
    #[must_use = "if this is true, others are yet to be woken"]
    pub(crate) fn take_released(&mut self, wakers: &mut Wakers) -> bool {
        for _ in 0..BATCH {
            let Some((_, waker)) = self.unlink(self.released.first) else { return false };
            wakers.push(waker);
        }
        self.released.first != NONE
    }

    fn unlink(&mut self, key: usize) -> Option<(&mut T, Waker)> {
        self.detach(key)?;
        let node = &mut self.nodes[key];
        let waker = node.waker.take().expect("a node in a chain has a waker");
        Some((&mut node.value, waker))
    }

    /// Returns `true` if the node already wakes the task of `waker`.
    pub(crate) fn will_wake(&self, key: usize, waker: &Waker) -> bool {
        self.nodes[key].waker.as_ref().is_some_and(|left| left.will_wake(waker))
    }

    /// Makes a linked node wake `waker` from now on. Returns the waker that is no longer needed.
    ///
    /// The caller clones the waker before it takes the lock, and drops the returned one after it
    /// has released the lock, because both run user code.
    #[must_use = "to be dropped after the lock is released"]
    pub(crate) fn replace_waker(&mut self, key: usize, waker: Waker) -> Option<Waker> {
        self.nodes[key].waker.replace(waker)
    }

    /// Removes a node for good. Returns its value, whether it was linked, and its waker, which must
    /// be dropped with no lock held.
    #[must_use = "the waker is to be dropped after the lock is released"]
    pub(crate) fn remove(&mut self, key: usize) -> (T, bool, Option<Waker>) {
        let was_linked = self.is_linked(key);
        self.detach(key);
        let node = self.nodes.remove(key);
        (node.value, was_linked, node.waker)
    }

    /// Takes the node out of its chain. Returns `None` if the node was in no chain.
    pub(crate) fn detach(&mut self, key: usize) -> Option<()> {
        let node = self.nodes.get_mut(key).filter(|node| node.round != NONE)?;
        let (previous, next) = (node.previous, node.next);
        let round = std::mem::replace(&mut node.round, NONE);
        let chain = if round == self.round { &mut self.linked } else { &mut self.released };
        match self.nodes.get_mut(previous) {
            Some(node) => node.next = next,
            None => chain.first = next,
        }
        match self.nodes.get_mut(next) {
            Some(node) => node.previous = previous,
            None => chain.last = previous,
        }
        Some(())
    }
}

/// Makes the node wake the task of `waker`, and returns `None`, if the node still waits. Otherwise
/// returns the locked list, so that the owner can remove the node.
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
    use crate::sync::BATCH;
    use crate::wakers::Wakers;
    use std::collections::VecDeque;
    use std::task::Waker;

    #[test]
    fn a_random_history_keeps_the_order_of_a_queue() {
        let mut random = fastrand::Rng::with_seed(14);
        let (mut list, mut model, mut unlinked) = (WaitList::new(), VecDeque::new(), Vec::new());
        // Released, with their wakers.
        let mut released = VecDeque::new();
        for number in 0..20_000 {
            match random.u8(..14) {
                0..=4 => model.push_back((list.push(number, Waker::noop().clone()), number)),
                5 | 6 => {
                    let first = model.pop_front();
                    assert_eq!(list.unlink_first().map(|(value, _)| *value), first.map(|first| first.1));
                    unlinked.extend(first);
                }
                7 | 8 => {
                    let last = model.pop_back();
                    assert_eq!(list.unlink_last().map(|(value, _)| *value), last.map(|last| last.1));
                    unlinked.extend(last);
                }
                9 if random.u8(..8) == 0 => {
                    assert_eq!(list.release_all(), !model.is_empty());
                    released.extend(model.drain(..));
                }
                10 if random.u8(..8) == 0 => {
                    let count = BATCH.min(released.len());
                    let mut wakers = Wakers::default();
                    let has_more = list.take_released(&mut wakers);
                    assert_eq!((wakers.len(), has_more), (count, released.len() > count));
                    unlinked.extend(released.drain(..count));
                }
                _ => {
                    let of = random.usize(..3);
                    let (length, is_linked, has_waker) =
                        [(model.len(), true, true), (unlinked.len(), false, false), (released.len(), false, true)][of];
                    if length > 0 {
                        let at = random.usize(..length);
                        let (key, number) = match of {
                            0 => model.remove(at).expect("in range"),
                            1 => unlinked.swap_remove(at),
                            _ => released.remove(at).expect("in range"),
                        };
                        assert_eq!(list.is_linked(key), is_linked);
                        let (value, was_linked, waker) = list.remove(key);
                        assert_eq!((value, was_linked, waker.is_some()), (number, is_linked, has_waker));
                    }
                }
            }
            assert_eq!(list.is_empty(), model.is_empty());
            assert_eq!(list.first_mut().copied(), model.front().map(|first| first.1));
        }
    }
}
