//! The permits that a semaphore has given out: forgotten, merged and split.

use super::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};
use crate::hold::Hold;
use std::sync::Arc;

impl<'a> SemaphorePermit<'a> {
    pub(super) fn new(semaphore: &'a Semaphore, count: usize) -> Self {
        Self { semaphore, hold: Hold::new(&semaphore.permits, count) }
    }

    /// Drops the permit without giving it back.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let permits = wsrt::sync::Semaphore::new(3);
    /// permits.try_acquire().expect("there are three").forget();
    /// assert_eq!(permits.available_permits(), 2);
    /// ```
    pub fn forget(self) {
        self.hold.forget();
    }

    /// Takes over the permits of `other`.
    ///
    /// # Panics
    ///
    /// Panics if `other` is of another semaphore.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let permits = wsrt::sync::Semaphore::new(3);
    /// let mut one = permits.try_acquire().expect("there are three");
    /// one.merge(permits.try_acquire().expect("there are two"));
    /// assert_eq!(one.num_permits(), 2);
    /// ```
    #[track_caller]
    pub fn merge(&mut self, other: Self) {
        assert!(std::ptr::eq(self.semaphore, other.semaphore), "merging permits of different semaphores");
        self.hold.merge(other.hold);
    }

    /// Splits `n` permits off, if this has as many.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let permits = wsrt::sync::Semaphore::new(3);
    /// let mut all = permits.try_acquire_many(3).expect("there are three");
    /// drop(all.split(2));
    /// assert_eq!((all.num_permits(), permits.available_permits()), (1, 2));
    /// ```
    #[must_use = "what is split off is given back when it is dropped"]
    pub fn split(&mut self, n: usize) -> Option<Self> {
        Some(Self { semaphore: self.semaphore, hold: self.hold.split(n)? })
    }

    /// Returns the semaphore of this permit.
    #[must_use]
    pub fn semaphore(&self) -> &Semaphore {
        self.semaphore
    }

    /// Returns the number of permits that this holds.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let permits = wsrt::sync::Semaphore::new(3);
    /// assert_eq!(permits.try_acquire_many(2).expect("there are three").num_permits(), 2);
    /// ```
    #[must_use]
    pub fn num_permits(&self) -> usize {
        self.hold.count()
    }
}

impl OwnedSemaphorePermit {
    /// Drops the permit without giving it back.
    pub fn forget(self) {
        self.hold.forget();
    }

    /// Takes over the permits of `other`.
    ///
    /// # Panics
    ///
    /// Panics if `other` is of another semaphore.
    #[track_caller]
    pub fn merge(&mut self, other: Self) {
        let is_same = Arc::ptr_eq(self.hold.lock(), other.hold.lock());
        assert!(is_same, "merging permits of different semaphores");
        self.hold.merge(other.hold);
    }

    /// Splits `n` permits off, if this has as many.
    #[must_use = "what is split off is given back when it is dropped"]
    pub fn split(&mut self, n: usize) -> Option<Self> {
        Some(Self { hold: self.hold.split(n)? })
    }

    /// Returns the semaphore of this permit.
    #[must_use]
    pub fn semaphore(&self) -> &Arc<Semaphore> {
        self.hold.lock()
    }

    /// Returns the number of permits that this holds.
    #[must_use]
    pub fn num_permits(&self) -> usize {
        self.hold.count()
    }
}
