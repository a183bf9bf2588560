//! Measures how long tasks wait to run after they become runnable, and how long their polls take.
//! One poll in eight is sampled into the histograms of its processor.
//!
//! Samples are chosen at random when tasks are woken, so that no pattern of the program hides from
//! them. The waker stores the time in a table ([`ReadyTimes`]); the machine that polls the task
//! takes the time out and times the poll as well. A sample costs one clock reading at the wake and
//! two at the poll. A sample is lost if its table entry is taken, however long the lost sample
//! would have waited.

use std::cell::RefCell;
use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use crate::observe::histogram::Histogram;
use crate::observe::observer::Observer;
use crate::observe::ready_times::ReadyTimes;
use crate::observe::switches::Switch;
use crate::task::Id;
use crate::util::rng::{self, FastRand};

/// One wake out of this many is sampled.
const SAMPLED: usize = 8;

thread_local! {
    /// The thread's random generator, without a destructor, so that wakers may use it at any time.
    static DICE: RefCell<FastRand> = RefCell::new(rng::fresh());
}

/// The latency histograms of one runtime, empty until sampling is first switched on.
#[derive(Debug)]
pub(crate) struct Latency {
    /// The origin of time stamps, which count nanoseconds.
    origin: Instant,
    sampling: OnceLock<Sampling>,
    /// The time at which sampling was last switched on. An older stamp may belong to a wake whose
    /// poll was not observed.
    since: AtomicU64,
}

#[derive(Debug)]
struct Sampling {
    ready_times: ReadyTimes,
    /// The histograms by processor index. Each is created with its first sample.
    processors: Box<[OnceLock<Histograms>]>,
}

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

impl Latency {
    pub(crate) fn new() -> Self {
        Self { origin: Instant::now(), sampling: OnceLock::new(), since: AtomicU64::new(0) }
    }

    fn now(&self) -> u64 {
        u64::try_from(self.origin.elapsed().as_nanos()).unwrap_or(u64::MAX)
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

    /// Stamps a task that was just woken and is about to be queued, if the wake is sampled.
    pub(crate) fn note_ready_time(&self, task: Id) {
        if !self.switches.is_on(Switch::Latency) {
            return;
        }
        let Some(sampling) = self.latency.sampling.get() else { return };
        if DICE.with_borrow_mut(|dice| dice.below(SAMPLED)) == 0 {
            sampling.ready_times.put(task.as_u64(), self.latency.now());
        } else {
            // A stamp that is still there belongs to a wake whose poll was not observed: its
            // processor had yet to hear of this.
            let _ = sampling.ready_times.take(task.as_u64());
        }
    }

    /// Starts to time the poll of a task on the processor with index `processor`, if the task's
    /// wake was sampled. Dropping the returned guard ends the measurement.
    pub(crate) fn time_poll(&self, processor: usize, task: Id) -> Option<TimedPoll<'_>> {
        if !self.switches.is_on(Switch::Latency) {
            return None;
        }
        let sampling = self.latency.sampling.get()?;
        let readied = sampling.ready_times.take(task.as_u64())?;
        if readied < self.latency.since.load(Relaxed) {
            return None;
        }
        let histograms = sampling.processors[processor].get_or_init(Histograms::new);
        let began = self.latency.now();
        histograms.waits.record(began.saturating_sub(readied));
        Some(TimedPoll { latency: &self.latency, histograms, began })
    }
}

/// A poll that is being timed, counted for the processor on which the poll began.
#[derive(Debug)]
pub(crate) struct TimedPoll<'a> {
    latency: &'a Latency,
    histograms: &'a Histograms,
    began: u64,
}

impl Drop for TimedPoll<'_> {
    fn drop(&mut self) {
        self.histograms.polls.record(self.latency.now().saturating_sub(self.began));
    }
}
