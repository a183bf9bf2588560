//! The hold that a guard gives back when it is dropped.
//!
//! The guards themselves have no destructor: they can be taken apart, mapped and downgraded by
//! moving their hold.

use crate::batch_semaphore::BatchSemaphore;
use std::fmt;
use std::sync::Arc;

/// Permits that are taken from a borrowed lock, and returned when the hold is dropped.
#[derive(Debug)]
pub(crate) struct Hold<'a> {
    permits: &'a BatchSemaphore,
    count: usize,
}

impl<'a> Hold<'a> {
    #[inline]
    pub(crate) fn new(permits: &'a BatchSemaphore, count: usize) -> Self {
        Self { permits, count }
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Forgets the permits, so that they are never given back.
    pub(crate) fn forget(mut self) {
        self.count = 0;
        self.permits.disown();
    }

    /// Gives back all permits except `count`.
    pub(crate) fn keep(&mut self, count: usize) {
        let surplus = self.count - count;
        self.count = count;
        self.permits.give(surplus);
    }

    /// Splits `count` permits off into a new hold. Returns `None` if this hold has fewer.
    pub(crate) fn split(&mut self, count: usize) -> Option<Self> {
        self.count = self.count.checked_sub(count)?;
        Some(Self { permits: self.permits, count })
    }

    /// Takes over the permits that `other` holds.
    pub(crate) fn merge(&mut self, mut other: Self) {
        self.count += std::mem::take(&mut other.count);
    }
}

impl Drop for Hold<'_> {
    #[inline]
    fn drop(&mut self) {
        if self.count > 0 {
            self.permits.give(self.count);
        }
    }
}

/// A lock whose permits can be held through an `Arc`.
pub(crate) trait HasPermits {
    fn permits(&self) -> &BatchSemaphore;
}

/// Permits that are taken from a lock behind an `Arc`, which the hold keeps alive.
pub(crate) struct OwnedHold<L: HasPermits + ?Sized> {
    lock: Arc<L>,
    count: usize,
}

impl<L: HasPermits + ?Sized> OwnedHold<L> {
    #[inline]
    pub(crate) fn new(lock: Arc<L>, count: usize) -> Self {
        lock.permits().note_owned_guard();
        Self { lock, count }
    }

    pub(crate) fn lock(&self) -> &Arc<L> {
        &self.lock
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Forgets the permits, so that they are never given back.
    pub(crate) fn forget(mut self) {
        self.count = 0;
        self.lock.permits().disown();
    }

    /// Gives back all permits except `count`.
    pub(crate) fn keep(&mut self, count: usize) {
        let surplus = self.count - count;
        self.count = count;
        self.lock.permits().give(surplus);
    }

    /// Splits `count` permits off into a new hold. Returns `None` if this hold has fewer.
    pub(crate) fn split(&mut self, count: usize) -> Option<Self> {
        self.count = self.count.checked_sub(count)?;
        Some(Self { lock: Arc::clone(&self.lock), count })
    }

    /// Takes over the permits that `other` holds.
    pub(crate) fn merge(&mut self, mut other: Self) {
        self.count += std::mem::take(&mut other.count);
    }
}

impl<L: HasPermits + ?Sized> Drop for OwnedHold<L> {
    #[inline]
    fn drop(&mut self) {
        if self.count > 0 {
            self.lock.permits().give(self.count);
        }
    }
}

impl<L: HasPermits + ?Sized> fmt::Debug for OwnedHold<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnedHold").field("count", &self.count).finish_non_exhaustive()
    }
}
