//! Limits on blocking jobs: jobs that start only if a thread is free, and groups with a limit.

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

/// Runs a blocking closure on the blocking thread pool if a thread is free. Otherwise returns the
/// closure instead of queueing it.
///
/// The job runs like a job of [`spawn_blocking`](crate::task::spawn_blocking), whose queue is
/// unbounded. A server can use it to reject work while it is overloaded.
///
/// # Not guaranteed
///
/// The job may not begin immediately. Another thread may submit a job at the same moment and take
/// the free thread, or the operating system may refuse to create the thread that the job needs.
///
/// # Panics
///
/// Panics if called outside a runtime. If the closure panics, awaiting the handle returns a
/// [`JoinError`](crate::task::JoinError).
///
/// # Errors
///
/// Returns the closure in a [`PoolBusy`] if all of the runtime's
/// [`max_blocking_threads`](crate::runtime::Builder::max_blocking_threads) threads are busy.
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
    /// Runs a blocking closure on this runtime's blocking thread pool if a thread is free.
    /// Otherwise returns the closure instead of queueing it.
    ///
    /// The free function [`try_spawn_blocking`] does the same on the current runtime.
    ///
    /// # Errors
    ///
    /// Returns the closure in a [`PoolBusy`] if all threads of the pool are busy.
    #[track_caller]
    pub fn try_spawn_blocking<F, T>(&self, job: F) -> Result<JoinHandle<T>, PoolBusy<F>>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        jobs::try_spawn_blocking(self.scheduler(), job, Location::caller()).map_err(PoolBusy)
    }
}

/// The error returned when a blocking job is refused because no thread is free, or because the
/// job's group is full. Contains the refused job.
pub struct PoolBusy<F>(F);

impl<F> PoolBusy<F> {
    /// Returns the job that was refused.
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

/// A group of blocking jobs that limits how many of its jobs run at once.
///
/// All blocking jobs of a runtime share one thread pool. Jobs that use a slow disk, or a library
/// that may use only four threads, could occupy every thread of the pool. Running such jobs in a
/// group leaves threads for other jobs. Jobs beyond the limit wait in line as tasks, without a
/// thread.
///
/// Clones of a group share its limit.
///
/// # Not guaranteed
///
/// Jobs may begin in a different order than they were spawned in, because a job joins the line when
/// its task is first polled. On a current-thread runtime, this needs a thread in `block_on`.
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
    /// Creates a group that runs at most `limit` jobs at once. Can be called outside a runtime.
    ///
    /// # Panics
    ///
    /// Panics if `limit` is zero or greater than 2^32.
    #[track_caller]
    pub fn new(limit: usize) -> Self {
        assert!(limit > 0, "wsrt: `BlockingGroup::new(0)`: a group that runs no job never ends");
        assert!(u32::try_from(limit).is_ok(), "wsrt: `BlockingGroup::new({limit})`: so many threads there are not");
        Self { places: Arc::new(Semaphore::new(limit)), limit }
    }

    /// Returns the maximum number of jobs that the group runs at once.
    #[must_use]
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Runs a blocking closure on the current runtime's blocking thread pool as soon as the group's
    /// limit allows, and returns a handle to its result.
    ///
    /// [`abort`](JoinHandle::abort) cancels a job that is still waiting in line. A job that has
    /// begun is not interrupted, and counts against the limit until it returns.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime. If the closure panics, awaiting the handle returns a
    /// [`JoinError`](crate::task::JoinError).
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
                // The runtime ends, which cancels this task too.
                Err(Err(_cancelled)) => pending().await,
            }
        };
        spawn_from(wanted, waiting, spawned_at)
    }

    /// Runs a closure like [`spawn`](Self::spawn) if it can begin immediately, or else returns it.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime. If the closure panics, awaiting the handle returns a
    /// [`JoinError`](crate::task::JoinError).
    ///
    /// # Errors
    ///
    /// Returns the closure in a [`PoolBusy`] if the group is full or no thread of the pool is free.
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
