//! The recorder: a thread that collects what all others write down, and passes it on in batches.
//!
//! It never makes anybody wait. What it cannot keep up with is dropped by those who write, and counted.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use wsrt_trace::encode::{self, Batch, Entry, Names, Sample, Scene, ThreadFacts, written_at};
use wsrt_trace::{Anchor, Anchors, Counter, EVENT_CAPACITY, Event, Outcome, Reader, What, Writer, buffer};

use super::file::TraceFile;
use super::flight::{Flight, Wanted};
use crate::base::thread_state::current_thread_number;
use crate::policy::Scheduler;

/// The shortest and the longest time between two looks.
const SHORTEST: Duration = Duration::from_millis(1);
const LONGEST: Duration = Duration::from_millis(16);
/// So many events of one thread since the last look mean that the next one comes sooner.
const MANY: usize = EVENT_CAPACITY / 8;
/// Lengths of queues are noted once in this time.
const SAMPLE_PERIOD: Duration = Duration::from_millis(4);

/// What others see of a recorder.
#[derive(Debug)]
pub(crate) struct Recorder {
    number: u64,
    newcomers: Mutex<Vec<(ThreadFacts, Reader)>>,
    /// Tasks with a name that were spawned since the last look.
    named: Mutex<Vec<(u64, Arc<str>)>>,
    orders: Mutex<Orders>,
    on_order: Condvar,
}

#[derive(Debug, Default)]
struct Orders {
    files: Vec<TraceFile>,
    flight: Option<Flight>,
    /// Records of the flight recorder that are asked for.
    wanted: Vec<Wanted>,
    is_over: bool,
}

impl Recorder {
    pub(crate) fn new() -> Arc<Self> {
        /// 0 is none.
        static LAST: AtomicU64 = AtomicU64::new(0);
        Arc::new(Self {
            number: LAST.fetch_add(1, Relaxed) + 1,
            newcomers: Mutex::default(),
            named: Mutex::default(),
            orders: Mutex::default(),
            on_order: Condvar::new(),
        })
    }

    /// Different for each recorder of the process, and not 0.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The end of a buffer for what the current thread writes down.
    pub(crate) fn register_current_thread(&self) -> Writer {
        let (writer, reader) = buffer();
        let thread = std::thread::current();
        let facts = ThreadFacts { tid: current_thread_number(), name: thread.name().unwrap_or("thread").to_owned() };
        self.newcomers.lock().push((facts, reader));
        writer
    }

    pub(crate) fn name_task(&self, task: u64, name: Arc<str>) {
        self.named.lock().push((task, name));
    }

    pub(crate) fn add_file(&self, file: TraceFile) {
        self.orders.lock().files.push(file);
        self.on_order.notify_one();
    }

    pub(crate) fn set_flight(&self, flight: Flight) {
        self.orders.lock().flight = Some(flight);
        self.on_order.notify_one();
    }

    /// Asks for a record of the flight recorder.
    pub(crate) fn want_record(&self, wanted: Wanted) {
        self.orders.lock().wanted.push(wanted);
        self.on_order.notify_one();
    }

    /// Ends it.
    pub(crate) fn finish(&self) {
        self.orders.lock().is_over = true;
        self.on_order.notify_one();
    }

    /// Waits for orders, until `due` at most, and takes them.
    fn take_orders(&self, due: Instant) -> Orders {
        let mut orders = self.orders.lock();
        while orders.is_idle() && !self.on_order.wait_until(&mut orders, due).timed_out() {}
        let is_over = orders.is_over;
        let taken = std::mem::take(&mut *orders);
        orders.is_over = is_over;
        taken
    }
}

impl Orders {
    fn is_idle(&self) -> bool {
        self.files.is_empty() && self.flight.is_none() && self.wanted.is_empty() && !self.is_over
    }
}

/// What the recorder's thread works on.
#[derive(Debug)]
struct Desk {
    recorder: Arc<Recorder>,
    scheduler: Weak<Scheduler>,
    /// By number; those of threads that have ended are gone.
    readers: Vec<Option<Reader>>,
    threads: Vec<ThreadFacts>,
    /// What each thread has written after the end of the last batch.
    ahead: Vec<Vec<Event>>,
    names: Names,
    /// Tasks that are complete, and whose names are needed a little longer.
    past: Vec<u64>,
    anchors: Anchors,
    batch: Batch,
    dropped: Vec<u64>,
    files: Vec<TraceFile>,
    flight: Option<Flight>,
    period: Duration,
    sampled: Option<Instant>,
}

/// What the recorder's thread does, until it is told to end, or nothing is left to record for.
pub(crate) fn serve(recorder: Arc<Recorder>, scheduler: Weak<Scheduler>) {
    give_way();
    let mut desk = Desk::new(recorder, scheduler);
    loop {
        let orders = desk.recorder.take_orders(desk.next_look());
        let is_over = orders.is_over || desk.scheduler.strong_count() == 0;
        desk.collect(if is_over { u64::MAX } else { Counter::read() });
        desk.pass_on(orders);
        if is_over {
            return desk.end_all();
        }
        if desk.has_no_one_to_record_for() && desk.retire() {
            return;
        }
    }
}

/// Where all cores are busy, rather the timeline has gaps than the program waits for a core. Linux's threads have a niceness each.
#[cfg(target_os = "linux")]
fn give_way() {
    const NICER: libc::c_int = 10;
    // SAFETY: it takes a number. Should it be refused, all stays as it is.
    let _ = unsafe { libc::nice(NICER) };
}

#[cfg(not(target_os = "linux"))]
fn give_way() {}

impl Desk {
    fn new(recorder: Arc<Recorder>, scheduler: Weak<Scheduler>) -> Self {
        Self {
            recorder,
            scheduler,
            readers: Vec::new(),
            threads: Vec::new(),
            ahead: Vec::new(),
            names: Names::default(),
            past: Vec::new(),
            anchors: Anchors::begin(),
            batch: Batch::default(),
            dropped: Vec::new(),
            files: Vec::new(),
            flight: None,
            period: SHORTEST,
            sampled: None,
        }
    }

    fn next_look(&self) -> Instant {
        let next = Instant::now() + self.period;
        self.files.iter().filter_map(TraceFile::until).fold(next, Instant::min)
    }

    /// Makes a batch of all that was over at `until`.
    fn collect(&mut self, until: u64) {
        self.anchors.add(Anchor::now());
        for (facts, reader) in std::mem::take(&mut *self.recorder.newcomers.lock()) {
            self.threads.push(facts);
            self.readers.push(Some(reader));
            self.ahead.push(Vec::new());
            self.dropped.push(0);
        }
        self.names.extend(std::mem::take(&mut *self.recorder.named.lock()));
        self.batch = Batch {
            until: until.min(Counter::read()),
            entries: std::mem::take(&mut self.batch.entries),
            ..Batch::default()
        };
        self.batch.entries.clear();
        let mut most = 0;
        for thread in 0..self.readers.len() {
            most = most.max(self.collect_from(thread, until));
        }
        self.period = if most > MANY { SHORTEST } else { (self.period * 2).min(LONGEST) };
        self.sample();
        self.note_past();
    }

    /// Returns how many events that were.
    fn collect_from(&mut self, thread: usize, until: u64) -> usize {
        let ahead = &mut self.ahead[thread];
        if let Some(reader) = &mut self.readers[thread] {
            let is_last = reader.is_closed();
            reader.read(ahead);
            let dropped = reader.dropped();
            self.batch.dropped += dropped - std::mem::replace(&mut self.dropped[thread], dropped);
            if is_last {
                self.readers[thread] = None;
            }
        }
        let over = ahead.iter().position(|event| written_at(event) > until).unwrap_or(ahead.len());
        let entries = ahead.drain(..over).map(|event| Entry { thread: thread as u32, later: 0, event });
        let first = self.batch.entries.len();
        self.batch.entries.extend(entries);
        encode::time(&mut self.batch.entries[first..]);
        over
    }

    fn sample(&mut self) {
        if self.sampled.is_some_and(|sampled| sampled.elapsed() < SAMPLE_PERIOD) {
            return;
        }
        let Some(scheduler) = self.scheduler.upgrade() else { return };
        self.sampled = Some(Instant::now());
        let nanos = self.anchors.nanos(Counter::read());
        let injector = Sample { nanos, processor: None, waiting: scheduler.injector.len() as u64 };
        self.batch.samples.push(injector);
        for (index, processor) in scheduler.processors.iter().enumerate() {
            let sample = Sample { nanos, processor: Some(index as u16), waiting: processor.waiting() as u64 };
            self.batch.samples.push(sample);
        }
    }

    /// Notes which named tasks are complete: their names go once nobody can ask for them.
    fn note_past(&mut self) {
        if self.names.is_empty() || self.flight.is_some() {
            return;
        }
        let ended = self.batch.entries.iter().filter_map(|entry| match entry.event.what() {
            What::Ended { task, .. } | What::Poll { task, outcome: Outcome::Ready, .. } => Some(task),
            _ => None,
        });
        self.past.extend(ended.filter(|task| self.names.contains_key(task)));
    }

    /// Passes the batch on to all, and those that are new among them, and ends what is due.
    fn pass_on(&mut self, orders: Orders) {
        if !orders.files.is_empty() || orders.flight.is_some() {
            self.learn_names();
        }
        self.files.extend(orders.files);
        if orders.flight.is_some() {
            self.flight = orders.flight;
        }
        let scene = Scene { threads: &self.threads, names: &self.names, anchors: &self.anchors };
        for mut file in std::mem::take(&mut self.files) {
            match file.tell(&self.batch, scene) {
                Err(error) => file.fail(&error),
                Ok(()) if file.is_due() => file.end(self.batch.until, scene),
                Ok(()) => self.files.push(file),
            }
        }
        match &mut self.flight {
            Some(flight) => {
                flight.keep(&self.batch, scene);
                flight.write_records(orders.wanted, self.batch.until, scene);
            }
            None => orders.wanted.into_iter().for_each(Wanted::refuse),
        }
        for task in self.past.drain(..) {
            self.names.remove(&task);
        }
    }

    /// Names of tasks that were spawned before anything was recorded.
    fn learn_names(&mut self) {
        let Some(scheduler) = self.scheduler.upgrade() else { return };
        let live = scheduler.tasks.live_tasks().into_iter();
        self.names.extend(live.filter_map(|task| Some((task.id.as_u64(), task.name?))));
    }

    fn has_no_one_to_record_for(&self) -> bool {
        self.files.is_empty() && self.flight.is_none()
    }

    /// Takes leave of the runtime. `false` if there is something new to record for.
    fn retire(&self) -> bool {
        let Some(scheduler) = self.scheduler.upgrade() else { return true };
        scheduler.seeing.retire_recorder(&self.recorder, || self.recorder.orders.lock().is_idle())
    }

    fn end_all(&mut self) {
        let scene = Scene { threads: &self.threads, names: &self.names, anchors: &self.anchors };
        for file in self.files.drain(..) {
            file.end(self.batch.until, scene);
        }
    }
}
