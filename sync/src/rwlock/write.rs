//! The guards of the writer of a [`RwLock`]: whole or mapped to a part, borrowed or shared.

use super::{OwnedRwLockReadGuard, RwLock, RwLockReadGuard};
use crate::guard::guards_data;
use crate::hold::{Hold, OwnedHold};
use std::marker::PhantomData;
use std::sync::Arc;

/// A guard of a [`RwLock`] that is locked for writing.
#[must_use = "a lock that is dropped at once guards nothing"]
#[clippy::has_significant_drop]
pub struct RwLockWriteGuard<'a, T: ?Sized> {
    inner: RwLockMappedWriteGuard<'a, T>,
}

/// A guard of a part of the data of a [`RwLock`] that is locked for writing.
#[must_use = "a lock that is dropped at once guards nothing"]
#[clippy::has_significant_drop]
pub struct RwLockMappedWriteGuard<'a, T: ?Sized> {
    hold: Hold<'a>,
    data: *mut T,
    marker: PhantomData<&'a mut T>,
}

/// A guard of a [`RwLock`] that is locked for writing. It keeps the lock alive.
#[must_use = "a lock that is dropped at once guards nothing"]
#[clippy::has_significant_drop]
pub struct OwnedRwLockWriteGuard<T: ?Sized> {
    inner: OwnedRwLockMappedWriteGuard<T>,
}

/// A guard of a part of the data of a [`RwLock`] that is locked for writing. It keeps the lock
/// alive.
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
    /// For the holder of all permits of the lock that `data` belong to.
    pub(super) fn new(hold: Hold<'a>, data: *mut T) -> Self {
        Self { inner: RwLockMappedWriteGuard { hold, data, marker: PhantomData } }
    }

    /// Narrows the guard to a part of the data. Called as `RwLockWriteGuard::map(guard, ...)`.
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

    /// Narrows the guard to a part of the data, if there is such a part.
    ///
    /// # Errors
    ///
    /// Returns the guard as it was if `part` returns none.
    pub fn try_map<F, U: ?Sized>(this: Self, part: F) -> Result<RwLockMappedWriteGuard<'a, U>, Self>
    where
        F: FnOnce(&mut T) -> Option<&mut U>,
    {
        RwLockMappedWriteGuard::try_map(this.inner, part).map_err(|inner| Self { inner })
    }

    /// Downgrades the lock to reading, and returns a guard of a part of the data.
    pub fn downgrade_map<F, U: ?Sized>(this: Self, part: F) -> RwLockReadGuard<'a, U>
    where
        F: FnOnce(&T) -> &U,
    {
        let data: *const U = part(this.data());
        this.inner.downgraded(data)
    }

    /// Downgrades the lock to reading, and returns a guard of a part of the data, if there is such
    /// a part.
    ///
    /// # Errors
    ///
    /// Returns the guard as it was if `part` returns none.
    pub fn try_downgrade_map<F, U: ?Sized>(this: Self, part: F) -> Result<RwLockReadGuard<'a, U>, Self>
    where
        F: FnOnce(&T) -> Option<&U>,
    {
        let Some(data) = part(this.data()) else { return Err(this) };
        let data: *const U = data;
        Ok(this.inner.downgraded(data))
    }

    /// Turns the guard into a mapped guard of all of the data.
    pub fn into_mapped(this: Self) -> RwLockMappedWriteGuard<'a, T> {
        this.inner
    }

    /// Downgrades the lock to reading, and returns a reader's guard. No writer gets the lock in
    /// between.
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
    /// Narrows the guard further. Called as `RwLockMappedWriteGuard::map(guard, ...)`.
    pub fn map<F, U: ?Sized>(mut this: Self, part: F) -> RwLockMappedWriteGuard<'a, U>
    where
        F: FnOnce(&mut T) -> &mut U,
    {
        let data: *mut U = part(this.data_mut());
        RwLockMappedWriteGuard { hold: this.hold, data, marker: PhantomData }
    }

    /// Narrows the guard further, if there is such a part.
    ///
    /// # Errors
    ///
    /// Returns the guard as it was if `part` returns none.
    pub fn try_map<F, U: ?Sized>(mut this: Self, part: F) -> Result<RwLockMappedWriteGuard<'a, U>, Self>
    where
        F: FnOnce(&mut T) -> Option<&mut U>,
    {
        let Some(data) = part(this.data_mut()) else { return Err(this) };
        let data: *mut U = data;
        Ok(RwLockMappedWriteGuard { hold: this.hold, data, marker: PhantomData })
    }

    /// A reader's guard of `data`, a part of this one's.
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
    /// For the holder of all permits.
    pub(super) fn new(hold: OwnedHold<RwLock<T>>) -> Self {
        let data = hold.lock().data.get();
        Self { inner: OwnedRwLockMappedWriteGuard { hold, data } }
    }

    /// Narrows the guard to a part of the data. Called as `OwnedRwLockWriteGuard::map(guard, ...)`.
    pub fn map<F, U: ?Sized>(this: Self, part: F) -> OwnedRwLockMappedWriteGuard<T, U>
    where
        F: FnOnce(&mut T) -> &mut U,
    {
        OwnedRwLockMappedWriteGuard::map(this.inner, part)
    }

    /// Narrows the guard to a part of the data, if there is such a part.
    ///
    /// # Errors
    ///
    /// Returns the guard as it was if `part` returns none.
    pub fn try_map<F, U: ?Sized>(this: Self, part: F) -> Result<OwnedRwLockMappedWriteGuard<T, U>, Self>
    where
        F: FnOnce(&mut T) -> Option<&mut U>,
    {
        OwnedRwLockMappedWriteGuard::try_map(this.inner, part).map_err(|inner| Self { inner })
    }

    /// Downgrades the lock to reading, and returns a guard of a part of the data.
    pub fn downgrade_map<F, U: ?Sized>(this: Self, part: F) -> OwnedRwLockReadGuard<T, U>
    where
        F: FnOnce(&T) -> &U,
    {
        let data: *const U = part(this.data());
        this.inner.downgraded(data)
    }

    /// Downgrades the lock to reading, and returns a guard of a part of the data, if there is such
    /// a part.
    ///
    /// # Errors
    ///
    /// Returns the guard as it was if `part` returns none.
    pub fn try_downgrade_map<F, U: ?Sized>(this: Self, part: F) -> Result<OwnedRwLockReadGuard<T, U>, Self>
    where
        F: FnOnce(&T) -> Option<&U>,
    {
        let Some(data) = part(this.data()) else { return Err(this) };
        let data: *const U = data;
        Ok(this.inner.downgraded(data))
    }

    /// Turns the guard into a mapped guard of all of the data.
    pub fn into_mapped(this: Self) -> OwnedRwLockMappedWriteGuard<T> {
        this.inner
    }

    /// Downgrades the lock to reading, and returns a reader's guard. No writer gets the lock in
    /// between.
    pub fn downgrade(self) -> OwnedRwLockReadGuard<T> {
        let data = self.inner.data;
        self.inner.downgraded(data)
    }

    /// Returns the lock of this guard.
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
    /// Narrows the guard further. Called as `OwnedRwLockMappedWriteGuard::map(guard, ...)`.
    pub fn map<F, V: ?Sized>(mut this: Self, part: F) -> OwnedRwLockMappedWriteGuard<T, V>
    where
        F: FnOnce(&mut U) -> &mut V,
    {
        let data: *mut V = part(this.data_mut());
        OwnedRwLockMappedWriteGuard { hold: this.hold, data }
    }

    /// Narrows the guard further, if there is such a part.
    ///
    /// # Errors
    ///
    /// Returns the guard as it was if `part` returns none.
    pub fn try_map<F, V: ?Sized>(mut this: Self, part: F) -> Result<OwnedRwLockMappedWriteGuard<T, V>, Self>
    where
        F: FnOnce(&mut U) -> Option<&mut V>,
    {
        let Some(data) = part(this.data_mut()) else { return Err(this) };
        let data: *mut V = data;
        Ok(OwnedRwLockMappedWriteGuard { hold: this.hold, data })
    }

    /// Returns the lock of this guard.
    #[must_use]
    pub fn rwlock(this: &Self) -> &Arc<RwLock<T>> {
        this.hold.lock()
    }

    /// A reader's guard of `data`, a part of this one's.
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
