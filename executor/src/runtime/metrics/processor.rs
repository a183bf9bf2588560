//! The metrics of one processor.

use std::time::Duration;

use super::LatencyHistogram;
use crate::scheduler::core::found::FoundIn;

/// Holds the counters and gauges of one processor. See
/// [`Metrics::processors`](super::Metrics::processors).
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ProcessorMetrics {
    pub(super) counts: Counts,
    pub(super) busy: Duration,
    pub(super) is_idle: bool,
    pub(super) queue: usize,
    pub(super) timers: usize,
    pub(super) schedule_latency: LatencyHistogram,
    pub(super) poll_time: LatencyHistogram,
}

/// Counters: they only rise.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Polls of tasks, by the kind of place where the task was found.
    pub(super) polls: [u64; FoundIn::KINDS],
    pub(super) steals: Vec<Steals>,
    pub(super) parks: u64,
    pub(super) wakes: u64,
    pub(super) noops: u64,
    pub(super) overflows: u64,
    pub(super) arrivals: Arrivals,
}

/// Counts polls by the place where the processor found the task: one count for each poll.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PollSources {
    /// In the processor's slot for the next task: the task before has woken or spawned it.
    pub runnext: u64,
    /// In the processor's queue. The task may have come there in a batch that was stolen, taken
    /// from the shared queue, or woken by the network or by timers.
    pub ring: u64,
    /// In the global queue. The others of the same batch count for `ring`.
    pub injector: u64,
    /// Woken by a poll of the network just before, or by the timers that are checked with it.
    pub network: u64,
    /// Woken by another processor's timer, which was fired for it just before.
    pub timer: u64,
    /// Stolen just before. The others of the same steal count for `ring`.
    pub stolen: u64,
}

impl PollSources {
    /// Returns the number of all polls.
    pub fn total(&self) -> u64 {
        self.runnext + self.ring + self.injector + self.network + self.timer + self.stolen
    }
}

/// Counts the steals of one processor from another.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Steals {
    /// Successful steals.
    pub operations: u64,
    /// Tasks that they moved.
    pub tasks: u64,
}

/// Counts the events of the network and of timers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Arrivals {
    /// Turns of the netpoller: calls of the system's `epoll_wait` or its like.
    pub turns: u64,
    /// Events in them that reached a socket.
    pub events: u64,
    /// Timers fired.
    pub timers: u64,
    /// The sum of the delays between the timers' deadlines and their firing. Part of it is by
    /// design: timers with nearly equal deadlines share a wake, and may be late by up to a
    /// millisecond.
    pub timer_lateness: Duration,
    /// The longest of those delays since the runtime was built, even in a difference.
    pub timer_lateness_max: Duration,
}

impl ProcessorMetrics {
    /// Counts the polls of tasks.
    pub fn poll_count(&self) -> u64 {
        self.polls_by_source().total()
    }

    /// Counts the polls by the place where the task was found.
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

    /// Returns for how long threads have held the processor, to run its tasks or to look for some.
    /// A counter; a poll under way is included. In a [difference](super::Metrics::since), divided
    /// by the time [`elapsed`](super::Metrics::elapsed), it is the processor's utilization.
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

    /// Counts the tasks that this processor has stolen from others.
    pub fn steal_count(&self) -> u64 {
        self.counts.steals.iter().map(|steals| steals.tasks).sum()
    }

    /// Counts its successful steals, each of which moved one task at least.
    pub fn steal_operations(&self) -> u64 {
        self.counts.steals.iter().map(|steals| steals.operations).sum()
    }

    /// Returns its steals from each processor, by the victim's index: its row of the steal matrix.
    /// It ends with the regular processors until it has stolen from a spare.
    pub fn steals_by_victim(&self) -> &[Steals] {
        &self.counts.steals
    }

    /// Counts the times that the processor ran out of work.
    pub fn park_count(&self) -> u64 {
        self.counts.parks
    }

    /// Counts the times that the idle processor was taken into use again.
    pub fn wake_count(&self) -> u64 {
        self.counts.wakes
    }

    /// Counts the useless wakes: the processor was idle again without a poll of a task.
    pub fn noop_count(&self) -> u64 {
        self.counts.noops
    }

    /// Counts the times that its queue of 256 was full, and half of it went to the global queue.
    pub fn overflow_count(&self) -> u64 {
        self.counts.overflows
    }

    /// Returns the network events and timers that the processor has collected, including the timers
    /// of idle processors.
    pub fn arrivals(&self) -> &Arrivals {
        &self.counts.arrivals
    }

    /// Returns whether it is idle, or a spare out of play. A gauge; never in a sum.
    pub fn is_idle(&self) -> bool {
        self.is_idle
    }

    /// Returns how many tasks wait in its own queues, 257 at most. A gauge.
    pub fn local_queue_depth(&self) -> usize {
        self.queue
    }

    /// Returns how many timers it holds, with cancelled ones that are not yet removed. A gauge.
    pub fn timers_held(&self) -> usize {
        self.timers
    }

    /// Returns how long tasks waited to be run here, from the moment they were runnable: a sample
    /// of one poll in eight, while
    /// [`Handle::set_latency_histograms`](crate::runtime::Handle::set_latency_histograms) is on.
    pub fn schedule_latency(&self) -> &LatencyHistogram {
        &self.schedule_latency
    }

    /// Returns how long the polls that were sampled took.
    pub fn poll_time(&self) -> &LatencyHistogram {
        &self.poll_time
    }
}
