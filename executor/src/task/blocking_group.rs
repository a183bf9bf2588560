//! Limits on blocking jobs: those that would wait in the pool's queue are refused, and groups of
//! which only some run at once.

use std::fmt;
use std::future::pending;
use std::panic::{Location, resume_unwind};
use std::sync::Arc;

use wsrt_sync::Semaphore;

use crate::blocking::jobs;
use crate::runtime::Handle;
use crate::scheduler::Scheduler;
use crate::task::JoinHandle;
use crate::task::spawn::{spawn_from, with_scheduler};

/// Runs a blocking closure on the blocking thread pool, or returns the closure if it would have to
/// wait for a thread.
///
/// It runs like a job of [`spawn_blocking`](crate::task::spawn_blocking), whose queue has no bound.
/// With this a server refuses work instead of piling it up.
///
/// # Not guaranteed
///
/// The job may not begin at once: a job that another thread submits at the same moment may come
/// first, and the system may refuse the thread that is started for it.
///
/// # Panics
///
/// Panics if called outside a runtime. If the closure panics, awaiting the handle returns the panic
/// as a [`JoinError`](crate::task::JoinError).
///
/// # Errors
///
/// Returns the closure, in a [`PoolBusy`], if the runtime has
/// [`max_blocking_threads`](crate::runtime::Builder::max_blocking_threads) and all have a job.
///
/// # Examples
///
/// ```
/// # let runtime = wsrt::runtime::Builder::new_current_thread().max_blocking_threads(1).build()?;
/// # runtime.block_on(async {
/// let (release, released) = std::sync::mpsc::channel::<()>();
/// let first = wsrt::task::try_spawn_blocking(move || released.recv())?;
/// // This runtime has a single thread for blocking jobs.
/// let busy = wsrt::task::try_spawn_blocking(|| 7).unwrap_err();
/// drop(release);
/// assert!(first.await?.is_err());
/// let job = busy.into_job();
/// assert_eq!(wsrt::task::spawn_blocking(job).await?, 7);
/// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[track_caller]
pub fn try_spawn_blocking<F, T>(job: F) -> Result<JoinHandle<T>, PoolBusy<F>>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    let spawned_at = Location::caller();
    with_scheduler("try_spawn_blocking", |scheduler| {
        jobs::try_spawn_blocking(scheduler, job, spawned_at).map_err(PoolBusy)
    })
}

impl Handle {
    /// Runs a blocking closure on the blocking thread pool, or returns the closure if it would have
    /// to wait for a thread: see [`try_spawn_blocking`], which needs no handle.
    ///
    /// # Errors
    ///
    /// Returns the closure, in a [`PoolBusy`], if each thread that there may be has a job.
    #[track_caller]
    pub fn try_spawn_blocking<F, T>(&self, job: F) -> Result<JoinHandle<T>, PoolBusy<F>>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        jobs::try_spawn_blocking(self.scheduler(), job, Location::caller()).map_err(PoolBusy)
    }
}

/// The error of a blocking job that was refused because no thread was free or its group was full.
/// It contains the job.
pub struct PoolBusy<F>(F);

impl<F> PoolBusy<F> {
    /// Returns the job.
    pub fn into_job(self) -> F {
        self.0
    }
}

impl<F> fmt::Debug for PoolBusy<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PoolBusy").finish_non_exhaustive()
    }
}

impl<F> fmt::Display for PoolBusy<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no thread is free for a blocking job")
    }
}

impl<F> std::error::Error for PoolBusy<F> {}

/// Limits how many of a group of blocking jobs run at once.
///
/// All blocking jobs of a runtime share one pool. Jobs for a slow disk, or for a library that may
/// use four threads, can take every thread of the pool; a group for them leaves room for the
/// others. Jobs beyond the limit wait in line, each as a task, and take no thread.
///
/// Clones are the same group.
///
/// # Not guaranteed
///
/// Jobs may not begin in the order of their spawns: they get in line as their tasks are polled. On
/// a current-thread runtime they come while a thread is in `block_on`.
///
/// # Examples
///
/// ```
/// use wsrt::task::BlockingGroup;
///
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let disk = BlockingGroup::new(2);
/// let sizes: Vec<_> = (0..8)
///     .map(|_| disk.spawn(|| std::fs::metadata("/").map(|metadata| metadata.is_dir())))
///     .collect();
/// for size in sizes {
///     assert!(size.await??);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct BlockingGroup {
    places: Arc<Semaphore>,
    limit: usize,
}

impl BlockingGroup {
    /// Creates a group that runs at most `limit` jobs at a time. It needs no runtime.
    ///
    /// # Panics
    ///
    /// Panics if `limit` is zero, or more than 2^32.
    #[track_caller]
    pub fn new(limit: usize) -> Self {
        assert!(limit > 0, "wsrt: `BlockingGroup::new(0)`: a group that runs no job never ends");
        assert!(u32::try_from(limit).is_ok(), "wsrt: `BlockingGroup::new({limit})`: so many threads there are not");
        Self { places: Arc::new(Semaphore::new(limit)), limit }
    }

    /// Returns how many jobs the group runs at a time at most.
    #[must_use]
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Runs a blocking closure on the current runtime's blocking thread pool, when it is its turn.
    ///
    /// A job that waits for its turn is cancelled by [`abort`](JoinHandle::abort); one that has
    /// begun is not, and keeps its place until it returns.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime. If the closure panics, awaiting the handle returns the
    /// panic as a [`JoinError`](crate::task::JoinError).
    #[track_caller]
    pub fn spawn<F, T>(&self, job: F) -> JoinHandle<T>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        let spawned_at = Location::caller();
        let wanted = "BlockingGroup::spawn";
        if let Ok(place) = Arc::clone(&self.places).try_acquire_owned() {
            return with_scheduler(wanted, |scheduler| begin(scheduler, place, job, spawned_at));
        }
        let places = Arc::clone(&self.places);
        let waiting = async move {
            let place = places.acquire_owned().await.expect("the semaphore is never closed");
            let begun = with_scheduler(wanted, |scheduler| begin(scheduler, place, job, spawned_at));
            match begun.abort_on_drop().await.map_err(crate::task::JoinError::try_into_panic) {
                Ok(output) => output,
                Err(Ok(payload)) => resume_unwind(payload),
                // The runtime ends, and cancels this task too.
                Err(Err(_cancelled)) => pending().await,
            }
        };
        spawn_from(wanted, waiting, spawned_at)
    }

    /// Runs a blocking closure like [`spawn`](Self::spawn) if it can begin at once, and otherwise
    /// returns it.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime. If the closure panics, awaiting the handle returns the
    /// panic as a [`JoinError`](crate::task::JoinError).
    ///
    /// # Errors
    ///
    /// Returns the closure, in a [`PoolBusy`], if the group is full, or no thread of the pool is
    /// free.
    #[track_caller]
    pub fn try_spawn<F, T>(&self, job: F) -> Result<JoinHandle<T>, PoolBusy<F>>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        let spawned_at = Location::caller();
        with_scheduler("BlockingGroup::try_spawn", |scheduler| {
            let Some(_reserved) = scheduler.blocking.reserve() else { return Err(PoolBusy(job)) };
            match Arc::clone(&self.places).try_acquire_owned() {
                Ok(place) => Ok(begin(scheduler, place, job, spawned_at)),
                Err(_full) => Err(PoolBusy(job)),
            }
        })
    }
}

/// Submits a job that keeps `place` until it has returned.
fn begin<P, F, T>(scheduler: &Scheduler, place: P, job: F, spawned_at: &'static Location<'static>) -> JoinHandle<T>
where
    P: Send + 'static,
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    let job = move || {
        let _place = place;
        job()
    };
    jobs::spawn_blocking(scheduler, job, spawned_at)
}

impl fmt::Debug for BlockingGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlockingGroup").field("limit", &self.limit).finish_non_exhaustive()
    }
}
