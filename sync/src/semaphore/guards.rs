//! The methods of permits: forgetting, merging and splitting.

use super::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};
use crate::hold::Hold;
use std::sync::Arc;

impl<'a> SemaphorePermit<'a> {
    pub(super) fn new(semaphore: &'a Semaphore, count: usize) -> Self {
        Self { semaphore, hold: Hold::new(&semaphore.permits, count) }
    }

    /// Drops the permit without returning it to the semaphore.
    ///
    /// This reduces the semaphore's number of permits for good.
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

    /// Merges the permits of `other` into this guard, so that all of them are released together.
    ///
    /// # Panics
    ///
    /// Panics if `other` belongs to a different semaphore.
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

    /// Splits `n` permits off into a guard of their own.
    ///
    /// Returns `None`, and changes nothing, if this guard holds fewer than `n` permits.
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

    /// Returns the semaphore that this permit was acquired from.
    #[must_use]
    pub fn semaphore(&self) -> &Semaphore {
        self.semaphore
    }

    /// Returns the number of permits that this guard holds.
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
    /// Drops the permit without returning it to the semaphore.
    ///
    /// This reduces the semaphore's number of permits for good.
    pub fn forget(self) {
        self.hold.forget();
    }

    /// Merges the permits of `other` into this guard, so that all of them are released together.
    ///
    /// # Panics
    ///
    /// Panics if `other` belongs to a different semaphore.
    #[track_caller]
    pub fn merge(&mut self, other: Self) {
        let is_same = Arc::ptr_eq(self.hold.lock(), other.hold.lock());
        assert!(is_same, "merging permits of different semaphores");
        self.hold.merge(other.hold);
    }

    /// Splits `n` permits off into a guard of their own.
    ///
    /// Returns `None`, and changes nothing, if this guard holds fewer than `n` permits.
    #[must_use = "what is split off is given back when it is dropped"]
    pub fn split(&mut self, n: usize) -> Option<Self> {
        Some(Self { hold: self.hold.split(n)? })
    }

    /// Returns the semaphore that this permit was acquired from.
    #[must_use]
    pub fn semaphore(&self) -> &Arc<Semaphore> {
        self.hold.lock()
    }

    /// Returns the number of permits that this guard holds.
    #[must_use]
    pub fn num_permits(&self) -> usize {
        self.hold.count()
    }
}
