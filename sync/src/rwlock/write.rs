//! The write guards of a [`RwLock`]: of all its data or a part, borrowed or owned.

use super::{OwnedRwLockReadGuard, RwLock, RwLockReadGuard};
use crate::guard::guards_data;
use crate::hold::{Hold, OwnedHold};
use std::marker::PhantomData;
use std::sync::Arc;

/// A guard that gives exclusive access to the data of a [`RwLock`].
///
/// Dropping the guard releases the write lock.
#[must_use = "a lock that is dropped at once guards nothing"]
#[clippy::has_significant_drop]
pub struct RwLockWriteGuard<'a, T: ?Sized> {
    inner: RwLockMappedWriteGuard<'a, T>,
}

/// A write guard of a part of the data of a [`RwLock`], created by [`RwLockWriteGuard::map`].
///
/// Dropping the guard releases the write lock.
#[must_use = "a lock that is dropped at once guards nothing"]
#[clippy::has_significant_drop]
pub struct RwLockMappedWriteGuard<'a, T: ?Sized> {
    hold: Hold<'a>,
    data: *mut T,
    marker: PhantomData<&'a mut T>,
}

/// A write guard that keeps its [`RwLock`] alive, created by [`RwLock::write_owned`].
///
/// The guard borrows nothing, so it can be moved to another task. Dropping the guard releases the
/// write lock.
#[must_use = "a lock that is dropped at once guards nothing"]
#[clippy::has_significant_drop]
pub struct OwnedRwLockWriteGuard<T: ?Sized> {
    inner: OwnedRwLockMappedWriteGuard<T>,
}

/// A write guard of a part of the data of a [`RwLock`], created by [`OwnedRwLockWriteGuard::map`].
///
/// The guard keeps the lock alive. Dropping the guard releases the write lock.
#[must_use = "a lock that is dropped at once guards nothing"]
#[clippy::has_significant_drop]
pub struct OwnedRwLockMappedWriteGuard<T: ?Sized, U: ?Sized = T> {
    hold: OwnedHold<RwLock<T>>,
    data: *mut U,
}

// SAFETY: it stands for `&mut T`; a downgrade makes it `&T`.
unsafe impl<T: ?Sized + Send + Sync> Send for RwLockMappedWriteGuard<'_, T> {}
// SAFETY: to share it is to share `&T`.
unsafe impl<T: ?Sized + Send + Sync> Sync for RwLockMappedWriteGuard<'_, T> {}
// SAFETY: it stands for `&mut U`, and may drop the last lock of a `T`.
unsafe impl<T: ?Sized + Send + Sync, U: ?Sized + Send + Sync> Send for OwnedRwLockMappedWriteGuard<T, U> {}
// SAFETY: to share it is to share `&U`, and the lock too, which `rwlock` returns.
unsafe impl<T: ?Sized + Send + Sync, U: ?Sized + Send + Sync> Sync for OwnedRwLockMappedWriteGuard<T, U> {}

impl<'a, T: ?Sized> RwLockWriteGuard<'a, T> {
    /// Creates the guard. The caller holds all permits of the lock that `data` belongs to.
    pub(super) fn new(hold: Hold<'a>, data: *mut T) -> Self {
        Self { inner: RwLockMappedWriteGuard { hold, data, marker: PhantomData } }
    }

    /// Turns the guard into a guard of the part of the data that `part` returns.
    ///
    /// This is an associated function, called as `RwLockWriteGuard::map(guard, ...)`, so that it
    /// does not hide a method of the data.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::{RwLock, RwLockWriteGuard};
    ///
    /// let pair = RwLock::new((1, 2));
    /// *RwLockWriteGuard::map(pair.try_write().unwrap(), |pair| &mut pair.1) = 3;
    /// assert_eq!(*pair.try_read().unwrap(), (1, 3));
    /// ```
    pub fn map<F, U: ?Sized>(this: Self, part: F) -> RwLockMappedWriteGuard<'a, U>
    where
        F: FnOnce(&mut T) -> &mut U,
    {
        RwLockMappedWriteGuard::map(this.inner, part)
    }

    /// Turns the guard into a guard of a part of the data, if `part` returns such a part.
    ///
    /// This is an associated function, so that it does not hide a method of the data.
    ///
    /// # Errors
    ///
    /// Returns the original guard if `part` returns `None`.
    pub fn try_map<F, U: ?Sized>(this: Self, part: F) -> Result<RwLockMappedWriteGuard<'a, U>, Self>
    where
        F: FnOnce(&mut T) -> Option<&mut U>,
    {
        RwLockMappedWriteGuard::try_map(this.inner, part).map_err(|inner| Self { inner })
    }

    /// Downgrades the write lock to a read lock, and returns a read guard of the part of the data
    /// that `part` returns.
    ///
    /// No other writer can acquire the lock in between.
    pub fn downgrade_map<F, U: ?Sized>(this: Self, part: F) -> RwLockReadGuard<'a, U>
    where
        F: FnOnce(&T) -> &U,
    {
        let data: *const U = part(this.data());
        this.inner.downgraded(data)
    }

    /// Downgrades the write lock to a read lock, and returns a read guard of a part of the data, if
    /// `part` returns such a part.
    ///
    /// If `part` returns `None`, the lock is not downgraded.
    ///
    /// # Errors
    ///
    /// Returns the original guard if `part` returns `None`.
    pub fn try_downgrade_map<F, U: ?Sized>(this: Self, part: F) -> Result<RwLockReadGuard<'a, U>, Self>
    where
        F: FnOnce(&T) -> Option<&U>,
    {
        let Some(data) = part(this.data()) else { return Err(this) };
        let data: *const U = data;
        Ok(this.inner.downgraded(data))
    }

    /// Turns the guard into a mapped guard that covers all of the data.
    pub fn into_mapped(this: Self) -> RwLockMappedWriteGuard<'a, T> {
        this.inner
    }

    /// Downgrades the write lock to a read lock, and returns a read guard.
    ///
    /// No other writer can acquire the lock in between, so the data stay as the caller left them.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// use wsrt::sync::RwLock;
    ///
    /// let count = RwLock::new(0);
    /// let mut writing = count.write().await;
    /// *writing += 1;
    /// let reading = writing.downgrade();
    /// assert_eq!(*reading, *count.read().await, "others may read, too");
    /// # });
    /// ```
    pub fn downgrade(self) -> RwLockReadGuard<'a, T> {
        let data = self.inner.data;
        self.inner.downgraded(data)
    }

    #[inline]
    fn data(&self) -> &T {
        self.inner.data()
    }

    #[inline]
    fn data_mut(&mut self) -> &mut T {
        self.inner.data_mut()
    }
}

impl<'a, T: ?Sized> RwLockMappedWriteGuard<'a, T> {
    /// Turns the guard into a guard of a smaller part of the data.
    ///
    /// This is an associated function, called as `RwLockMappedWriteGuard::map(guard, ...)`.
    pub fn map<F, U: ?Sized>(mut this: Self, part: F) -> RwLockMappedWriteGuard<'a, U>
    where
        F: FnOnce(&mut T) -> &mut U,
    {
        let data: *mut U = part(this.data_mut());
        RwLockMappedWriteGuard { hold: this.hold, data, marker: PhantomData }
    }

    /// Turns the guard into a guard of a smaller part of the data, if `part` returns such a part.
    ///
    /// This is an associated function, so that it does not hide a method of the data.
    ///
    /// # Errors
    ///
    /// Returns the original guard if `part` returns `None`.
    pub fn try_map<F, U: ?Sized>(mut this: Self, part: F) -> Result<RwLockMappedWriteGuard<'a, U>, Self>
    where
        F: FnOnce(&mut T) -> Option<&mut U>,
    {
        let Some(data) = part(this.data_mut()) else { return Err(this) };
        let data: *mut U = data;
        Ok(RwLockMappedWriteGuard { hold: this.hold, data, marker: PhantomData })
    }

    /// Returns a read guard of `data`, which is a part of this guard's data.
    fn downgraded<U: ?Sized>(mut self, data: *const U) -> RwLockReadGuard<'a, U> {
        self.hold.keep(1);
        RwLockReadGuard::new(self.hold, data)
    }

    #[inline]
    fn data(&self) -> &T {
        // SAFETY: it points into the data of a lock all of whose permits are held here.
        unsafe { &*self.data }
    }

    #[inline]
    fn data_mut(&mut self) -> &mut T {
        // SAFETY: it points into the data of a lock all of whose permits are held here, by this
        // guard only.
        unsafe { &mut *self.data }
    }
}

impl<T: ?Sized> OwnedRwLockWriteGuard<T> {
    /// Creates the guard. The caller holds all permits of the lock.
    pub(super) fn new(hold: OwnedHold<RwLock<T>>) -> Self {
        let data = hold.lock().data.get();
        Self { inner: OwnedRwLockMappedWriteGuard { hold, data } }
    }

    /// Turns the guard into a guard of the part of the data that `part` returns.
    ///
    /// This is an associated function, called as `OwnedRwLockWriteGuard::map(guard, ...)`, so that
    /// it does not hide a method of the data.
    pub fn map<F, U: ?Sized>(this: Self, part: F) -> OwnedRwLockMappedWriteGuard<T, U>
    where
        F: FnOnce(&mut T) -> &mut U,
    {
        OwnedRwLockMappedWriteGuard::map(this.inner, part)
    }

    /// Turns the guard into a guard of a part of the data, if `part` returns such a part.
    ///
    /// This is an associated function, so that it does not hide a method of the data.
    ///
    /// # Errors
    ///
    /// Returns the original guard if `part` returns `None`.
    pub fn try_map<F, U: ?Sized>(this: Self, part: F) -> Result<OwnedRwLockMappedWriteGuard<T, U>, Self>
    where
        F: FnOnce(&mut T) -> Option<&mut U>,
    {
        OwnedRwLockMappedWriteGuard::try_map(this.inner, part).map_err(|inner| Self { inner })
    }

    /// Downgrades the write lock to a read lock, and returns a read guard of the part of the data
    /// that `part` returns.
    ///
    /// No other writer can acquire the lock in between.
    pub fn downgrade_map<F, U: ?Sized>(this: Self, part: F) -> OwnedRwLockReadGuard<T, U>
    where
        F: FnOnce(&T) -> &U,
    {
        let data: *const U = part(this.data());
        this.inner.downgraded(data)
    }

    /// Downgrades the write lock to a read lock, and returns a read guard of a part of the data, if
    /// `part` returns such a part.
    ///
    /// If `part` returns `None`, the lock is not downgraded.
    ///
    /// # Errors
    ///
    /// Returns the original guard if `part` returns `None`.
    pub fn try_downgrade_map<F, U: ?Sized>(this: Self, part: F) -> Result<OwnedRwLockReadGuard<T, U>, Self>
    where
        F: FnOnce(&T) -> Option<&U>,
    {
        let Some(data) = part(this.data()) else { return Err(this) };
        let data: *const U = data;
        Ok(this.inner.downgraded(data))
    }

    /// Turns the guard into a mapped guard that covers all of the data.
    pub fn into_mapped(this: Self) -> OwnedRwLockMappedWriteGuard<T> {
        this.inner
    }

    /// Downgrades the write lock to a read lock, and returns a read guard.
    ///
    /// No other writer can acquire the lock in between, so the data stay as the caller left them.
    pub fn downgrade(self) -> OwnedRwLockReadGuard<T> {
        let data = self.inner.data;
        self.inner.downgraded(data)
    }

    /// Returns the lock that the guard `this` belongs to.
    #[must_use]
    pub fn rwlock(this: &Self) -> &Arc<RwLock<T>> {
        this.inner.hold.lock()
    }

    #[inline]
    fn data(&self) -> &T {
        self.inner.data()
    }

    #[inline]
    fn data_mut(&mut self) -> &mut T {
        self.inner.data_mut()
    }
}

impl<T: ?Sized, U: ?Sized> OwnedRwLockMappedWriteGuard<T, U> {
    /// Turns the guard into a guard of a smaller part of the data.
    ///
    /// This is an associated function, called as `OwnedRwLockMappedWriteGuard::map(guard, ...)`.
    pub fn map<F, V: ?Sized>(mut this: Self, part: F) -> OwnedRwLockMappedWriteGuard<T, V>
    where
        F: FnOnce(&mut U) -> &mut V,
    {
        let data: *mut V = part(this.data_mut());
        OwnedRwLockMappedWriteGuard { hold: this.hold, data }
    }

    /// Turns the guard into a guard of a smaller part of the data, if `part` returns such a part.
    ///
    /// This is an associated function, so that it does not hide a method of the data.
    ///
    /// # Errors
    ///
    /// Returns the original guard if `part` returns `None`.
    pub fn try_map<F, V: ?Sized>(mut this: Self, part: F) -> Result<OwnedRwLockMappedWriteGuard<T, V>, Self>
    where
        F: FnOnce(&mut U) -> Option<&mut V>,
    {
        let Some(data) = part(this.data_mut()) else { return Err(this) };
        let data: *mut V = data;
        Ok(OwnedRwLockMappedWriteGuard { hold: this.hold, data })
    }

    /// Returns the lock that the guard `this` belongs to.
    #[must_use]
    pub fn rwlock(this: &Self) -> &Arc<RwLock<T>> {
        this.hold.lock()
    }

    /// Returns a read guard of `data`, which is a part of this guard's data.
    fn downgraded<V: ?Sized>(mut self, data: *const V) -> OwnedRwLockReadGuard<T, V> {
        self.hold.keep(1);
        OwnedRwLockReadGuard::of_part(self.hold, data)
    }

    #[inline]
    fn data(&self) -> &U {
        // SAFETY: it points into the data of a lock that the hold keeps alive, and all of whose
        // permits it holds.
        unsafe { &*self.data }
    }

    #[inline]
    fn data_mut(&mut self) -> &mut U {
        // SAFETY: it points into the data of a lock that the hold keeps alive, and all of whose
        // permits it holds, for this guard only.
        unsafe { &mut *self.data }
    }
}

guards_data!(mut RwLockWriteGuard<'a, T> => T);
guards_data!(mut RwLockMappedWriteGuard<'a, T> => T);
guards_data!(mut OwnedRwLockWriteGuard<T> => T);
guards_data!(mut OwnedRwLockMappedWriteGuard<T, U> => U);
