//! The guards of a [`Mutex`]: of all its data or a part, borrowed or owned.

use super::Mutex;
use crate::guard::guards_data;
use crate::hold::{Hold, OwnedHold};
use std::marker::PhantomData;
use std::sync::Arc;

/// A guard that gives access to the data of a locked [`Mutex`].
///
/// Dropping the guard unlocks the mutex.
#[must_use = "a lock that is dropped at once guards nothing"]
#[clippy::has_significant_drop]
pub struct MutexGuard<'a, T: ?Sized> {
    mutex: &'a Mutex<T>,
    hold: Hold<'a>,
}

/// A guard of a part of the data of a locked [`Mutex`], created by [`MutexGuard::map`].
///
/// Dropping the guard unlocks the mutex.
#[must_use = "a lock that is dropped at once guards nothing"]
#[clippy::has_significant_drop]
pub struct MappedMutexGuard<'a, T: ?Sized> {
    hold: Hold<'a>,
    data: *mut T,
    marker: PhantomData<&'a mut T>,
}

/// A guard of a locked [`Mutex`] that keeps the mutex alive, created by [`Mutex::lock_owned`].
///
/// The guard borrows nothing, so it can be moved to another task. Dropping the guard unlocks the
/// mutex.
#[must_use = "a lock that is dropped at once guards nothing"]
#[clippy::has_significant_drop]
pub struct OwnedMutexGuard<T: ?Sized> {
    hold: OwnedHold<Mutex<T>>,
}

/// A guard of a part of the data of a locked [`Mutex`], created by [`OwnedMutexGuard::map`].
///
/// The guard keeps the mutex alive. Dropping the guard unlocks the mutex.
#[must_use = "a lock that is dropped at once guards nothing"]
#[clippy::has_significant_drop]
pub struct OwnedMappedMutexGuard<T: ?Sized, U: ?Sized = T> {
    hold: OwnedHold<Mutex<T>>,
    data: *mut U,
}

// SAFETY: to share a guard is to share the data, and the mutex too, which `mutex` returns.
unsafe impl<T: ?Sized + Send + Sync> Sync for MutexGuard<'_, T> {}
// SAFETY: it stands for `&mut T`.
unsafe impl<T: ?Sized + Send> Send for MappedMutexGuard<'_, T> {}
// SAFETY: to share it is to share `&T`.
unsafe impl<T: ?Sized + Sync> Sync for MappedMutexGuard<'_, T> {}
// SAFETY: to share a guard is to share the data, and the mutex too, which `mutex` returns.
unsafe impl<T: ?Sized + Send + Sync> Sync for OwnedMutexGuard<T> {}
// SAFETY: it stands for `&mut U`, and may drop the last mutex of a `T`.
unsafe impl<T: ?Sized + Send, U: ?Sized + Send> Send for OwnedMappedMutexGuard<T, U> {}
// SAFETY: to share it is to share `&U`.
unsafe impl<T: ?Sized + Send + Sync, U: ?Sized + Send + Sync> Sync for OwnedMappedMutexGuard<T, U> {}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    pub(super) fn new(mutex: &'a Mutex<T>, hold: Hold<'a>) -> Self {
        Self { mutex, hold }
    }

    /// Turns the guard into a guard of the part of the data that `part` returns.
    ///
    /// This is an associated function, called as `MutexGuard::map(guard, ...)`, so that it does not
    /// hide a method of the data.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::{Mutex, MutexGuard};
    ///
    /// let pair = Mutex::new((1, 2));
    /// let mut second = MutexGuard::map(pair.try_lock().unwrap(), |pair| &mut pair.1);
    /// *second = 3;
    /// drop(second);
    /// assert_eq!(pair.into_inner(), (1, 3));
    /// ```
    pub fn map<U: ?Sized, F>(mut this: Self, part: F) -> MappedMutexGuard<'a, U>
    where
        F: FnOnce(&mut T) -> &mut U,
    {
        let data: *mut U = part(this.data_mut());
        MappedMutexGuard { hold: this.hold, data, marker: PhantomData }
    }

    /// Turns the guard into a guard of a part of the data, if `part` returns such a part.
    ///
    /// This is an associated function, so that it does not hide a method of the data.
    ///
    /// # Errors
    ///
    /// Returns the original guard if `part` returns `None`.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::{Mutex, MutexGuard};
    ///
    /// let names = Mutex::new(vec!["ada"]);
    /// let first = MutexGuard::try_map(names.try_lock().unwrap(), |names| names.first_mut());
    /// assert_eq!(*first.expect("there is one"), "ada");
    /// ```
    pub fn try_map<U: ?Sized, F>(mut this: Self, part: F) -> Result<MappedMutexGuard<'a, U>, Self>
    where
        F: FnOnce(&mut T) -> Option<&mut U>,
    {
        let Some(data) = part(this.data_mut()) else { return Err(this) };
        let data: *mut U = data;
        Ok(MappedMutexGuard { hold: this.hold, data, marker: PhantomData })
    }

    /// Returns the mutex that the guard `this` belongs to.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::{Mutex, MutexGuard};
    ///
    /// let mutex = Mutex::new(7);
    /// let guard = mutex.try_lock().unwrap();
    /// assert!(std::ptr::eq(MutexGuard::mutex(&guard), &mutex));
    /// ```
    #[must_use]
    pub fn mutex(this: &Self) -> &'a Mutex<T> {
        this.mutex
    }

    #[inline]
    fn data(&self) -> &T {
        // SAFETY: the hold is the one permit of the mutex: no other task reaches the data.
        unsafe { &*self.mutex.data.get() }
    }

    #[inline]
    fn data_mut(&mut self) -> &mut T {
        // SAFETY: the hold is the one permit of the mutex, and this the one guard with it.
        unsafe { &mut *self.mutex.data.get() }
    }
}

impl<'a, T: ?Sized> MappedMutexGuard<'a, T> {
    /// Turns the guard into a guard of a smaller part of the data.
    ///
    /// This is an associated function, called as `MappedMutexGuard::map(guard, ...)`.
    pub fn map<U: ?Sized, F>(mut this: Self, part: F) -> MappedMutexGuard<'a, U>
    where
        F: FnOnce(&mut T) -> &mut U,
    {
        let data: *mut U = part(this.data_mut());
        MappedMutexGuard { hold: this.hold, data, marker: PhantomData }
    }

    /// Turns the guard into a guard of a smaller part of the data, if `part` returns such a part.
    ///
    /// This is an associated function, so that it does not hide a method of the data.
    ///
    /// # Errors
    ///
    /// Returns the original guard if `part` returns `None`.
    pub fn try_map<U: ?Sized, F>(mut this: Self, part: F) -> Result<MappedMutexGuard<'a, U>, Self>
    where
        F: FnOnce(&mut T) -> Option<&mut U>,
    {
        let Some(data) = part(this.data_mut()) else { return Err(this) };
        let data: *mut U = data;
        Ok(MappedMutexGuard { hold: this.hold, data, marker: PhantomData })
    }

    #[inline]
    fn data(&self) -> &T {
        // SAFETY: it points into the data of a mutex whose one permit is held here.
        unsafe { &*self.data }
    }

    #[inline]
    fn data_mut(&mut self) -> &mut T {
        // SAFETY: it points into the data of a mutex whose one permit is held here and only here.
        unsafe { &mut *self.data }
    }
}

impl<T: ?Sized> OwnedMutexGuard<T> {
    pub(super) fn new(hold: OwnedHold<Mutex<T>>) -> Self {
        Self { hold }
    }

    /// Turns the guard into a guard of the part of the data that `part` returns.
    ///
    /// This is an associated function, called as `OwnedMutexGuard::map(guard, ...)`, so that it
    /// does not hide a method of the data.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use std::sync::Arc;
    /// use wsrt::sync::{Mutex, OwnedMutexGuard};
    ///
    /// let pair = Arc::new(Mutex::new((1, 2)));
    /// let guard = Arc::clone(&pair).try_lock_owned().unwrap();
    /// *OwnedMutexGuard::map(guard, |pair| &mut pair.1) = 3;
    /// assert_eq!(*pair.try_lock().unwrap(), (1, 3));
    /// ```
    pub fn map<U: ?Sized, F>(mut this: Self, part: F) -> OwnedMappedMutexGuard<T, U>
    where
        F: FnOnce(&mut T) -> &mut U,
    {
        let data: *mut U = part(this.data_mut());
        OwnedMappedMutexGuard { hold: this.hold, data }
    }

    /// Turns the guard into a guard of a part of the data, if `part` returns such a part.
    ///
    /// This is an associated function, so that it does not hide a method of the data.
    ///
    /// # Errors
    ///
    /// Returns the original guard if `part` returns `None`.
    pub fn try_map<U: ?Sized, F>(mut this: Self, part: F) -> Result<OwnedMappedMutexGuard<T, U>, Self>
    where
        F: FnOnce(&mut T) -> Option<&mut U>,
    {
        let Some(data) = part(this.data_mut()) else { return Err(this) };
        let data: *mut U = data;
        Ok(OwnedMappedMutexGuard { hold: this.hold, data })
    }

    /// Returns the mutex that the guard `this` belongs to.
    #[must_use]
    pub fn mutex(this: &Self) -> &Arc<Mutex<T>> {
        this.hold.lock()
    }

    #[inline]
    fn data(&self) -> &T {
        // SAFETY: the hold is the one permit of the mutex: no other task reaches the data.
        unsafe { &*self.hold.lock().data.get() }
    }

    #[inline]
    fn data_mut(&mut self) -> &mut T {
        // SAFETY: the hold is the one permit of the mutex, and this the one guard with it.
        unsafe { &mut *self.hold.lock().data.get() }
    }
}

impl<T: ?Sized, U: ?Sized> OwnedMappedMutexGuard<T, U> {
    /// Turns the guard into a guard of a smaller part of the data.
    ///
    /// This is an associated function, called as `OwnedMappedMutexGuard::map(guard, ...)`.
    pub fn map<S: ?Sized, F>(mut this: Self, part: F) -> OwnedMappedMutexGuard<T, S>
    where
        F: FnOnce(&mut U) -> &mut S,
    {
        let data: *mut S = part(this.data_mut());
        OwnedMappedMutexGuard { hold: this.hold, data }
    }

    /// Turns the guard into a guard of a smaller part of the data, if `part` returns such a part.
    ///
    /// This is an associated function, so that it does not hide a method of the data.
    ///
    /// # Errors
    ///
    /// Returns the original guard if `part` returns `None`.
    pub fn try_map<S: ?Sized, F>(mut this: Self, part: F) -> Result<OwnedMappedMutexGuard<T, S>, Self>
    where
        F: FnOnce(&mut U) -> Option<&mut S>,
    {
        let Some(data) = part(this.data_mut()) else { return Err(this) };
        let data: *mut S = data;
        Ok(OwnedMappedMutexGuard { hold: this.hold, data })
    }

    #[inline]
    fn data(&self) -> &U {
        // SAFETY: it points into the data of a mutex that the hold keeps alive and locked.
        unsafe { &*self.data }
    }

    #[inline]
    fn data_mut(&mut self) -> &mut U {
        // SAFETY: it points into the data of a mutex that the hold keeps alive, and locked for this
        // guard only.
        unsafe { &mut *self.data }
    }
}

guards_data!(mut MutexGuard<'a, T> => T);
guards_data!(mut MappedMutexGuard<'a, T> => T);
guards_data!(mut OwnedMutexGuard<T> => T);
guards_data!(mut OwnedMappedMutexGuard<T, U> => U);
