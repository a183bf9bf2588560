//! CPU samples in a recording: taken while threads use CPU time, put where they fell, and named by
//! their own thread, because to read the program's debug information takes up to seconds.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::num::NonZeroU32;
use std::panic::Location;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::time::{Duration, Instant};

use wsrt_stack::{Backtrace, CpuSample, CpuSampler, Sample};
use wsrt_trace::encode::{BatchEntry, EncodeContext, EventBatch, StackSample, ThreadInfo};
use wsrt_trace::{Activity, Event, EventKind, NO_PROCESSOR, PollOutcome, Track, monotonic_nanos};

use super::{HeldProcessor, Recorded};
use crate::util::report::report;
use crate::util::sync::thread;

/// So many samples may wait until they are named: 32 MiB. More are lost.
const MOST_UNNAMED: usize = 256;
/// The longest wait for names at the end of a file.
const NAMING_LIMIT: Duration = Duration::from_secs(10);

/// The functions of a stack, the outermost first.
type Stack = Arc<[String]>;

/// The CPU samples of a recorder.
#[derive(Debug)]
pub(super) struct CpuSamples {
    sampler: CpuSampler,
    /// Samples whose polls are not known yet.
    ahead: Vec<CpuSample>,
    /// The threads that held processors before the end of the batch, and when they were looked at,
    /// in nanoseconds of the monotonic clock.
    running: Vec<HeldProcessor>,
    looked_at: u64,
    /// Samples whose stacks are being named, in the order in which they were sent.
    unnamed: VecDeque<StackSample>,
    namer: Namer,
    /// What threads do without a processor, by the threads' numbers.
    jobs: BTreeMap<u32, Job>,
    lost: u64,
}

/// Where a blocking job was spawned, or a task whose poll has given its processor up.
type Job = Option<&'static Location<'static>>;

/// Returns the job of a thread after an event that it has recorded, given the job before.
fn job_after(job: Option<Job>, event: &Event) -> Option<Job> {
    match event.kind() {
        EventKind::Enter(Activity::BlockingJob) | EventKind::Poll { outcome: PollOutcome::HandedOver, .. } => {
            Some(event.site())
        }
        EventKind::Enter(Activity::Holds(_) | Activity::Parked) => None,
        EventKind::Leave(Activity::BlockingJob) | EventKind::Poll { .. } => None,
        _ => job,
    }
}

/// Where a sample fell.
enum SamplePlace {
    Poll {
        task: u64,
        processor: u16,
        site: Option<&'static Location<'static>>,
    },
    Job(Job),
    /// Between polls, or in a root future.
    Outside,
}

impl CpuSamples {
    /// Begins to sample the threads that record events, of which `entries` are the latest. Reports
    /// why not if that cannot be.
    pub(super) fn begin(frequency: NonZeroU32, threads: &[ThreadInfo], entries: &[BatchEntry]) -> Option<Self> {
        let begun = CpuSampler::begin(frequency).map_err(|why| why.to_string());
        let begun = begun.and_then(|sampler| Ok((sampler, Namer::start().map_err(|error| error.to_string())?)));
        let (sampler, namer) = match begun {
            Ok(begun) => begun,
            Err(why) => {
                report(format_args!("the timeline has no CPU samples: {why}"));
                return None;
            }
        };
        let (ahead, running, unnamed, jobs) = (Vec::new(), Vec::new(), VecDeque::new(), BTreeMap::new());
        let mut samples = Self { sampler, ahead, running, looked_at: 0, unnamed, namer, jobs, lost: 0 };
        threads.iter().for_each(|info| samples.add(info.tid));
        samples.note_jobs(entries);
        Some(samples)
    }

    /// Samples a thread as well, by the system's number for it.
    pub(super) fn add(&mut self, thread: u32) {
        self.sampler.add(thread);
    }

    /// Looks at the threads that hold processors, before the end of the next batch.
    pub(super) fn look(&mut self, runtime: &dyn Recorded) {
        self.looked_at = monotonic_nanos();
        self.running.clear();
        runtime.look_at_polls(&mut |held| self.running.push(held));
        self.running.iter().for_each(|running| self.sampler.add(running.thread));
    }

    /// Puts the samples into the polls whose ends are among the events of the batch, or that have
    /// not ended, and adds those samples to the batch that have been named.
    pub(super) fn collect(&mut self, batch: &mut EventBatch, context: EncodeContext<'_>) {
        let until = context.clock.nanos(batch.until);
        let taken: Vec<_> = self.ahead.drain(..).chain(self.sampler.take()).collect();
        for sample in taken {
            let thread = context.threads.iter().rposition(|info| info.tid == sample.thread);
            let thread = thread.map(|number| number as u32).filter(|_| sample.nanos <= until);
            let place = thread.and_then(|thread| self.place(sample.nanos, thread, &batch.entries, context));
            // A thread that has ended no poll between the sample and the batch's end was still in
            // the same one when it was looked at.
            let is_looked_at = sample.nanos <= self.looked_at;
            match place.or_else(|| is_looked_at.then(|| still_running(sample.thread, &self.running))) {
                Some(place) => self.put(sample, place, thread),
                None => self.ahead.push(sample),
            }
        }
        self.note_jobs(&batch.entries);
        self.lost += self.sampler.take_missed();
        self.take_named(&mut batch.stacks, None);
    }

    fn note_jobs(&mut self, entries: &[BatchEntry]) {
        for BatchEntry { thread, event, .. } in entries {
            match job_after(self.jobs.get(thread).copied(), event) {
                Some(job) => _ = self.jobs.insert(*thread, job),
                None => _ = self.jobs.remove(thread),
            }
        }
    }

    /// Sends a sample to be named, which `thread` has left, by its number among those that record
    /// events.
    fn put(&mut self, taken: CpuSample, place: SamplePlace, thread: Option<u32>) {
        let on_thread = thread.map(|thread| Track::Thread(thread.into()));
        let (track, task, spawned_at) = match place {
            SamplePlace::Poll { task, processor: NO_PROCESSOR, site } => (on_thread, Some(task), site),
            SamplePlace::Poll { task, processor, site } => (Some(Track::Processor(processor)), Some(task), site),
            SamplePlace::Job(site) => (on_thread, None, site),
            SamplePlace::Outside => (on_thread, None, None),
        };
        let Some(track) = track else { return };
        if self.namer.name(taken.sample) {
            let stack = Stack::default();
            self.unnamed.push_back(StackSample { nanos: taken.nanos, track, task, spawned_at, stack });
        } else {
            self.lost += 1;
        }
    }

    /// Returns where a sample fell, by the first event that its thread has recorded later: a poll
    /// is recorded at its end. `None` if there is no such event yet.
    fn place(
        &self,
        nanos: u64,
        thread: u32,
        entries: &[BatchEntry],
        context: EncodeContext<'_>,
    ) -> Option<SamplePlace> {
        let mut job = self.jobs.get(&thread).copied();
        for BatchEntry { event, .. } in entries.iter().filter(|entry| entry.thread == thread) {
            if context.clock.nanos(event.recorded_at()) < nanos {
                job = job_after(job, event);
                continue;
            }
            match event.kind() {
                EventKind::Poll { task, processor, .. } if context.clock.nanos(event.stamp) <= nanos => {
                    return Some(SamplePlace::Poll { task, processor, site: event.site() });
                }
                _ if event.depth() == 0 => return Some(job.map_or(SamplePlace::Outside, SamplePlace::Job)),
                _ => {}
            }
        }
        job.map(SamplePlace::Job)
    }

    /// Adds the samples that have been named to `stacks`: with a time, waits for all of them until
    /// then.
    fn take_named(&mut self, stacks: &mut Vec<StackSample>, until: Option<Instant>) {
        while !self.unnamed.is_empty() {
            let time_left = until.map_or(Duration::ZERO, |until| until.saturating_duration_since(Instant::now()));
            let Ok(stack) = self.namer.stacks.recv_timeout(time_left) else { return };
            stacks.extend(self.unnamed.pop_front().map(|sample| StackSample { stack, ..sample }));
        }
    }

    /// Waits for the names of all samples, for a file that ends, and adds them to `stacks`.
    pub(super) fn settle(&mut self, stacks: &mut Vec<StackSample>) {
        self.take_named(stacks, Some(Instant::now() + NAMING_LIMIT));
    }
}

impl Drop for CpuSamples {
    fn drop(&mut self) {
        let lost = self.lost + self.unnamed.len() as u64;
        if lost > 0 {
            report(format_args!(
                "{lost} CPU samples were lost: they were not taken, or their stacks not named, in time"
            ));
        }
    }
}

/// Returns the poll that a thread has been in since its last event.
fn still_running(thread: u32, running: &[HeldProcessor]) -> SamplePlace {
    let found = running.iter().find(|running| running.thread == thread);
    let poll = found.and_then(|running| Some((running.processor, running.task?)));
    poll.map_or(SamplePlace::Outside, |(processor, (task, site))| SamplePlace::Poll {
        task,
        processor,
        site: Some(site),
    })
}

/// The thread that names stacks, in the order in which they come.
#[derive(Debug)]
struct Namer {
    /// `None` once the thread is to end.
    samples: Option<SyncSender<Sample>>,
    stacks: Receiver<Stack>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Namer {
    fn start() -> io::Result<Self> {
        let (samples, to_name) = sync_channel(MOST_UNNAMED);
        let (named, stacks) = channel();
        let thread = thread::Builder::new().name("wsrt-samples".into()).spawn(move || serve(&to_name, &named))?;
        Ok(Self { samples: Some(samples), stacks, thread: Some(thread) })
    }

    /// Sends a sample to be named. Returns `false` if too many wait already.
    #[must_use]
    fn name(&self, sample: Sample) -> bool {
        self.samples.as_ref().is_some_and(|samples| samples.try_send(sample).is_ok())
    }
}

impl Drop for Namer {
    fn drop(&mut self) {
        self.samples = None;
        // A thread that has panicked has reported it.
        let _ = self.thread.take().map(thread::JoinHandle::join);
    }
}

/// The namer's thread. It inherits the low priority of the recorder's, which starts it.
fn serve(samples: &Receiver<Sample>, stacks: &Sender<Stack>) {
    for sample in samples {
        let path = path_of(&sample.backtrace());
        if stacks.send(path.into()).is_err() {
            break;
        }
    }
    wsrt_stack::forget();
}

/// The outermost function of a stack on which there are only functions of the runtime, or none.
const NOT_OF_THE_PROGRAM: &str = "(no function of the program)";

fn path_of(backtrace: &Backtrace) -> Vec<String> {
    let mut path = backtrace.path();
    if !backtrace.has_program() {
        path.insert(0, NOT_OF_THE_PROGRAM.to_owned());
    }
    path
}
