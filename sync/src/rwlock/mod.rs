//! A reader-writer lock that tasks can wait for without blocking a thread.

mod read;
mod write;

pub use self::read::{OwnedRwLockReadGuard, RwLockReadGuard};
pub use self::write::{OwnedRwLockMappedWriteGuard, OwnedRwLockWriteGuard, RwLockMappedWriteGuard, RwLockWriteGuard};

use crate::batch_semaphore::BatchSemaphore;
use crate::blocking::block_on;
use crate::hold::{HasPermits, Hold, OwnedHold};
use crate::mutex::{TryLockError, never_closed};
use crate::sync::const_fn;
use crate::wait::WaitKind;
use std::cell::UnsafeCell;
use std::fmt;
use std::sync::Arc;

/// The maximum number of readers of a lock, unless the caller chooses another one.
const MOST_READERS: u32 = u32::MAX >> 3;

/// An async reader-writer lock, whose guards can be held across an `.await`.
///
/// Any number of readers, or a single writer, can hold the lock at a time.
///
/// Tasks acquire the lock in the order in which they asked. A waiting writer holds up the readers
/// behind it, so that a steady stream of readers cannot starve writers.
///
/// # Not guaranteed
///
/// A task that holds a read guard and asks for a second one while a writer waits deadlocks: the
/// writer waits for the first guard, and the task waits for the writer.
///
/// # Examples
///
/// ```
/// # mod wsrt { pub use wsrt_sync as sync; }
/// # wsrt_sync::blocking::block_on(async {
/// use wsrt::sync::RwLock;
///
/// let routes = RwLock::new(vec!["/"]);
/// {
///     let (one, another) = (routes.read().await, routes.read().await);
///     assert_eq!(one.len(), another.len());
/// }
/// routes.write().await.push("/health");
/// assert_eq!(*routes.read().await, ["/", "/health"]);
/// # });
/// ```
pub struct RwLock<T: ?Sized> {
    most_readers: u32,
    /// A reader takes one permit, a writer takes all of them.
    permits: BatchSemaphore,
    data: UnsafeCell<T>,
}

// SAFETY: a lock owns its data: with the lock they go to the other thread.
unsafe impl<T: ?Sized + Send> Send for RwLock<T> {}
// SAFETY: readers on several threads share `&T`, and a writer has the data as if they were sent.
unsafe impl<T: ?Sized + Send + Sync> Sync for RwLock<T> {}

impl<T> RwLock<T> {
    const_fn! {
        /// Creates an unlocked lock that protects `value`.
        ///
        /// # Examples
        ///
        /// ```
        /// # mod wsrt { pub use wsrt_sync as sync; }
        /// let limits = wsrt::sync::RwLock::new(10);
        /// assert_eq!(*limits.try_read().unwrap(), 10);
        /// ```
        #[must_use]
        #[track_caller]
        pub fn new(value: T) -> Self {
            Self::with_max_readers(value, MOST_READERS)
        }
    }

    const_fn! {
        /// Creates an unlocked lock that allows at most `max_reads` readers at a time.
        ///
        /// # Panics
        ///
        /// Panics if `max_reads` is 0, or greater than `u32::MAX >> 3`.
        #[must_use]
        #[track_caller]
        pub fn with_max_readers(value: T, max_reads: u32) -> Self {
            assert!(max_reads > 0, "a RwLock may not be created with 0 readers");
            assert!(max_reads <= MOST_READERS, "a RwLock may not be created with more than u32::MAX >> 3 readers");
            Self {
                most_readers: max_reads,
                permits: BatchSemaphore::new(max_reads as usize),
                data: UnsafeCell::new(value),
            }
        }
    }

    const_fn! {
        /// Creates an unlocked lock in a constant or static. [`new`](RwLock::new) is `const` as
        /// well.
        #[must_use]
        #[track_caller]
        pub fn const_new(value: T) -> Self {
            Self::new(value)
        }
    }

    const_fn! {
        /// Creates an unlocked lock that allows at most `max_reads` readers at a time, for use in
        /// constants and statics.
        ///
        /// # Panics
        ///
        /// Panics if `max_reads` is 0, or greater than `u32::MAX >> 3`.
        #[must_use]
        #[track_caller]
        pub fn const_with_max_readers(value: T, max_reads: u32) -> Self {
            Self::with_max_readers(value, max_reads)
        }
    }

    /// Consumes the lock and returns the data.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let limits = wsrt::sync::RwLock::new(10);
    /// assert_eq!(limits.into_inner(), 10);
    /// ```
    #[must_use]
    pub fn into_inner(self) -> T {
        self.data.into_inner()
    }
}

impl<T: ?Sized> RwLock<T> {
    /// Locks for reading, waiting while a writer holds the lock or waits ahead of the caller.
    ///
    /// Dropping the returned guard releases the lock.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe: if the future is dropped before it completes, the lock has not
    /// been acquired. The caller loses its place in the queue.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// use wsrt::sync::RwLock;
    ///
    /// let routes = RwLock::new(vec!["/"]);
    /// let (one, another) = (routes.read().await, routes.read().await);
    /// assert_eq!(one.len() + another.len(), 2);
    /// # });
    /// ```
    pub async fn read(&self) -> RwLockReadGuard<'_, T> {
        if !self.permits.take_at_once(1) {
            never_closed(self.permits.take(1, WaitKind::RwLockRead).await);
        }
        self.read_guard()
    }

    /// Locks for reading, blocking the calling thread while a writer holds the lock or waits ahead
    /// of the caller.
    ///
    /// If the caller is a wsrt task, another thread runs the runtime's other tasks in the meantime.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::RwLock;
    ///
    /// let routes = RwLock::new(vec!["/"]);
    /// assert_eq!(*routes.blocking_read(), ["/"]);
    /// ```
    #[track_caller]
    pub fn blocking_read(&self) -> RwLockReadGuard<'_, T> {
        block_on(self.read())
    }

    /// Locks for reading, waiting while a writer holds the lock or waits ahead of the caller.
    ///
    /// The returned guard keeps the lock alive and borrows nothing, so it can be moved to another
    /// task.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe: if the future is dropped before it completes, the lock has not
    /// been acquired. The caller loses its place in the queue.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// use std::sync::Arc;
    /// use wsrt::sync::RwLock;
    ///
    /// let lock = Arc::new(RwLock::new(7));
    /// let reader = Arc::clone(&lock).read_owned().await;
    /// // It borrows nothing, and may move to another task or thread.
    /// assert_eq!(std::thread::spawn(move || *reader).join().unwrap(), 7);
    /// # });
    /// ```
    pub async fn read_owned(self: Arc<Self>) -> OwnedRwLockReadGuard<T> {
        if !self.permits.take_at_once(1) {
            never_closed(self.permits.take(1, WaitKind::RwLockRead).await);
        }
        OwnedRwLockReadGuard::new(OwnedHold::new(self, 1))
    }

    /// Locks for reading if that is possible right now, without waiting.
    ///
    /// # Errors
    ///
    /// Returns [`TryLockError`] if a writer holds the lock or waits for it.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let limits = wsrt::sync::RwLock::new(10);
    /// let one = limits.try_read().expect("there is no writer");
    /// let other = limits.try_read().expect("readers do not exclude each other");
    /// assert_eq!(*one, *other);
    /// ```
    pub fn try_read(&self) -> Result<RwLockReadGuard<'_, T>, TryLockError> {
        self.permits.try_take(1).map_err(|_| TryLockError(()))?;
        Ok(self.read_guard())
    }

    /// Locks for reading if that is possible right now, without waiting. The returned guard keeps
    /// the lock alive.
    ///
    /// # Errors
    ///
    /// Returns [`TryLockError`] if a writer holds the lock or waits for it.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use std::sync::Arc;
    ///
    /// let limits = Arc::new(wsrt::sync::RwLock::new(10));
    /// let guard = Arc::clone(&limits).try_read_owned().expect("there is no writer");
    /// assert!(limits.try_write().is_err(), "the guard holds it");
    /// # drop(guard);
    /// ```
    pub fn try_read_owned(self: Arc<Self>) -> Result<OwnedRwLockReadGuard<T>, TryLockError> {
        self.permits.try_take(1).map_err(|_| TryLockError(()))?;
        Ok(OwnedRwLockReadGuard::new(OwnedHold::new(self, 1)))
    }

    /// Locks for writing, waiting until no other guard holds the lock.
    ///
    /// Dropping the returned guard releases the lock.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe: if the future is dropped before it completes, the lock has not
    /// been acquired. The caller loses its place in the queue.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// use wsrt::sync::RwLock;
    ///
    /// let routes = RwLock::new(vec!["/"]);
    /// let mut writing = routes.write().await;
    /// writing.push("/health");
    /// assert!(routes.try_read().is_err());
    /// drop(writing);
    /// assert_eq!(routes.read().await.len(), 2);
    /// # });
    /// ```
    pub async fn write(&self) -> RwLockWriteGuard<'_, T> {
        if !self.permits.take_at_once(self.all()) {
            never_closed(self.permits.take(self.all(), WaitKind::RwLockWrite).await);
        }
        self.write_guard()
    }

    /// Locks for writing, blocking the calling thread until no other guard holds the lock.
    ///
    /// If the caller is a wsrt task, another thread runs the runtime's other tasks in the meantime.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::RwLock;
    ///
    /// let routes = RwLock::new(vec!["/"]);
    /// routes.blocking_write().push("/health");
    /// assert_eq!(routes.into_inner(), ["/", "/health"]);
    /// ```
    #[track_caller]
    pub fn blocking_write(&self) -> RwLockWriteGuard<'_, T> {
        block_on(self.write())
    }

    /// Locks for writing, waiting until no other guard holds the lock.
    ///
    /// The returned guard keeps the lock alive and borrows nothing, so it can be moved to another
    /// task.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe: if the future is dropped before it completes, the lock has not
    /// been acquired. The caller loses its place in the queue.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// use std::sync::Arc;
    /// use wsrt::sync::RwLock;
    ///
    /// let lock = Arc::new(RwLock::new(7));
    /// let mut writer = Arc::clone(&lock).write_owned().await;
    /// std::thread::spawn(move || *writer += 1).join().unwrap();
    /// assert_eq!(*lock.read().await, 8);
    /// # });
    /// ```
    pub async fn write_owned(self: Arc<Self>) -> OwnedRwLockWriteGuard<T> {
        if !self.permits.take_at_once(self.all()) {
            never_closed(self.permits.take(self.all(), WaitKind::RwLockWrite).await);
        }
        let all = self.all();
        OwnedRwLockWriteGuard::new(OwnedHold::new(self, all))
    }

    /// Locks for writing if the lock is free, without waiting.
    ///
    /// # Errors
    ///
    /// Returns [`TryLockError`] if a reader or a writer holds the lock.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::RwLock;
    ///
    /// let lock = RwLock::new(7);
    /// let reader = lock.try_read().unwrap();
    /// assert!(lock.try_write().is_err());
    /// drop(reader);
    /// *lock.try_write().unwrap() += 1;
    /// assert_eq!(lock.into_inner(), 8);
    /// ```
    pub fn try_write(&self) -> Result<RwLockWriteGuard<'_, T>, TryLockError> {
        self.permits.try_take(self.all()).map_err(|_| TryLockError(()))?;
        Ok(self.write_guard())
    }

    /// Locks for writing if the lock is free, without waiting. The returned guard keeps the lock
    /// alive.
    ///
    /// # Errors
    ///
    /// Returns [`TryLockError`] if a reader or a writer holds the lock.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use std::sync::Arc;
    ///
    /// let limits = Arc::new(wsrt::sync::RwLock::new(10));
    /// *Arc::clone(&limits).try_write_owned().expect("it is free") += 1;
    /// assert_eq!(*limits.try_read().unwrap(), 11);
    /// ```
    pub fn try_write_owned(self: Arc<Self>) -> Result<OwnedRwLockWriteGuard<T>, TryLockError> {
        let all = self.all();
        self.permits.try_take(all).map_err(|_| TryLockError(()))?;
        Ok(OwnedRwLockWriteGuard::new(OwnedHold::new(self, all)))
    }

    /// Returns a mutable reference to the data without locking.
    ///
    /// Taking `&mut self` proves that no other reference to the lock exists, so the method never
    /// waits.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let mut limits = wsrt::sync::RwLock::new(10);
    /// *limits.get_mut() += 1;
    /// assert_eq!(limits.into_inner(), 11);
    /// ```
    pub fn get_mut(&mut self) -> &mut T {
        self.data.get_mut()
    }

    /// Returns the number of permits that a writer takes, which is all of them.
    fn all(&self) -> usize {
        self.most_readers as usize
    }

    /// Creates a read guard. The caller has taken one permit.
    fn read_guard(&self) -> RwLockReadGuard<'_, T> {
        RwLockReadGuard::new(Hold::new(&self.permits, 1), self.data.get())
    }

    /// Creates a write guard. The caller has taken all permits.
    fn write_guard(&self) -> RwLockWriteGuard<'_, T> {
        RwLockWriteGuard::new(Hold::new(&self.permits, self.all()), self.data.get())
    }
}

impl<T: ?Sized> HasPermits for RwLock<T> {
    fn permits(&self) -> &BatchSemaphore {
        &self.permits
    }
}

impl<T> From<T> for RwLock<T> {
    #[track_caller]
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T: Default> Default for RwLock<T> {
    #[track_caller]
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("RwLock");
        match self.try_read() {
            Ok(guard) => shown.field("data", &&*guard),
            Err(_) => shown.field("data", &format_args!("<locked>")),
        };
        shown.finish()
    }
}
