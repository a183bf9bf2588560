//! A mutex that tasks can wait for without blocking a thread.

mod guards;

pub use self::guards::{MappedMutexGuard, MutexGuard, OwnedMappedMutexGuard, OwnedMutexGuard};

use crate::batch_semaphore::{AcquireRefused, BatchSemaphore};
use crate::blocking::block_on;
use crate::hold::{HasPermits, Hold, OwnedHold};
use crate::sync::const_fn;
use crate::wait::WaitKind;
use std::cell::UnsafeCell;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// An async mutual exclusion lock, whose guard can be held across an `.await`.
///
/// Tasks that wait acquire the mutex in the order in which they asked, so no task starves. There is
/// one exception, because a change of tasks takes far longer than a short critical section: if a
/// guard is dropped in the same poll that acquired it, running tasks may take the mutex again until
/// the first task that waits gets to run. A task that finds the mutex taken four times is then
/// handed the mutex.
///
/// The mutex is never poisoned: if a task panics while it holds the mutex, the mutex is released
/// and the next task finds the data as they are.
///
/// If no guard needs to live across an `.await`, a [`std::sync::Mutex`] is cheaper and usually the
/// better choice.
///
/// # Not guaranteed
///
/// Tasks that have acquired the mutex may run in a different order than the one in which they
/// acquired it. A task that has used up its budget yields before it takes a free mutex, and another
/// task may take the mutex first; a task that already waits keeps its place in the queue. A task
/// that locks a mutex it already holds waits for itself forever.
///
/// # Examples
///
/// ```
/// # mod wsrt { pub use wsrt_sync as sync; }
/// # wsrt_sync::blocking::block_on(async {
/// use wsrt::sync::Mutex;
///
/// let journal = Mutex::new(Vec::new());
/// let mut entries = journal.lock().await;
/// entries.push("begun");
/// assert!(journal.try_lock().is_err(), "it is held");
/// drop(entries);
/// assert_eq!(journal.into_inner(), ["begun"]);
/// # });
/// ```
pub struct Mutex<T: ?Sized> {
    permits: BatchSemaphore,
    data: UnsafeCell<T>,
}

// SAFETY: a mutex owns its data: with the mutex they go to the other thread.
unsafe impl<T: ?Sized + Send> Send for Mutex<T> {}
// SAFETY: the one permit lets one thread at a time reach the data, which is as good as sending
// them.
unsafe impl<T: ?Sized + Send> Sync for Mutex<T> {}

/// The error returned by the `try_...` methods of [`Mutex`] and [`RwLock`](crate::RwLock): the lock
/// could not be acquired without waiting.
#[derive(Debug)]
pub struct TryLockError(pub(crate) ());

impl<T> Mutex<T> {
    const_fn! {
        /// Creates an unlocked mutex that protects `data`.
        ///
        /// # Examples
        ///
        /// ```
        /// # mod wsrt { pub use wsrt_sync as sync; }
        /// use wsrt::sync::Mutex;
        ///
        /// static COUNT: Mutex<u32> = Mutex::const_new(0);
        /// let count = Mutex::new(1);
        /// assert_eq!(*count.try_lock().unwrap() + *COUNT.try_lock().unwrap(), 1);
        /// ```
        #[must_use]
        #[track_caller]
        pub fn new(data: T) -> Self {
            Self { permits: BatchSemaphore::of_mutex(), data: UnsafeCell::new(data) }
        }
    }

    const_fn! {
        /// Creates an unlocked mutex in a constant or static. [`new`](Mutex::new) is `const` as
        /// well.
        #[must_use]
        #[track_caller]
        pub fn const_new(data: T) -> Self {
            Self::new(data)
        }
    }

    /// Consumes the mutex and returns the data.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let names = wsrt::sync::Mutex::new(vec!["ada"]);
    /// assert_eq!(names.into_inner(), ["ada"]);
    /// ```
    #[must_use]
    pub fn into_inner(self) -> T {
        self.data.into_inner()
    }
}

impl<T: ?Sized> Mutex<T> {
    /// Locks the mutex, waiting until it is free.
    ///
    /// Dropping the returned guard unlocks the mutex.
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
    /// use wsrt::sync::Mutex;
    ///
    /// let count = Mutex::new(0);
    /// *count.lock().await += 1;
    /// assert_eq!(*count.lock().await, 1);
    /// # });
    /// ```
    pub async fn lock(&self) -> MutexGuard<'_, T> {
        if !self.permits.take_at_once(1) {
            never_closed(self.permits.take(1, WaitKind::Mutex).await);
        }
        self.guard()
    }

    /// Locks the mutex, blocking the calling thread until it is free.
    ///
    /// If the caller is a wsrt task, another thread runs the runtime's other tasks in the meantime.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::Mutex;
    ///
    /// let count = Mutex::new(0);
    /// *count.blocking_lock() += 1;
    /// assert_eq!(count.into_inner(), 1);
    /// ```
    #[track_caller]
    pub fn blocking_lock(&self) -> MutexGuard<'_, T> {
        block_on(self.lock())
    }

    /// Locks the mutex, blocking the calling thread until it is free. The returned guard keeps the
    /// mutex alive.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use std::sync::Arc;
    ///
    /// let count = Arc::new(wsrt::sync::Mutex::new(0));
    /// let guard = Arc::clone(&count).blocking_lock_owned();
    /// assert!(count.try_lock().is_err(), "the guard holds it");
    /// drop(guard);
    /// ```
    #[track_caller]
    pub fn blocking_lock_owned(self: Arc<Self>) -> OwnedMutexGuard<T> {
        block_on(self.lock_owned())
    }

    /// Locks the mutex, waiting until it is free. The returned guard keeps the mutex alive.
    ///
    /// The guard borrows nothing, so it can be moved to another task.
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
    /// use wsrt::sync::Mutex;
    ///
    /// let list = Arc::new(Mutex::new(vec![1]));
    /// let mut guard = Arc::clone(&list).lock_owned().await;
    /// // It borrows nothing, and may move to another task or thread.
    /// std::thread::spawn(move || guard.push(2)).join().unwrap();
    /// assert_eq!(*list.lock().await, [1, 2]);
    /// # });
    /// ```
    pub async fn lock_owned(self: Arc<Self>) -> OwnedMutexGuard<T> {
        if !self.permits.take_at_once(1) {
            never_closed(self.permits.take(1, WaitKind::Mutex).await);
        }
        OwnedMutexGuard::new(OwnedHold::new(self, 1))
    }

    /// Locks the mutex if it is free, without waiting.
    ///
    /// # Errors
    ///
    /// Returns [`TryLockError`] if the lock is held.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::Mutex;
    ///
    /// let count = Mutex::new(0);
    /// let guard = count.try_lock().expect("it is free");
    /// assert!(count.try_lock().is_err());
    /// drop(guard);
    /// assert!(count.try_lock().is_ok());
    /// ```
    pub fn try_lock(&self) -> Result<MutexGuard<'_, T>, TryLockError> {
        self.permits.try_take(1).map_err(|_| TryLockError(()))?;
        Ok(self.guard())
    }

    /// Locks the mutex if it is free, without waiting. The returned guard keeps the mutex alive.
    ///
    /// # Errors
    ///
    /// Returns [`TryLockError`] if the lock is held.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use std::sync::Arc;
    ///
    /// let count = Arc::new(wsrt::sync::Mutex::new(0));
    /// let guard = Arc::clone(&count).try_lock_owned().expect("it is free");
    /// assert!(count.try_lock_owned().is_err(), "the guard holds it");
    /// # drop(guard);
    /// ```
    pub fn try_lock_owned(self: Arc<Self>) -> Result<OwnedMutexGuard<T>, TryLockError> {
        self.permits.try_take(1).map_err(|_| TryLockError(()))?;
        Ok(OwnedMutexGuard::new(OwnedHold::new(self, 1)))
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
    /// let mut count = wsrt::sync::Mutex::new(0);
    /// *count.get_mut() += 1;
    /// assert_eq!(count.into_inner(), 1);
    /// ```
    pub fn get_mut(&mut self) -> &mut T {
        self.data.get_mut()
    }

    /// Creates a guard. The caller has taken the permit.
    fn guard(&self) -> MutexGuard<'_, T> {
        MutexGuard::new(self, Hold::new(&self.permits, 1))
    }
}

/// Checks the result of taking a lock's permits, which are never closed.
pub(crate) fn never_closed(taken: Result<(), AcquireRefused>) {
    taken.expect("the permits of a lock are never closed");
}

impl<T: ?Sized> HasPermits for Mutex<T> {
    fn permits(&self) -> &BatchSemaphore {
        &self.permits
    }
}

impl<T> From<T> for Mutex<T> {
    #[track_caller]
    fn from(data: T) -> Self {
        Self::new(data)
    }
}

impl<T: Default> Default for Mutex<T> {
    #[track_caller]
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Mutex");
        match self.try_lock() {
            Ok(guard) => shown.field("data", &&*guard),
            Err(_) => shown.field("data", &format_args!("<locked>")),
        };
        shown.finish()
    }
}

impl fmt::Display for TryLockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("operation would block")
    }
}

impl Error for TryLockError {}
