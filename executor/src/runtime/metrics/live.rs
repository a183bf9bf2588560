//! A view of a running runtime's figures, each read when it is asked for.

use std::time::Duration;

use crate::observe::counters::Counter;
use crate::runtime::{Handle, Metrics};
use crate::scheduler::core::processor::Shared;

/// The counters and gauges of a runtime, read one at a time. Returned by [`Handle::metrics`].
///
/// Each method reads its figure anew, for some tens of nanoseconds; nothing is stopped for that.
/// For all figures at once, or to subtract earlier figures, take a
/// [`snapshot`](Self::snapshot). After the end of the runtime the figures are its last.
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
pub struct RuntimeMetrics(Handle);

impl RuntimeMetrics {
    pub(in crate::runtime) fn of(handle: &Handle) -> Self {
        Self(handle.clone())
    }

    /// Reads all counters and gauges.
    ///
    /// It stops nothing. It takes the short locks of each processor's timers, of the idle lists and
    /// of the blocking pool, one after the other. It costs some microseconds and a few allocations
    /// for each processor: call it now and then, not for each request.
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
        Metrics::read(self.0.scheduler())
    }

    /// Returns the number of processors that run tasks while none is stuck: the builder's
    /// `worker_threads`, until the runtime is [resized](Handle::resize), by hand or by its quota.
    ///
    /// They are those with the lowest numbers. The counts of one that went when the runtime shrank
    /// can be read still, and are in the [`total`](Metrics::total) of a snapshot.
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

    /// Returns the number of tasks that were spawned and have not ended. It includes neither
    /// blocking jobs nor the tasks of a [`LocalSet`](crate::task::LocalSet).
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

    /// Counts the tasks that were spawned. It includes neither blocking jobs nor the tasks of a
    /// [`LocalSet`](crate::task::LocalSet).
    pub fn spawned_tasks_count(&self) -> u64 {
        self.0.scheduler().tasks.listed()
    }

    /// Returns how many tasks wait in the queue that all processors share.
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

    /// Returns the number of threads for blocking jobs.
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

    /// Returns how many of them wait for a job.
    pub fn num_idle_blocking_threads(&self) -> usize {
        self.0.scheduler().blocking.census().idle
    }

    /// Returns how many blocking jobs wait for a thread.
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

    /// Returns for how long threads have held processor `worker`, to run its tasks or to look for
    /// some. It never falls. A poll under way is included.
    ///
    /// # Panics
    ///
    /// Panics unless `worker` is less than [`num_workers`](Self::num_workers), or was at some time,
    /// as each method does that takes one.
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

    /// Counts the times that processor `worker` became idle since it was created.
    #[track_caller]
    pub fn worker_park_count(&self, worker: usize) -> u64 {
        1 + self.count(worker, |worker| &worker.counters().rests)
    }

    /// Counts the times that processor `worker` became idle, and the times that it was taken into
    /// use again, finally by the end of the runtime: the number is odd while the processor is idle.
    #[track_caller]
    pub fn worker_park_unpark_count(&self, worker: usize) -> u64 {
        let changes = self.worker_park_count(worker) + self.count(worker, |worker| &worker.counters().wakes);
        changes + u64::from(self.0.scheduler().shutdown.has_finished())
    }

    /// Counts the times that a thread took processor `worker` and gave it up again without a poll
    /// of a task.
    #[track_caller]
    pub fn worker_noop_count(&self, worker: usize) -> u64 {
        self.count(worker, |worker| &worker.counters().useless_wakes)
    }

    /// Counts the polls of tasks on processor `worker`.
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

    /// Counts the tasks that processor `worker` has stolen from others.
    #[track_caller]
    pub fn worker_steal_count(&self, worker: usize) -> u64 {
        self.worker(worker).counters().steals.iter().map(|from| from.tasks.get()).sum()
    }

    /// Counts its successful steals, each of which moved one task at least.
    #[track_caller]
    pub fn worker_steal_operations(&self, worker: usize) -> u64 {
        self.worker(worker).counters().steals.iter().map(|from| from.steals.get()).sum()
    }

    /// Counts the times that the queue of processor `worker` was full, and half of it went to the
    /// global queue.
    #[track_caller]
    pub fn worker_overflow_count(&self, worker: usize) -> u64 {
        self.count(worker, |worker| &worker.counters().overflows)
    }

    /// Returns how many tasks wait in the queues of processor `worker`.
    #[track_caller]
    pub fn worker_local_queue_depth(&self, worker: usize) -> usize {
        self.worker(worker).waiting()
    }

    #[track_caller]
    fn count(&self, worker: usize, counter: fn(&Shared) -> &Counter) -> u64 {
        counter(self.worker(worker)).get()
    }

    #[track_caller]
    fn worker(&self, worker: usize) -> &Shared {
        let workers = self.0.scheduler().processors.most_regular();
        assert!(
            worker < workers,
            "wsrt: there is no worker {worker}: they are numbered from 0, and there are {workers}"
        );
        self.0.scheduler().processors.get(worker)
    }
}
