//! The recorder: a thread that collects the events of all other threads, and passes them to the
//! outputs in batches.
//!
//! No thread waits for the recorder. If the recorder falls behind, the writers drop events and
//! count the dropped events.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use crate::util::sync::{Condvar, Mutex};
use wsrt_trace::encode::{EncodeContext, EventBatch, QueueSample, TaskNames, ThreadInfo};
use wsrt_trace::files::Segments;
use wsrt_trace::{
    ClockReading, ClockSync, EVENT_CAPACITY, EventKind, EventReader, EventWriter, PollOutcome, StampCounter,
    event_buffer,
};

use super::directory;
use super::file::TraceFile;
use super::flight::{FlightBuffer, RecordRequest};
use super::recorded_threads::{EndedIds, RecordedThreads};
use super::samples::CpuSamples;
use crate::observe::timeline::Recorded;
use crate::util::thread_state::current_thread_number;

/// The minimum time between two batches.
const SHORTEST: Duration = Duration::from_millis(1);
const LONGEST: Duration = Duration::from_millis(16);
/// The number of events of one thread in a batch from which the next batch comes sooner.
const MANY: usize = EVENT_CAPACITY / 8;
/// The interval at which queue lengths are sampled.
const SAMPLE_PERIOD: Duration = Duration::from_millis(4);

/// The recorder's state that other threads share.
#[derive(Debug)]
pub(crate) struct Recorder {
    number: u64,
    new_threads: Mutex<Vec<(ThreadInfo, EventReader)>>,
    /// The IDs and names of named tasks that were spawned since the last batch.
    new_names: Mutex<Vec<(u64, Arc<str>)>>,
    /// The names of a simulation's hosts, by host number.
    pub(super) hosts: Mutex<BTreeMap<u32, String>>,
    requests: Mutex<Requests>,
    on_request: Condvar,
}

/// Requests to the recorder thread.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    /// Files to start writing.
    pub(crate) files: Vec<TraceFile>,
    /// The segments to start writing.
    pub(crate) segments: Option<Segments>,
    /// The flight recorder's buffer to start filling.
    pub(crate) flight: Option<FlightBuffer>,
    /// Requests to write a flight record.
    pub(crate) records: Vec<RecordRequest>,
    /// True if all recording must end.
    pub(crate) is_over: bool,
}

impl Recorder {
    pub(crate) fn new() -> Arc<Self> {
        /// The number given out last. 0 means no recorder.
        static LAST: AtomicU64 = AtomicU64::new(0);
        Arc::new(Self {
            number: LAST.fetch_add(1, Relaxed) + 1,
            new_threads: Mutex::default(),
            new_names: Mutex::default(),
            hosts: Mutex::default(),
            requests: Mutex::default(),
            on_request: Condvar::new(),
        })
    }

    /// Returns the recorder's number, which is nonzero and unique in the process.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Creates a buffer for the current thread, and returns the buffer's writing end.
    pub(crate) fn register_current_thread(&self) -> EventWriter {
        let (writer, reader) = event_buffer();
        let thread = std::thread::current();
        let info = ThreadInfo {
            tid: current_thread_number(),
            name: thread.name().unwrap_or("thread").to_owned(),
            driver: None,
        };
        self.new_threads.lock().push((info, reader));
        writer
    }

    pub(crate) fn name_task(&self, task: u64, name: Arc<str>) {
        self.new_names.lock().push((task, name));
    }

    fn host_name(&self, host: u32) -> String {
        self.hosts.lock().get(&host).cloned().unwrap_or_else(|| "host".into())
    }

    /// Changes the requests with `add`, and wakes the recorder thread.
    pub(crate) fn request(&self, add: impl FnOnce(&mut Requests)) {
        add(&mut self.requests.lock());
        self.on_request.notify_one();
    }

    /// Waits for requests until `due` at the latest, and takes them.
    fn take_requests(&self, due: Instant) -> Requests {
        let mut requests = self.requests.lock();
        while requests.is_empty() && !self.on_request.wait_until(&mut requests, due).timed_out() {}
        let is_over = requests.is_over;
        let taken = std::mem::take(&mut *requests);
        requests.is_over = is_over;
        taken
    }
}

impl Requests {
    fn is_empty(&self) -> bool {
        !self.has_output() && self.records.is_empty() && !self.is_over
    }

    /// Returns whether there is anything to start writing or filling.
    fn has_output(&self) -> bool {
        !self.files.is_empty() || self.segments.is_some() || self.flight.is_some()
    }
}

/// The private state of the recorder thread.
#[derive(Debug)]
struct RecorderThread {
    recorder: Arc<Recorder>,
    runtime: Weak<dyn Recorded>,
    threads: RecordedThreads,
    names: TaskNames,
    /// Completed tasks whose names an output may still need.
    complete: EndedIds<u64>,
    /// Tasks that completed within a poll that is still running, by thread. They are shown as
    /// complete when the poll ends.
    complete_within: BTreeMap<u32, Vec<u64>>,
    clock: ClockSync,
    batch: EventBatch,
    files: Vec<TraceFile>,
    segments: Option<Segments>,
    flight: Option<FlightBuffer>,
    period: Duration,
    sampled: Option<Instant>,
    /// CPU samples, while a file wants some.
    samples: Option<CpuSamples>,
    /// The simulated time of the latest event, or `None` if this thread has a real clock.
    simulated: Option<u64>,
    /// The number of processors that are no spares. In a simulation there are no spares.
    workers: usize,
}

/// Runs the recorder thread until it is told to end or has no output left.
pub(crate) fn serve(recorder: Arc<Recorder>, runtime: Weak<dyn Recorded>) {
    lower_priority();
    let mut thread = RecorderThread::new(recorder, runtime);
    loop {
        let requests = thread.recorder.take_requests(thread.next_batch());
        let is_over = requests.is_over || thread.runtime.strong_count() == 0;
        thread.look_at_running();
        thread.collect(if is_over { u64::MAX } else { StampCounter::read() });
        if is_over || thread.files.iter().any(TraceFile::is_due) {
            thread.settle_samples();
        }
        thread.pass_on(Requests { is_over, ..requests });
        if is_over || (thread.has_no_output() && thread.retire()) {
            return;
        }
    }
}

/// Lowers the priority of a thread of the recorder's: if all cores are busy, gaps in the timeline
/// are better than a delayed program. On Linux each thread has its own niceness.
#[cfg(target_os = "linux")]
fn lower_priority() {
    const NICER: libc::c_int = 10;
    // SAFETY: it takes a number and no pointer. If it fails, the priority stays.
    let _ = unsafe { libc::nice(NICER) };
}

#[cfg(not(target_os = "linux"))]
fn lower_priority() {}

impl RecorderThread {
    fn new(recorder: Arc<Recorder>, runtime: Weak<dyn Recorded>) -> Self {
        let simulated = runtime.upgrade().is_some_and(|runtime| runtime.is_simulated()).then_some(0);
        Self {
            recorder,
            runtime,
            threads: RecordedThreads::default(),
            names: TaskNames::default(),
            complete: EndedIds::default(),
            complete_within: BTreeMap::new(),
            clock: if simulated.is_some() { ClockSync::of_nanos() } else { ClockSync::begin() },
            batch: EventBatch::default(),
            files: Vec::new(),
            segments: None,
            flight: None,
            period: SHORTEST,
            sampled: None,
            samples: None,
            simulated,
            workers: usize::MAX,
        }
    }

    fn next_batch(&self) -> Instant {
        let next = Instant::now() + self.period;
        self.files.iter().filter_map(TraceFile::until).fold(next, Instant::min)
    }

    /// Collects all events that were recorded before `until` into a batch.
    fn collect(&mut self, until: u64) {
        if self.simulated.is_none() {
            self.clock.add(ClockReading::now());
        }
        for (info, reader) in std::mem::take(&mut *self.recorder.new_threads.lock()) {
            self.samples.iter_mut().for_each(|samples| samples.add(info.tid));
            self.threads.add(info, reader);
        }
        self.batch = EventBatch {
            until: self.simulated.unwrap_or_else(|| until.min(StampCounter::read())),
            entries: std::mem::take(&mut self.batch.entries),
            ..EventBatch::default()
        };
        self.batch.entries.clear();
        let until = if self.simulated.is_some() { u64::MAX } else { until };
        let most = self.threads.collect(until, &mut self.batch, &|host| self.recorder.host_name(host));
        // After the events: in a simulation a task may have been spawned and polled just now.
        self.names.extend(std::mem::take(&mut *self.recorder.new_names.lock()));
        if let Some(latest) = &mut self.simulated {
            // The one thread that drives it records all events, in their order.
            *latest = self.batch.entries.iter().map(|entry| entry.event.recorded_at()).fold(*latest, u64::max);
            self.batch.until = *latest;
        }
        self.period = if most > MANY { SHORTEST } else { (self.period * 2).min(LONGEST) };
        self.collect_samples();
        self.sample();
        self.note_complete();
    }

    /// Looks at what is running, for the CPU samples of the next batch.
    fn look_at_running(&mut self) {
        if let (Some(samples), Some(runtime)) = (&mut self.samples, self.runtime.upgrade()) {
            samples.look(&*runtime);
        }
    }

    /// Takes the CPU samples of the batch. Called after its events were read: a poll that has
    /// recorded its end has left its samples before.
    fn collect_samples(&mut self) {
        let Some(samples) = &mut self.samples else { return };
        let (threads, names, clock, workers) = (self.threads.infos(), &self.names, &self.clock, self.workers);
        samples.collect(&mut self.batch, EncodeContext { threads, names, clock, is_simulated: false, workers });
    }

    /// Waits for the names of the CPU samples, for files that end now.
    fn settle_samples(&mut self) {
        if let Some(samples) = &mut self.samples {
            samples.settle(&mut self.batch.stacks);
        }
    }

    /// Begins to take CPU samples if a new file wants some. In a simulation there are none.
    fn begin_sampling(&mut self, new: &[TraceFile]) {
        let frequency = new.iter().filter_map(TraceFile::cpu).max();
        if let (Some(frequency), None, None) = (frequency, &self.samples, self.simulated) {
            self.samples = CpuSamples::begin(frequency, self.threads.infos(), &self.batch.entries);
        }
    }

    fn sample(&mut self) {
        // The moment of a sample is unknown in a simulation.
        if self.simulated.is_some() || self.sampled.is_some_and(|sampled| sampled.elapsed() < SAMPLE_PERIOD) {
            return;
        }
        let Some(runtime) = self.runtime.upgrade() else { return };
        self.sampled = Some(Instant::now());
        let nanos = self.clock.nanos(StampCounter::read());
        self.workers = runtime.sample_queues(&mut |processor, waiting| {
            let processor = processor.map(|index| index as u16);
            self.batch.samples.push(QueueSample { nanos, processor, waiting: waiting as u64 });
        });
    }

    /// Records which named tasks have completed.
    fn note_complete(&mut self) {
        if self.names.is_empty() {
            return;
        }
        for entry in &self.batch.entries {
            let thread = self.threads.recorder_of(entry.thread);
            match entry.event.kind() {
                EventKind::Ended { task, .. } | EventKind::Poll { task, outcome: PollOutcome::Ready, .. }
                    if self.names.contains_key(&task) =>
                {
                    self.complete_within.entry(thread).or_default().push(task);
                }
                _ => {}
            }
            if entry.event.depth() == 0 {
                let complete = self.complete_within.remove(&thread).unwrap_or_default();
                complete.into_iter().for_each(|task| self.complete.add(self.batch.until, task));
            }
        }
    }

    /// Passes the batch to all outputs, new ones included, and ends those that are due, or all.
    fn pass_on(&mut self, requests: Requests) {
        if requests.has_output() {
            self.learn_names();
        }
        self.begin_sampling(&requests.files);
        self.files.extend(requests.files.into_iter().map(TraceFile::begin));
        self.segments = requests.segments.or(self.segments.take());
        self.flight = requests.flight.or(self.flight.take());
        let context = EncodeContext {
            threads: self.threads.infos(),
            names: &self.names,
            clock: &self.clock,
            is_simulated: self.simulated.is_some(),
            workers: self.workers,
        };
        for mut file in std::mem::take(&mut self.files) {
            match file.add(&self.batch, context) {
                Err(error) => file.fail(error),
                Ok(()) if requests.is_over || file.is_due() => file.end(self.batch.until, context),
                Ok(()) => self.files.push(file),
            }
        }
        if let Some(segments) = &mut self.segments {
            directory::add(segments, &self.batch, context);
        }
        if let Some(segments) = self.segments.take_if(|_| requests.is_over) {
            directory::end(segments, self.batch.until, context);
        }
        match &mut self.flight {
            Some(flight) => {
                let until = self.batch.until;
                let next = EventBatch { until, ..EventBatch::default() };
                // Moved, not copied: the outputs above have read the batch.
                flight.keep(std::mem::replace(&mut self.batch, next), context);
                flight.write_records(requests.records, until, context);
            }
            None => requests.records.into_iter().for_each(RecordRequest::refuse),
        }
        drop(self.samples.take_if(|_| self.files.iter().all(|file| file.cpu().is_none())));
        self.forget();
    }

    /// Forgets ended tasks and threads that no output contains any more. The flight recorder needs
    /// their names for as long as one of its batches has their events.
    fn forget(&mut self) {
        let oldest = self.flight.as_ref().map_or(u64::MAX, FlightBuffer::oldest);
        while let Some(task) = self.complete.take_older(oldest) {
            self.names.remove(&task);
        }
        // A file has a track for each thread that it has shown.
        if self.files.is_empty() {
            let oldest_shown = self.segments.as_ref().map_or(u64::MAX, Segments::oldest);
            self.threads.forget_before(oldest.min(oldest_shown));
        }
    }

    /// Collects the names of tasks that were spawned before this output existed.
    fn learn_names(&mut self) {
        let Some(runtime) = self.runtime.upgrade() else { return };
        runtime.tasks().walk(|task| self.names.extend(task.name.map(|name| (task.id.as_u64(), name))));
    }

    fn has_no_output(&self) -> bool {
        self.files.is_empty() && self.segments.is_none() && self.flight.is_none()
    }

    /// Detaches the recorder from the runtime. Returns `false` if there is a new request.
    fn retire(&self) -> bool {
        let Some(runtime) = self.runtime.upgrade() else { return true };
        runtime.observer().retire_recorder(&self.recorder, || self.recorder.requests.lock().is_empty())
    }
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests;
