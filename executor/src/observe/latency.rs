//! Measures how long tasks wait to run after they become runnable, and how long their polls take.
//! One poll in eight is sampled into the histograms of its processor, and every poll if the drop-in
//! asks for that.
//!
//! Samples are chosen at random when tasks are woken, so that no pattern of the program hides from
//! them. The waker stores the time in a table ([`ReadyTimes`]); the machine that polls the task
//! takes the time out and times the poll as well. A sample costs one clock reading at the wake and
//! two at the poll. A sample is lost if its table entry is taken, however long the lost sample
//! would have waited.

use std::cell::RefCell;
use std::sync::OnceLock;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU64, AtomicUsize};
use std::time::{Duration, Instant};

use wsrt_trace::Buckets;

use crate::observe::counters::{Count, SharedCounter};
use crate::observe::observer::{Observer, Switch};
use crate::observe::ready_times::ReadyTimes;
use crate::task::Id;
use crate::util::rng::{self, FastRand};

/// One wake out of this many is sampled.
const SAMPLED: usize = 8;
/// Every wake is sampled, and every poll timed.
const EVERY: usize = 1;

thread_local! {
    /// The thread's random generator, without a destructor, so that wakers may use it at any time.
    static DICE: RefCell<FastRand> = RefCell::new(rng::fresh());
}

/// The latency histograms of one runtime, empty until sampling is first switched on.
#[derive(Debug)]
pub(crate) struct LatencyRecords {
    /// The origin of time stamps, which count nanoseconds.
    origin: Instant,
    sampling: OnceLock<Sampling>,
    /// The time at which sampling was last switched on. An older stamp may belong to a wake whose
    /// poll was not observed.
    since: AtomicU64,
    /// One wake out of this many is sampled.
    sampled: AtomicUsize,
}

#[derive(Debug)]
struct Sampling {
    ready_times: ReadyTimes,
    /// The histograms by processor index. Each is created with its first sample.
    processors: Box<[OnceLock<Histograms>]>,
}

/// The time at which a task was woken.
#[derive(Clone, Copy, Debug)]
pub(super) struct WokenAt(u64);

/// The latency histograms of one processor.
#[derive(Debug)]
pub(crate) struct Histograms {
    /// The times from runnable to running.
    pub(crate) waits: Histogram,
    pub(crate) polls: Histogram,
}

impl Histograms {
    fn new() -> Self {
        Self { waits: Histogram::new(), polls: Histogram::new() }
    }
}

impl LatencyRecords {
    pub(crate) fn new() -> Self {
        Self {
            origin: Instant::now(),
            sampling: OnceLock::new(),
            since: AtomicU64::new(0),
            sampled: AtomicUsize::new(SAMPLED),
        }
    }

    fn now(&self) -> u64 {
        u64::try_from(self.origin.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// Returns the time since a task was woken.
    pub(super) fn wait_since(&self, WokenAt(readied): WokenAt) -> Duration {
        Duration::from_nanos(self.now().saturating_sub(readied))
    }

    /// Returns the histograms of the processor with index `index`, if any poll was sampled there.
    pub(crate) fn of_processor(&self, index: usize) -> Option<&Histograms> {
        self.sampling.get()?.processors.get(index)?.get()
    }
}

impl Observer {
    /// Switches sampling on or off, for at most `processors` processors. Earlier samples are kept.
    pub(crate) fn sample_latencies(&self, on: bool, processors: usize) {
        let latency = &self.latency;
        if !on {
            return self.switches.turn_off(Switch::Latency);
        }
        if self.switches.is_on(Switch::Latency) {
            return;
        }
        latency.sampling.get_or_init(|| Sampling {
            ready_times: ReadyTimes::new(),
            processors: (0..processors).map(|_| OnceLock::new()).collect(),
        });
        latency.since.store(latency.now(), Relaxed);
        self.switches.turn_on(Switch::Latency);
    }

    /// Switches sampling on, of every wake and poll.
    #[cfg(feature = "drop-in")]
    pub(crate) fn measure_every_poll(&self, processors: usize) {
        self.latency.sampled.store(EVERY, Relaxed);
        self.sample_latencies(true, processors);
    }

    /// Stamps a task that was just woken and is about to be queued, if the wake is sampled.
    pub(crate) fn note_ready_time(&self, task: Id) {
        if !self.switches.is_on(Switch::Latency) {
            return;
        }
        let Some(sampling) = self.latency.sampling.get() else { return };
        if DICE.with_borrow_mut(|dice| dice.below(self.latency.sampled.load(Relaxed))) == 0 {
            sampling.ready_times.put(task.as_u64(), self.latency.now());
        } else {
            // A stamp that is still there belongs to a wake whose poll was not observed: its
            // processor had yet to hear of this.
            let _ = sampling.ready_times.take(task.as_u64());
        }
    }

    /// Takes the time at which a task about to be polled was woken, if the wake was sampled.
    pub(super) fn take_ready_time(&self, task: Id) -> Option<WokenAt> {
        if !self.switches.is_on(Switch::Latency) {
            return None;
        }
        let readied = self.latency.sampling.get()?.ready_times.take(task.as_u64())?;
        (readied >= self.latency.since.load(Relaxed)).then_some(WokenAt(readied))
    }

    /// Starts to time a poll on the processor with index `processor`, if the task's wake was
    /// sampled or every poll is. Dropping the returned guard ends the measurement.
    pub(super) fn time_poll(&self, processor: usize, readied: Option<WokenAt>) -> Option<TimedPoll<'_>> {
        let is_timed = readied.is_some() || self.latency.sampled.load(Relaxed) == EVERY;
        if !is_timed || !self.switches.is_on(Switch::Latency) {
            return None;
        }
        let histograms = self.latency.sampling.get()?.processors[processor].get_or_init(Histograms::new);
        let began = self.latency.now();
        if let Some(WokenAt(readied)) = readied {
            histograms.waits.record(began.saturating_sub(readied));
        }
        Some(TimedPoll { latency: &self.latency, histograms, began })
    }
}

/// A poll that is being timed, counted for the processor on which the poll began.
#[derive(Debug)]
pub(crate) struct TimedPoll<'a> {
    latency: &'a LatencyRecords,
    histograms: &'a Histograms,
    began: u64,
}

impl Drop for TimedPoll<'_> {
    fn drop(&mut self) {
        self.histograms.polls.record(self.latency.now().saturating_sub(self.began));
    }
}

/// The bucket layout: eight buckets for each doubling of the duration.
pub(crate) const LATENCY_BUCKETS: Buckets = Buckets::with_bits(3);
/// The longest distinguishable duration in nanoseconds, about 18 minutes. Longer ones count as
/// this.
const LONGEST: u64 = (1 << 40) - 1;
/// The number of buckets.
const BUCKETS: usize = LATENCY_BUCKETS.of(LONGEST) + 1;

/// Returns the index of the bucket that counts a duration of `nanos` nanoseconds.
fn bucket_of(nanos: u64) -> usize {
    LATENCY_BUCKETS.of(nanos.min(LONGEST))
}

/// A histogram of durations. Any thread may record a sample, which costs two locked cycles on cache
/// lines that mostly one thread writes.
#[derive(Debug)]
pub(crate) struct Histogram {
    counts: Box<[AtomicU64]>,
    sum: SharedCounter,
}

impl Histogram {
    pub(crate) fn new() -> Self {
        Self { counts: (0..BUCKETS).map(|_| AtomicU64::new(0)).collect(), sum: SharedCounter::default() }
    }

    pub(crate) fn record(&self, nanos: u64) {
        self.counts[bucket_of(nanos)].fetch_add(1, Relaxed);
        self.sum.add(nanos);
    }

    /// Returns the number of samples in each bucket.
    pub(crate) fn counts(&self) -> impl Iterator<Item = u64> {
        self.counts.iter().map(|count| count.load(Relaxed))
    }

    /// Returns the sum of all recorded durations, in nanoseconds.
    pub(crate) fn sum(&self) -> u64 {
        self.sum.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start_of(bucket: usize) -> u64 {
        LATENCY_BUCKETS.first(bucket)
    }

    #[test]
    fn buckets_follow_each_other_without_gaps() {
        assert_eq!((start_of(0), BUCKETS), (0, 304));
        for bucket in 0..BUCKETS {
            let (start, end) = (start_of(bucket), start_of(bucket + 1));
            assert!(start < end, "{bucket}");
            assert_eq!((bucket_of(start), bucket_of(end - 1)), (bucket, bucket), "{start} to {end}");
        }
        assert_eq!(start_of(BUCKETS), LONGEST + 1);
        assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn no_bucket_is_wider_than_an_eighth_of_its_start() {
        for bucket in 16..BUCKETS {
            let start = start_of(bucket);
            assert!((start_of(bucket + 1) - start) * 8 <= start, "{bucket}");
        }
    }

    #[test]
    fn what_is_recorded_is_counted_in_its_bucket() {
        let histogram = Histogram::new();
        [3, 3, 1_000, u64::from(u32::MAX)].into_iter().for_each(|nanos| histogram.record(nanos));
        let counts: Vec<_> = histogram.counts().collect();
        assert_eq!((counts[3], counts[bucket_of(1_000)], counts.iter().sum::<u64>()), (2, 1, 4));
        assert_eq!(histogram.sum(), 1_006 + u64::from(u32::MAX));
    }
}
