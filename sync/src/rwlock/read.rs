//! The read guards of a [`RwLock`]: of all its data or a part, borrowed or owned.

use super::RwLock;
use crate::guard::guards_data;
use crate::hold::{Hold, OwnedHold};
use std::marker::PhantomData;
use std::sync::Arc;

/// A guard that gives shared access to the data of a [`RwLock`], or to a part of the data.
///
/// Dropping the guard releases the read lock.
#[must_use = "a lock that is dropped at once guards nothing"]
#[clippy::has_significant_drop]
pub struct RwLockReadGuard<'a, T: ?Sized> {
    hold: Hold<'a>,
    data: *const T,
    marker: PhantomData<&'a T>,
}

/// A read guard that keeps its [`RwLock`] alive, created by [`RwLock::read_owned`].
///
/// The guard borrows nothing, so it can be moved to another task. Dropping the guard releases the
/// read lock.
#[must_use = "a lock that is dropped at once guards nothing"]
#[clippy::has_significant_drop]
pub struct OwnedRwLockReadGuard<T: ?Sized, U: ?Sized = T> {
    hold: OwnedHold<RwLock<T>>,
    data: *const U,
}

// SAFETY: it stands for `&T`.
unsafe impl<T: ?Sized + Sync> Send for RwLockReadGuard<'_, T> {}
// SAFETY: to share it is to share `&T`.
unsafe impl<T: ?Sized + Send + Sync> Sync for RwLockReadGuard<'_, T> {}
// SAFETY: it stands for `&U`, and may drop the last lock of a `T`.
unsafe impl<T: ?Sized + Send + Sync, U: ?Sized + Sync> Send for OwnedRwLockReadGuard<T, U> {}
// SAFETY: to share it is to share `&U`, and the lock too, which `rwlock` returns.
unsafe impl<T: ?Sized + Send + Sync, U: ?Sized + Send + Sync> Sync for OwnedRwLockReadGuard<T, U> {}

impl<'a, T: ?Sized> RwLockReadGuard<'a, T> {
    /// Creates the guard. The caller holds a permit of the lock that `data` belongs to.
    pub(super) fn new(hold: Hold<'a>, data: *const T) -> Self {
        Self { hold, data, marker: PhantomData }
    }

    /// Turns the guard into a guard of the part of the data that `part` returns.
    ///
    /// This is an associated function, called as `RwLockReadGuard::map(guard, ...)`, so that it
    /// does not hide a method of the data.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::{RwLock, RwLockReadGuard};
    ///
    /// let pair = RwLock::new((1, 2));
    /// let second = RwLockReadGuard::map(pair.try_read().unwrap(), |pair| &pair.1);
    /// assert_eq!(*second, 2);
    /// ```
    pub fn map<F, U: ?Sized>(this: Self, part: F) -> RwLockReadGuard<'a, U>
    where
        F: FnOnce(&T) -> &U,
    {
        let data: *const U = part(this.data());
        RwLockReadGuard::new(this.hold, data)
    }

    /// Turns the guard into a guard of a part of the data, if `part` returns such a part.
    ///
    /// This is an associated function, so that it does not hide a method of the data.
    ///
    /// # Errors
    ///
    /// Returns the original guard if `part` returns `None`.
    pub fn try_map<F, U: ?Sized>(this: Self, part: F) -> Result<RwLockReadGuard<'a, U>, Self>
    where
        F: FnOnce(&T) -> Option<&U>,
    {
        let Some(data) = part(this.data()) else { return Err(this) };
        let data: *const U = data;
        Ok(RwLockReadGuard::new(this.hold, data))
    }

    #[inline]
    fn data(&self) -> &T {
        // SAFETY: it points into the data of a lock, and the hold is a reader's permit of that
        // lock.
        unsafe { &*self.data }
    }
}

impl<T: ?Sized> OwnedRwLockReadGuard<T> {
    pub(super) fn new(hold: OwnedHold<RwLock<T>>) -> Self {
        let data = hold.lock().data.get();
        Self { hold, data }
    }
}

impl<T: ?Sized, U: ?Sized> OwnedRwLockReadGuard<T, U> {
    /// Creates the guard. The caller holds a permit of the lock that `data` belongs to.
    pub(super) fn of_part(hold: OwnedHold<RwLock<T>>, data: *const U) -> Self {
        Self { hold, data }
    }

    /// Turns the guard into a guard of the part of the data that `part` returns.
    ///
    /// This is an associated function, called as `OwnedRwLockReadGuard::map(guard, ...)`, so that
    /// it does not hide a method of the data.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use std::sync::Arc;
    /// use wsrt::sync::{OwnedRwLockReadGuard, RwLock};
    ///
    /// let pair = Arc::new(RwLock::new((1, 2)));
    /// let second = OwnedRwLockReadGuard::map(pair.try_read_owned().unwrap(), |pair| &pair.1);
    /// assert_eq!(*second, 2);
    /// ```
    pub fn map<F, V: ?Sized>(this: Self, part: F) -> OwnedRwLockReadGuard<T, V>
    where
        F: FnOnce(&U) -> &V,
    {
        let data: *const V = part(this.data());
        OwnedRwLockReadGuard { hold: this.hold, data }
    }

    /// Turns the guard into a guard of a part of the data, if `part` returns such a part.
    ///
    /// This is an associated function, so that it does not hide a method of the data.
    ///
    /// # Errors
    ///
    /// Returns the original guard if `part` returns `None`.
    pub fn try_map<F, V: ?Sized>(this: Self, part: F) -> Result<OwnedRwLockReadGuard<T, V>, Self>
    where
        F: FnOnce(&U) -> Option<&V>,
    {
        let Some(data) = part(this.data()) else { return Err(this) };
        let data: *const V = data;
        Ok(OwnedRwLockReadGuard { hold: this.hold, data })
    }

    /// Returns the lock that the guard `this` belongs to.
    #[must_use]
    pub fn rwlock(this: &Self) -> &Arc<RwLock<T>> {
        this.hold.lock()
    }

    #[inline]
    fn data(&self) -> &U {
        // SAFETY: it points into the data of a lock that the hold keeps alive, and locked at least
        // for reading.
        unsafe { &*self.data }
    }
}

guards_data!(RwLockReadGuard<'a, T> => T);
guards_data!(OwnedRwLockReadGuard<T, U> => U);
