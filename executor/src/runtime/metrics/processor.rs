//! The metrics of a single processor.

use std::time::Duration;

use super::LatencyHistogram;
use crate::scheduler::core::found::FoundIn;

/// The counters and gauges of a single processor, returned by
/// [`Metrics::processors`](super::Metrics::processors), or their sum over all processors, returned
/// by [`Metrics::total`](super::Metrics::total).
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ProcessorMetrics {
    pub(super) counts: ProcessorCounts,
    pub(super) busy: Duration,
    pub(super) is_idle: bool,
    pub(super) queue: usize,
    pub(super) timers: usize,
    pub(super) schedule_latency: LatencyHistogram,
    pub(super) poll_time: LatencyHistogram,
}

/// Counters: they only rise.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ProcessorCounts {
    /// Polls of tasks, by the kind of place where the task was found.
    pub(super) polls: [u64; FoundIn::KINDS],
    pub(super) steals: Vec<Steals>,
    pub(super) parks: u64,
    pub(super) wakes: u64,
    pub(super) noops: u64,
    pub(super) overflows: u64,
    pub(super) background_polls: u64,
    pub(super) background_nanos: u64,
    pub(super) arrivals: Arrivals,
}

/// The number of polls by the place where the task was found. Each poll is counted exactly once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PollSources {
    /// Polls of tasks found in the processor's slot for the next task, because the task that ran
    /// before has woken or spawned them.
    pub runnext: u64,
    /// Polls of tasks found in the processor's own queue. The task may have reached the queue in a
    /// batch: stolen, taken from the global queue, or woken by the network or by timers.
    pub ring: u64,
    /// Polls of tasks taken from the global queue, and polls of background tasks. Other tasks of a
    /// batch are counted in `ring`.
    pub injector: u64,
    /// Polls of tasks that the network, or timers checked with it, have woken just before.
    pub network: u64,
    /// Polls of tasks woken by a timer of another processor, which this processor fired just
    /// before.
    pub timer: u64,
    /// Polls of tasks that were stolen just before. Other tasks of a steal are counted in `ring`.
    pub stolen: u64,
}

impl PollSources {
    /// Returns the total number of polls.
    pub fn total(&self) -> u64 {
        self.runnext + self.ring + self.injector + self.network + self.timer + self.stolen
    }
}

/// The steals of one processor from one other processor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Steals {
    /// The number of successful steals.
    pub operations: u64,
    /// The number of tasks that were moved by the steals.
    pub tasks: u64,
}

/// The network events and timers that one processor, or a group of threads, has collected.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Arrivals {
    /// The number of times the network was polled, with `epoll_wait` or the system's equivalent.
    pub turns: u64,
    /// The number of network events that reached a socket.
    pub events: u64,
    /// The number of timers that were fired.
    pub timers: u64,
    /// The sum of the delays between the deadlines of the timers and the moments when they fired.
    ///
    /// Part of it is intended: timers with nearly equal deadlines share a wakeup, up to a
    /// millisecond late.
    pub timer_lateness: Duration,
    /// The longest delay between a timer's deadline and its firing since the runtime was built. A
    /// difference of two snapshots has the same maximum.
    pub timer_lateness_max: Duration,
}

impl ProcessorMetrics {
    /// Returns the number of polls of tasks on this processor.
    pub fn poll_count(&self) -> u64 {
        self.polls_by_source().total()
    }

    /// Returns the number of polls on this processor by the place where the task was found.
    pub fn polls_by_source(&self) -> PollSources {
        let from = |place: FoundIn| self.counts.polls[place.kind()];
        PollSources {
            runnext: from(FoundIn::RUNNEXT),
            ring: from(FoundIn::RING),
            injector: from(FoundIn::INJECTOR),
            network: from(FoundIn::NETWORK),
            timer: from(FoundIn::TIMER),
            stolen: from(FoundIn::stolen_from(0)),
        }
    }

    /// Returns how long threads have held the processor, to run or look for tasks, until now.
    ///
    /// The value is a counter. In a [difference](super::Metrics::since) of two snapshots, divide it
    /// by [`elapsed`](super::Metrics::elapsed) to get the processor's utilization.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let runtime = wsrt::runtime::Builder::new_multi_thread().worker_threads(1).build()?;
    /// let before = runtime.metrics().snapshot();
    /// runtime.run(async { std::thread::sleep(Duration::from_millis(2)) });
    /// let during = runtime.metrics().snapshot().since(&before);
    /// assert!(during.total().busy_time() >= Duration::from_millis(2));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn busy_time(&self) -> Duration {
        self.busy
    }

    /// Returns the number of tasks that this processor has stolen from other processors.
    pub fn steal_count(&self) -> u64 {
        self.counts.steals.iter().map(|steals| steals.tasks).sum()
    }

    /// Returns the number of times this processor has successfully stolen from another processor.
    /// Each successful steal moves at least one task.
    pub fn steal_operations(&self) -> u64 {
        self.counts.steals.iter().map(|steals| steals.operations).sum()
    }

    /// Returns this processor's steals from each other processor, by the victim's index.
    ///
    /// The slice covers the regular processors, and spare ones if this processor has stolen from
    /// them.
    pub fn steals_by_victim(&self) -> &[Steals] {
        &self.counts.steals
    }

    /// Returns how often the processor ran out of work and became idle.
    pub fn park_count(&self) -> u64 {
        self.counts.parks
    }

    /// Returns how often the idle processor was taken into use again.
    pub fn wake_count(&self) -> u64 {
        self.counts.wakes
    }

    /// Returns how often the processor was woken and became idle again without polling a task.
    pub fn noop_count(&self) -> u64 {
        self.counts.noops
    }

    /// Returns how often the queue of 256 tasks was full and half of it moved to the global queue.
    pub fn overflow_count(&self) -> u64 {
        self.counts.overflows
    }

    /// Returns the number of polls of [background tasks](crate::task::spawn_background) on this
    /// processor.
    pub fn background_poll_count(&self) -> u64 {
        self.counts.background_polls
    }

    /// Returns how long the polls of [background tasks](crate::task::spawn_background) on this
    /// processor have taken. A poll is counted when it has ended.
    ///
    /// The value is a counter. In a [difference](super::Metrics::since) of two snapshots, divide it
    /// by [`busy_time`](Self::busy_time) to get the part of the processor's work that was in the
    /// background.
    pub fn background_time(&self) -> Duration {
        Duration::from_nanos(self.counts.background_nanos)
    }

    /// Returns the network events and timers that this processor has collected, including timers
    /// that belong to idle processors.
    pub fn arrivals(&self) -> &Arrivals {
        &self.counts.arrivals
    }

    /// Returns `true` if the processor is idle, or is a spare processor that is not in use. A
    /// gauge. Always `false` in a sum of processors.
    pub fn is_idle(&self) -> bool {
        self.is_idle
    }

    /// Returns the number of tasks that wait in the processor's own queue and in its slot for the
    /// next task, at most 257. A gauge.
    pub fn local_queue_depth(&self) -> usize {
        self.queue
    }

    /// Returns the number of the processor's timers, with cancelled ones not yet removed. A gauge.
    pub fn timers_held(&self) -> usize {
        self.timers
    }

    /// Returns a histogram of the time that runnable tasks waited until this processor polled them.
    ///
    /// The histogram contains one poll in eight, sampled while
    /// [`Handle::set_latency_histograms`](crate::runtime::Handle::set_latency_histograms) is on.
    pub fn schedule_latency(&self) -> &LatencyHistogram {
        &self.schedule_latency
    }

    /// Returns a histogram of the durations of polls on this processor. It contains the same sample
    /// of polls as [`schedule_latency`](Self::schedule_latency).
    pub fn poll_time(&self) -> &LatencyHistogram {
        &self.poll_time
    }
}
