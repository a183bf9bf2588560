//! A semaphore: a set of permits that tasks acquire and release.

mod error;
mod guards;

pub use self::error::{AcquireError, TryAcquireError};

use crate::batch_semaphore::{self, BatchSemaphore};
use crate::blocking::block_on;
use crate::hold::{HasPermits, Hold, OwnedHold};
use crate::sync::const_fn;
use crate::wait::WaitKind;
use std::sync::Arc;

/// A counting semaphore, which limits how many tasks use a resource at the same time.
///
/// Tasks receive permits in the order in which they asked. A task that waits in
/// [`acquire_many`](Semaphore::acquire_many) therefore holds up every task behind it, even tasks
/// that want fewer permits, so that no request starves.
///
/// # Not guaranteed
///
/// Tasks that have received permits may run in a different order than the one in which they
/// received the permits.
///
/// # Examples
///
/// ```
/// # mod wsrt { pub use wsrt_sync as sync; }
/// # wsrt_sync::blocking::block_on(async {
/// use wsrt::sync::Semaphore;
///
/// let connections = Semaphore::new(2);
/// let first = connections.acquire().await?;
/// let second = connections.acquire().await?;
/// assert!(connections.try_acquire().is_err(), "both are taken");
/// drop(first);
/// assert_eq!(connections.available_permits(), 1);
/// # drop(second);
/// # Ok::<(), wsrt::sync::AcquireError>(())
/// # }).unwrap();
/// ```
#[derive(Debug)]
pub struct Semaphore {
    permits: BatchSemaphore,
}

/// A permit acquired from a [`Semaphore`]. Dropping the permit returns it to the semaphore.
#[must_use = "a permit that is dropped at once guards nothing"]
#[derive(Debug)]
#[clippy::has_significant_drop]
pub struct SemaphorePermit<'a> {
    semaphore: &'a Semaphore,
    hold: Hold<'a>,
}

/// A permit acquired from a [`Semaphore`] behind an [`Arc`].
///
/// The permit keeps the semaphore alive and borrows nothing, so it can be moved to another task.
/// Dropping the permit returns it to the semaphore.
#[must_use = "a permit that is dropped at once guards nothing"]
#[derive(Debug)]
#[clippy::has_significant_drop]
pub struct OwnedSemaphorePermit {
    hold: OwnedHold<Semaphore>,
}

impl Semaphore {
    /// The largest number of permits that a semaphore can hold: `usize::MAX >> 3`.
    pub const MAX_PERMITS: usize = batch_semaphore::MOST;

    const_fn! {
        /// Creates a semaphore with `permits` available permits.
        ///
        /// # Panics
        ///
        /// Panics if `permits` is greater than [`MAX_PERMITS`](Semaphore::MAX_PERMITS).
        ///
        /// # Examples
        ///
        /// ```
        /// # mod wsrt { pub use wsrt_sync as sync; }
        /// let permits = wsrt::sync::Semaphore::new(3);
        /// assert_eq!(permits.available_permits(), 3);
        /// ```
        #[must_use]
        #[track_caller]
        pub fn new(permits: usize) -> Self {
            Self { permits: BatchSemaphore::new(permits) }
        }
    }

    const_fn! {
        /// Creates a semaphore in a constant or static. [`new`](Semaphore::new) is `const` as well.
        ///
        /// # Panics
        ///
        /// Panics if `permits` is greater than [`MAX_PERMITS`](Semaphore::MAX_PERMITS).
        ///
        /// # Examples
        ///
        /// ```
        /// # mod wsrt { pub use wsrt_sync as sync; }
        /// # wsrt_sync::blocking::block_on(async {
        /// static CONNECTIONS: wsrt::sync::Semaphore = wsrt::sync::Semaphore::const_new(100);
        ///
        /// let _permit = CONNECTIONS.acquire().await.expect("it is not closed");
        /// assert_eq!(CONNECTIONS.available_permits(), 99);
        /// # });
        /// ```
        #[must_use]
        #[track_caller]
        pub fn const_new(permits: usize) -> Self {
            Self::new(permits)
        }
    }

    /// Returns the number of permits that are available at the moment.
    #[must_use]
    pub fn available_permits(&self) -> usize {
        self.permits.free()
    }

    /// Adds `n` permits to the semaphore. Waiting tasks receive the new permits first.
    ///
    /// # Panics
    ///
    /// Panics if the number of permits would exceed [`MAX_PERMITS`](Semaphore::MAX_PERMITS).
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::Semaphore;
    ///
    /// let slots = Semaphore::new(0);
    /// slots.add_permits(2);
    /// assert_eq!(slots.available_permits(), 2);
    /// assert_eq!(slots.forget_permits(3), 2);
    /// ```
    pub fn add_permits(&self, n: usize) {
        if n > 0 {
            self.permits.add(n);
        }
    }

    /// Removes up to `n` available permits for good, and returns the number of permits removed.
    ///
    /// Permits that tasks hold are not affected.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let permits = wsrt::sync::Semaphore::new(3);
    /// assert_eq!(permits.forget_permits(2), 2);
    /// assert_eq!(permits.available_permits(), 1);
    /// ```
    pub fn forget_permits(&self, n: usize) -> usize {
        self.permits.forget(n)
    }

    /// Acquires one permit, waiting until one is available.
    ///
    /// # Errors
    ///
    /// Returns [`AcquireError`] if the semaphore has been closed, or is closed while the caller
    /// waits.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe: if the future is dropped before it completes, no permit is lost.
    /// The caller loses its place in the queue.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// use wsrt::sync::Semaphore;
    ///
    /// let slots = Semaphore::new(1);
    /// let permit = slots.acquire().await.expect("it is open");
    /// assert_eq!(slots.available_permits(), 0);
    /// drop(permit);
    /// assert_eq!(slots.available_permits(), 1);
    /// # });
    /// ```
    pub async fn acquire(&self) -> Result<SemaphorePermit<'_>, AcquireError> {
        self.take(1).await
    }

    /// Acquires `n` permits at once, waiting until they are available.
    ///
    /// # Errors
    ///
    /// Returns [`AcquireError`] if the semaphore has been closed, or is closed while the caller
    /// waits.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe: if the future is dropped before it completes, no permit is lost.
    /// The caller loses its place in the queue.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// use wsrt::sync::Semaphore;
    ///
    /// let bytes = Semaphore::new(1024);
    /// let permit = bytes.acquire_many(1000).await.expect("it is open");
    /// assert_eq!((permit.num_permits(), bytes.available_permits()), (1000, 24));
    /// # });
    /// ```
    pub async fn acquire_many(&self, n: u32) -> Result<SemaphorePermit<'_>, AcquireError> {
        self.take(n as usize).await
    }

    async fn take(&self, count: usize) -> Result<SemaphorePermit<'_>, AcquireError> {
        self.take_as(count, WaitKind::Semaphore).await
    }

    /// Takes permits. Dumps show the tasks that wait for them as `kind`.
    pub(crate) async fn take_as(&self, count: usize, kind: WaitKind) -> Result<SemaphorePermit<'_>, AcquireError> {
        if !self.permits.take_at_once(count) {
            self.permits.take(count, kind).await.map_err(AcquireError::from)?;
        }
        Ok(SemaphorePermit::new(self, count))
    }

    /// Acquires one permit if one is available, without waiting.
    ///
    /// # Errors
    ///
    /// Returns [`TryAcquireError::NoPermits`] if no permit is available, and
    /// [`TryAcquireError::Closed`] if the semaphore has been closed.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::Semaphore;
    ///
    /// let slots = Semaphore::new(1);
    /// let permit = slots.try_acquire().expect("one is free");
    /// assert!(slots.try_acquire().is_err());
    /// permit.forget();
    /// assert_eq!(slots.available_permits(), 0, "for good");
    /// ```
    pub fn try_acquire(&self) -> Result<SemaphorePermit<'_>, TryAcquireError> {
        self.try_acquire_many(1)
    }

    /// Acquires `n` permits at once if they are available, without waiting.
    ///
    /// # Errors
    ///
    /// Returns [`TryAcquireError::NoPermits`] if fewer than `n` permits are available, and
    /// [`TryAcquireError::Closed`] if the semaphore has been closed.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let permits = wsrt::sync::Semaphore::new(3);
    /// let two = permits.try_acquire_many(2).expect("there are three");
    /// assert!(permits.try_acquire_many(2).is_err(), "one is left");
    /// # drop(two);
    /// ```
    pub fn try_acquire_many(&self, n: u32) -> Result<SemaphorePermit<'_>, TryAcquireError> {
        self.permits.try_take(n as usize).map_err(TryAcquireError::from)?;
        Ok(SemaphorePermit::new(self, n as usize))
    }

    /// Acquires one permit, blocking the calling thread until one is available.
    ///
    /// # Errors
    ///
    /// Returns [`AcquireError`] if the semaphore has been closed, or is closed while the caller
    /// waits.
    #[track_caller]
    pub fn blocking_acquire(&self) -> Result<SemaphorePermit<'_>, AcquireError> {
        block_on(self.take(1))
    }

    /// Acquires `n` permits at once, blocking the calling thread until they are available.
    ///
    /// # Errors
    ///
    /// Returns [`AcquireError`] if the semaphore has been closed, or is closed while the caller
    /// waits.
    #[track_caller]
    pub fn blocking_acquire_many(&self, n: u32) -> Result<SemaphorePermit<'_>, AcquireError> {
        block_on(self.take(n as usize))
    }

    /// Acquires one permit that keeps the semaphore alive, waiting until one is available.
    ///
    /// # Errors
    ///
    /// Returns [`AcquireError`] if the semaphore has been closed, or is closed while the caller
    /// waits.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe: if the future is dropped before it completes, no permit is lost.
    /// The caller loses its place in the queue.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// use std::sync::Arc;
    /// use wsrt::sync::Semaphore;
    ///
    /// let slots = Arc::new(Semaphore::new(1));
    /// let permit = Arc::clone(&slots).acquire_owned().await.expect("it is open");
    /// let thread = std::thread::spawn(move || drop(permit));
    /// slots.acquire().await.expect("it is open");
    /// thread.join().unwrap();
    /// # });
    /// ```
    pub async fn acquire_owned(self: Arc<Self>) -> Result<OwnedSemaphorePermit, AcquireError> {
        self.take_owned(1).await
    }

    /// Acquires `n` permits that keep the semaphore alive, waiting until they are available.
    ///
    /// # Errors
    ///
    /// Returns [`AcquireError`] if the semaphore has been closed, or is closed while the caller
    /// waits.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe: if the future is dropped before it completes, no permit is lost.
    /// The caller loses its place in the queue.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// use std::sync::Arc;
    ///
    /// let bytes = Arc::new(wsrt::sync::Semaphore::new(1024));
    /// let held = Arc::clone(&bytes).acquire_many_owned(1000).await.expect("it is not closed");
    /// assert_eq!(bytes.available_permits(), 24);
    /// # drop(held);
    /// # });
    /// ```
    pub async fn acquire_many_owned(self: Arc<Self>, n: u32) -> Result<OwnedSemaphorePermit, AcquireError> {
        self.take_owned(n as usize).await
    }

    async fn take_owned(self: Arc<Self>, count: usize) -> Result<OwnedSemaphorePermit, AcquireError> {
        if !self.permits.take_at_once(count) {
            self.permits.take(count, WaitKind::Semaphore).await.map_err(AcquireError::from)?;
        }
        Ok(OwnedSemaphorePermit { hold: OwnedHold::new(self, count) })
    }

    /// Acquires one permit that keeps the semaphore alive if one is available, without waiting.
    ///
    /// # Errors
    ///
    /// Returns [`TryAcquireError::NoPermits`] if no permit is available, and
    /// [`TryAcquireError::Closed`] if the semaphore has been closed.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use std::sync::Arc;
    ///
    /// let one = Arc::new(wsrt::sync::Semaphore::new(1));
    /// let permit = Arc::clone(&one).try_acquire_owned().expect("it is free");
    /// assert!(one.try_acquire_owned().is_err());
    /// # drop(permit);
    /// ```
    pub fn try_acquire_owned(self: Arc<Self>) -> Result<OwnedSemaphorePermit, TryAcquireError> {
        self.try_acquire_many_owned(1)
    }

    /// Acquires `n` permits that keep the semaphore alive if they are available, without waiting.
    ///
    /// # Errors
    ///
    /// Returns [`TryAcquireError::NoPermits`] if fewer than `n` permits are available, and
    /// [`TryAcquireError::Closed`] if the semaphore has been closed.
    pub fn try_acquire_many_owned(self: Arc<Self>, n: u32) -> Result<OwnedSemaphorePermit, TryAcquireError> {
        self.permits.try_take(n as usize).map_err(TryAcquireError::from)?;
        Ok(OwnedSemaphorePermit { hold: OwnedHold::new(self, n as usize) })
    }

    /// Acquires one permit that keeps the semaphore alive, blocking the calling thread until one is
    /// available.
    ///
    /// # Errors
    ///
    /// Returns [`AcquireError`] if the semaphore has been closed, or is closed while the caller
    /// waits.
    #[track_caller]
    pub fn blocking_acquire_owned(self: Arc<Self>) -> Result<OwnedSemaphorePermit, AcquireError> {
        block_on(self.take_owned(1))
    }

    /// Acquires `n` permits that keep the semaphore alive, blocking the calling thread until they
    /// are available.
    ///
    /// # Errors
    ///
    /// Returns [`AcquireError`] if the semaphore has been closed, or is closed while the caller
    /// waits.
    #[track_caller]
    pub fn blocking_acquire_many_owned(self: Arc<Self>, n: u32) -> Result<OwnedSemaphorePermit, AcquireError> {
        block_on(self.take_owned(n as usize))
    }

    /// Closes the semaphore. Calls that wait for permits, and all later calls, fail.
    ///
    /// Permits that have already been acquired stay valid.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// use wsrt::sync::Semaphore;
    ///
    /// let slots = Semaphore::new(1);
    /// slots.close();
    /// assert!(slots.acquire().await.is_err());
    /// assert!(slots.is_closed());
    /// # });
    /// ```
    pub fn close(&self) {
        self.permits.close();
    }

    /// Returns `true` if the semaphore has been closed.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.permits.is_closed()
    }
}

impl HasPermits for Semaphore {
    fn permits(&self) -> &BatchSemaphore {
        &self.permits
    }
}
