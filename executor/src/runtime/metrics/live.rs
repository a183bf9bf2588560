//! A view of a running runtime's metrics, which reads each number on request.

use std::time::Duration;

use crate::observe::counters::Counter;
use crate::runtime::patrol::all_orphans;
use crate::runtime::{Handle, Metrics};
use crate::scheduler::core::processor::Shared;

/// A view of a runtime's counters and gauges, which reads one number at a time. Returned by
/// [`Handle::metrics`].
///
/// Each method reads the current value, which takes some tens of nanoseconds and does not stop the
/// runtime. To read all numbers at once, or to subtract earlier numbers, take a
/// [`snapshot`](Self::snapshot). After the runtime has shut down, the methods return the last
/// values.
///
/// # Examples
///
/// ```
/// let runtime = wsrt::runtime::Builder::new_multi_thread().worker_threads(2).build()?;
/// let metrics = runtime.metrics();
/// assert_eq!(metrics.num_workers(), 2);
/// runtime.block_on(runtime.spawn(async {})).expect("it does not panic");
/// let busy: Vec<_> = (0..2).map(|worker| metrics.worker_total_busy_duration(worker)).collect();
/// println!("{busy:?}");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct RuntimeMetrics(pub(in crate::runtime) Handle);

impl RuntimeMetrics {
    pub(in crate::runtime) fn of(handle: &Handle) -> Self {
        Self(handle.clone())
    }

    /// Returns a snapshot of all counters and gauges.
    ///
    /// Taking a snapshot does not stop the runtime. It briefly acquires, one after the other, the
    /// locks of each processor's timers, of the lists of idle processors, threads and live tasks,
    /// and of the blocking pool. For each processor, a snapshot costs some microseconds and a few
    /// allocations, and for each live task some tens of nanoseconds, so take one now and then
    /// rather than for each request.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread().worker_threads(2).build()?;
    /// runtime.run(async { wsrt::spawn(async {}).await.expect("it does not panic") });
    /// let metrics = runtime.metrics().snapshot();
    /// assert!(metrics.total().poll_count() >= 2);
    /// for (index, processor) in metrics.processors().iter().enumerate() {
    ///     println!("P{index}: {} polls, {} tasks stolen", processor.poll_count(), processor.steal_count());
    /// }
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn snapshot(&self) -> Metrics {
        Metrics { orphan_tasks: self.num_orphan_tasks(), ..Metrics::read(self.0.scheduler()) }
    }

    /// Returns the number of processors that run tasks, without spare processors.
    ///
    /// The number is the builder's `worker_threads`, until the runtime is [resized](Handle::resize)
    /// or follows a change of its CPU quota.
    ///
    /// The processors in use have the lowest indices. The counts of a processor that was removed
    /// can still be read, and are included in the [`total`](Metrics::total) of a snapshot.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// println!("{} workers", runtime.metrics().num_workers());
    /// # std::io::Result::Ok(())
    /// ```
    pub fn num_workers(&self) -> usize {
        self.0.scheduler().processors.regular()
    }

    /// Returns the number of tasks that were spawned and have not ended. Blocking jobs and tasks of
    /// a [`LocalSet`](crate::task::LocalSet) are not included.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// println!("{} tasks", runtime.metrics().num_alive_tasks());
    /// # std::io::Result::Ok(())
    /// ```
    pub fn num_alive_tasks(&self) -> usize {
        self.0.scheduler().tasks.len()
    }

    /// Returns the number of orphans: tasks that wait, and that nothing can wake or end, as
    /// [`TaskDump::is_orphan`](crate::runtime::TaskDump::is_orphan) describes.
    ///
    /// The number includes tasks of a [`LocalSet`](crate::task::LocalSet). The call reads a word of
    /// each live task, at some tens of nanoseconds for each.
    pub fn num_orphan_tasks(&self) -> usize {
        all_orphans(self.0.scheduler()).len()
    }

    /// Returns the number of tasks that were spawned since the runtime was built. Blocking jobs and
    /// tasks of a [`LocalSet`](crate::task::LocalSet) are not included.
    pub fn spawned_tasks_count(&self) -> u64 {
        self.0.scheduler().tasks.listed()
    }

    /// Returns the number of tasks in the global queue, which all processors share.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// println!("{} tasks in the shared queue", runtime.metrics().global_queue_depth());
    /// # std::io::Result::Ok(())
    /// ```
    pub fn global_queue_depth(&self) -> usize {
        self.0.scheduler().injector.len()
    }

    /// Returns the number of [background tasks](crate::task::spawn_background) that are ready to
    /// run.
    pub fn background_queue_depth(&self) -> usize {
        self.0.scheduler().background.len()
    }

    /// Returns the number of threads in the blocking pool, including idle threads.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// println!("{} threads for blocking jobs", runtime.metrics().num_blocking_threads());
    /// # std::io::Result::Ok(())
    /// ```
    pub fn num_blocking_threads(&self) -> usize {
        self.0.scheduler().blocking.census().threads
    }

    /// Returns the number of threads in the blocking pool that are idle, waiting for a job.
    pub fn num_idle_blocking_threads(&self) -> usize {
        self.0.scheduler().blocking.census().idle
    }

    /// Returns the number of blocking jobs that are waiting for a thread.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// println!("{} jobs wait", runtime.metrics().blocking_queue_depth());
    /// # std::io::Result::Ok(())
    /// ```
    pub fn blocking_queue_depth(&self) -> usize {
        self.0.scheduler().blocking.census().queued
    }

    /// Returns how long threads have held processor `worker`, to run its tasks or to look for
    /// tasks. The value never decreases, and includes the poll in progress.
    ///
    /// # Panics
    ///
    /// Panics unless `worker` is less than [`num_workers`](Self::num_workers), now or at an earlier
    /// time. The other methods that take a processor index panic in the same case.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// let metrics = runtime.metrics();
    /// for worker in 0..metrics.num_workers() {
    ///     println!("processor {worker} was busy for {:?}", metrics.worker_total_busy_duration(worker));
    /// }
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn worker_total_busy_duration(&self, worker: usize) -> Duration {
        let now = self.0.scheduler().clock.elapsed();
        Duration::from_nanos(self.worker(worker).busy().read(now))
    }

    /// Returns how often processor `worker` has become idle since it was created.
    #[track_caller]
    pub fn worker_park_count(&self, worker: usize) -> u64 {
        1 + self.count(worker, |worker| &worker.counters().rests)
    }

    /// Returns how often processor `worker` has become idle or was taken into use again. The end of
    /// the runtime counts as the last such change. The count is odd while the processor is idle.
    #[track_caller]
    pub fn worker_park_unpark_count(&self, worker: usize) -> u64 {
        let changes = self.worker_park_count(worker) + self.count(worker, |worker| &worker.counters().wakes);
        changes + u64::from(self.0.scheduler().shutdown.has_finished())
    }

    /// Returns how often a thread took processor `worker` into use and gave it up again without
    /// polling a task.
    #[track_caller]
    pub fn worker_noop_count(&self, worker: usize) -> u64 {
        self.count(worker, |worker| &worker.counters().useless_wakes)
    }

    /// Returns the number of polls of tasks on processor `worker`.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread().worker_threads(1).build()?;
    /// runtime.block_on(runtime.spawn(async {}))?;
    /// assert!(runtime.metrics().worker_poll_count(0) >= 1);
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn worker_poll_count(&self, worker: usize) -> u64 {
        self.worker(worker).counters().polls()
    }

    /// Returns the number of tasks that processor `worker` has stolen from other processors.
    #[track_caller]
    pub fn worker_steal_count(&self, worker: usize) -> u64 {
        self.worker(worker).counters().steals.iter().map(|from| from.tasks.get()).sum()
    }

    /// Returns how often processor `worker` has successfully stolen from another processor. Each
    /// successful steal moves at least one task.
    #[track_caller]
    pub fn worker_steal_operations(&self, worker: usize) -> u64 {
        self.worker(worker).counters().steals.iter().map(|from| from.steals.get()).sum()
    }

    /// Returns how often the queue of processor `worker` was full, so that half of the tasks moved
    /// to the global queue.
    #[track_caller]
    pub fn worker_overflow_count(&self, worker: usize) -> u64 {
        self.count(worker, |worker| &worker.counters().overflows)
    }

    /// Returns the number of tasks that wait in the queue of processor `worker` and in its slot for
    /// the next task.
    #[track_caller]
    pub fn worker_local_queue_depth(&self, worker: usize) -> usize {
        self.worker(worker).waiting()
    }

    #[track_caller]
    fn count(&self, worker: usize, counter: fn(&Shared) -> &Counter) -> u64 {
        counter(self.worker(worker)).get()
    }

    #[track_caller]
    pub(in crate::runtime) fn worker(&self, worker: usize) -> &Shared {
        let workers = self.0.scheduler().processors.most_regular();
        assert!(
            worker < workers,
            "wsrt: there is no worker {worker}: they are numbered from 0, and there are {workers}"
        );
        self.0.scheduler().processors.get(worker)
    }
}
