//! Wakers that were taken out of a wait list, to be woken once the list's lock is released.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::task::Waker;

/// Wakers to be woken with no lock held, because a waker is user code and may use the same lock.
///
/// The first waker needs no allocation, because most releases wake a single task.
#[derive(Debug, Default)]
#[must_use = "a waker that is dropped wakes nothing"]
pub(crate) struct Wakers {
    first: Option<Waker>,
    others: Vec<Waker>,
}

impl Wakers {
    pub(crate) fn push(&mut self, waker: Waker) {
        match self.first {
            None => self.first = Some(waker),
            Some(_) => self.others.push(waker),
        }
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        usize::from(self.first.is_some()) + self.others.len()
    }

    /// Wakes all tasks, in the order in which their wakers were pushed.
    ///
    /// # Panics
    ///
    /// Panics if a waker panics, but only after all other wakers have been called.
    #[inline]
    pub(crate) fn wake(&mut self) {
        // By reference: a copy of what was just written, in other pieces, has to wait for it.
        if self.others.is_empty() {
            self.first.take().into_iter().for_each(Waker::wake);
        } else {
            self.wake_each();
        }
    }

    #[cold]
    fn wake_each(&mut self) {
        let wakers = self.first.take().into_iter().chain(self.others.drain(..));
        for_each_despite_panics(wakers, Waker::wake);
    }
}

/// Calls `act` for each of the items, after a panic as well.
///
/// # Panics
///
/// Panics if a call panics, but only after all other calls.
pub(crate) fn for_each_despite_panics<I>(items: impl IntoIterator<Item = I>, mut act: impl FnMut(I)) {
    let mut panicked = None;
    for item in items {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| act(item))) {
            panicked.get_or_insert(payload);
        }
    }
    if let Some(payload) = panicked {
        resume_unwind(payload);
    }
}

/// Wakes the tasks whose wakers `take` takes out under a lock, one batch at a time and with no lock
/// held, until `take` returns `false`. The first batch is taken under `locked`.
///
/// # Panics
///
/// Panics if a waker panics, but only after the other wakers of all batches have been called.
#[inline]
pub(crate) fn wake_in_batches<G>(mut locked: G, lock: impl Fn() -> G, mut take: impl FnMut(G, &mut Wakers) -> bool) {
    let (mut wakers, mut panicked) = (Wakers::default(), None);
    while take(locked, &mut wakers) {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| wakers.wake())) {
            panicked.get_or_insert(payload);
        }
        locked = lock();
    }
    wakers.wake();
    if let Some(payload) = panicked {
        resume_unwind(payload);
    }
}
