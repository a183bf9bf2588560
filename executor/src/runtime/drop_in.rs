//! What only the drop-in has of a runtime, by tokio's names: settings and metrics that tokio offers
//! under its flag `tokio_unstable`.

use std::collections::BTreeSet;
use std::ops::Range;
// std's on purpose: no step of a schedule is taken while it is held.
use std::sync::{Mutex, PoisonError};
use std::thread::ThreadId;
use std::time::Duration;

use wsrt_trace::drop_in::{Layout, ShownHistogram, ShownHistograms};

use super::{Builder, LatencyHistogram, RuntimeMetrics, environment};
use crate::observe::counters::Count;
use crate::observe::latency::{Histogram, Histograms};
use crate::scheduler::core::found::FoundIn;
use crate::task::LocalSet;
use crate::util::report::report;

/// What a runtime does when one of its tasks panics.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum UnhandledPanic {
    /// The runtime continues to run. The task's `JoinHandle` returns the panic as an error.
    Ignore,
    /// The runtime shuts down and drops all of its tasks. A future in `block_on` continues to run.
    ShutdownRuntime,
}

impl LocalSet {
    /// Sets what the set does when one of its tasks panics. With
    /// [`ShutdownRuntime`](UnhandledPanic::ShutdownRuntime) the set panics where it is polled.
    pub fn unhandled_panic(&mut self, behavior: UnhandledPanic) -> &mut Self {
        self.__end_on_panic(matches!(behavior, UnhandledPanic::ShutdownRuntime));
        self
    }
}

#[doc(hidden)]
impl Builder {
    /// Returns the settings of the histograms that the runtime shows by tokio's names.
    pub fn __shown_histograms(&mut self) -> &mut ShownHistograms {
        &mut self.config.shown_histograms
    }

    /// Says that a setting does nothing, and why, once in the process, if `WSRT_SCHEDTRACE` is set.
    pub fn __does_nothing(&mut self, setting: &'static str, why: &str) -> &mut Self {
        static SAID: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());
        if environment::schedtrace().is_some() && SAID.lock().unwrap_or_else(PoisonError::into_inner).insert(setting) {
            report(format_args!("`{setting}` does nothing: {why}"));
        }
        self
    }
}

/// tokio's names of these methods, and what wsrt has of each. A number that wsrt does not keep is
/// zero.
impl RuntimeMetrics {
    /// Returns `None`: a worker is not tied to a thread. Threads take turns at being a worker.
    ///
    /// # Panics
    ///
    /// Panics if there is no such worker.
    #[track_caller]
    pub fn worker_thread_id(&self, worker: usize) -> Option<ThreadId> {
        self.worker(worker);
        None
    }

    /// Returns the number of polls of tasks that came from the global queue, which is where a task
    /// goes that is spawned or woken on a thread that is no worker. A task is counted when it is
    /// polled, and only if it was first of those that a worker took at a time.
    pub fn remote_schedule_count(&self) -> u64 {
        let workers = 0..self.0.scheduler().processors.most_regular();
        workers.map(|worker| self.polls_from_global_queue(worker)).sum()
    }

    /// Returns the number of polls on `worker` of tasks that did not come from the global queue. A
    /// task is counted when it is polled, and by the worker that polls it.
    ///
    /// # Panics
    ///
    /// Panics if there is no such worker.
    #[track_caller]
    pub fn worker_local_schedule_count(&self, worker: usize) -> u64 {
        self.worker_poll_count(worker).saturating_sub(self.polls_from_global_queue(worker))
    }

    #[track_caller]
    fn polls_from_global_queue(&self, worker: usize) -> u64 {
        self.worker(worker).counters().polls_by_kind()[FoundIn::INJECTOR.kind()]
    }

    /// Returns 0: wsrt does not count the polls that end because their budget is used up.
    pub fn budget_forced_yield_count(&self) -> u64 {
        0
    }

    /// Returns the mean time of the polls on `worker` since the runtime was built: the exact mean
    /// if polls are measured for a histogram, and otherwise the worker's busy time per poll, in
    /// which the search for tasks is included.
    ///
    /// # Panics
    ///
    /// Panics if there is no such worker.
    #[track_caller]
    pub fn worker_mean_poll_time(&self, worker: usize) -> Duration {
        let polls = u32::try_from(self.worker_poll_count(worker)).unwrap_or(u32::MAX);
        let roughly = || self.worker_total_busy_duration(worker).checked_div(polls).unwrap_or_default();
        self.recorded(worker, |both| &both.polls).mean().unwrap_or_else(roughly)
    }

    /// Returns how many sockets, pipes and other sources the runtime has watched.
    pub fn io_driver_fd_registered_count(&self) -> u64 {
        self.0.scheduler().netpoller.registrations().0 as u64
    }

    /// Returns how many of these sources the runtime does not watch any more.
    pub fn io_driver_fd_deregistered_count(&self) -> u64 {
        self.0.scheduler().netpoller.registrations().1 as u64
    }

    /// Returns the number of I/O events that reached a socket.
    pub fn io_driver_ready_count(&self) -> u64 {
        let scheduler = self.0.scheduler();
        let by_workers = scheduler.processors.all().map(|worker| worker.counters().arrivals.events.get());
        by_workers.sum::<u64>() + scheduler.elsewhere.events.get()
    }

    #[track_caller]
    fn recorded(&self, worker: usize, which: fn(&Histograms) -> &Histogram) -> LatencyHistogram {
        self.worker(worker);
        let both = self.0.scheduler().observer.latency.of_processor(worker);
        both.map_or_else(LatencyHistogram::default, |both| LatencyHistogram::read(which(both)))
    }

    fn poll_times(&self) -> &ShownHistogram {
        &self.0.scheduler().config.shown_histograms.polls
    }

    fn waits(&self) -> &ShownHistogram {
        &self.0.scheduler().config.shown_histograms.waits
    }
}

/// The methods of one histogram.
macro_rules! histogram {
    ($(#[$about:meta])* $shown:ident, $recorded:ident:
        $is_enabled:ident $buckets:ident $range:ident $count:ident) => {
        $(#[$about])*
        impl RuntimeMetrics {
            /// Returns whether the runtime counts durations in this histogram.
            pub fn $is_enabled(&self) -> bool {
                self.$shown().is_on
            }

            /// Returns the number of the histogram's buckets, which is 0 if it is off.
            pub fn $buckets(&self) -> usize {
                self.$shown().layout().map_or(0, Layout::count)
            }

            /// Returns the durations that a bucket counts, or an empty range if the histogram is
            /// off.
            ///
            /// # Panics
            ///
            /// Panics if there is no such bucket.
            #[track_caller]
            pub fn $range(&self, bucket: usize) -> Range<Duration> {
                self.$shown().layout().map_or_else(Range::default, |layout| layout.range_of(bucket))
            }

            /// Returns how many durations a bucket has counted on `worker`, which is 0 if the
            /// histogram is off.
            ///
            /// # Panics
            ///
            /// Panics if there is no such worker or bucket.
            #[track_caller]
            pub fn $count(&self, worker: usize, bucket: usize) -> u64 {
                let recorded = self.recorded(worker, |both| &both.$recorded);
                self.$shown().layout().map_or(0, |layout| count_in(layout, bucket, &recorded))
            }
        }
    };
}

histogram! {
    /// The histogram of the time that polls take.
    poll_times, polls:
    poll_time_histogram_enabled poll_time_histogram_num_buckets
    poll_time_histogram_bucket_range poll_time_histogram_bucket_count
}

histogram! {
    /// The histogram of the time for which tasks wait to be polled.
    waits, waits:
    schedule_latency_histogram_enabled schedule_latency_histogram_num_buckets
    schedule_latency_histogram_bucket_range schedule_latency_histogram_bucket_count
}

/// Old names of methods.
macro_rules! renamed {
    ($($old:ident => $note:literal $new:ident($($value:ident),*) -> $result:ty;)*) => {
        #[doc(hidden)]
        impl RuntimeMetrics {$(
            #[track_caller]
            #[deprecated(note = $note)]
            pub fn $old(&self $(, $value: usize)*) -> $result {
                self.$new($($value),*)
            }
        )*}
    };
}

renamed! {
    active_tasks_count =>
        "renamed to `num_alive_tasks`" num_alive_tasks() -> usize;
    injection_queue_depth =>
        "renamed to `global_queue_depth`" global_queue_depth() -> usize;
    poll_count_histogram_enabled =>
        "renamed to `poll_time_histogram_enabled`" poll_time_histogram_enabled() -> bool;
    poll_count_histogram_num_buckets =>
        "renamed to `poll_time_histogram_num_buckets`" poll_time_histogram_num_buckets() -> usize;
    poll_count_histogram_bucket_range =>
        "renamed to `poll_time_histogram_bucket_range`" poll_time_histogram_bucket_range(bucket) -> Range<Duration>;
    poll_count_histogram_bucket_count =>
        "renamed to `poll_time_histogram_bucket_count`" poll_time_histogram_bucket_count(worker, bucket) -> u64;
}

/// Returns how many of the durations belong into a bucket, each where the middle of its recorded
/// bucket is.
#[track_caller]
fn count_in(layout: Layout, bucket: usize, recorded: &LatencyHistogram) -> u64 {
    layout.check(bucket);
    let middle = |range: &Range<Duration>| range.start + (range.end - range.start) / 2;
    let held = recorded.buckets().filter(|(range, _)| layout.bucket_of(middle(range)) == bucket);
    held.map(|(_, count)| count).sum()
}
