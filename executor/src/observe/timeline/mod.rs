//! The timeline: what each thread does over time, in Perfetto's format.
//!
//! ```text
//! machines, blocking threads, ...         the recorder's thread "wsrt-timeline"
//!   hooks ─► thread writer ─► buffer ──►  recorder ─► batch ─► encoder ─► file, or segments
//!                                                       └────► flight recorder: encoded later
//! CPU timers ─► wsrt-stack ────────────►  samples ─► "wsrt-samples" names them ─► a later batch
//! ```
//!
//! Events, buffer, batch and encoder are in the crate `wsrt-trace`. docs/TIMELINE.md lists the
//! events and the meaning of their bits.

mod directory;
mod file;
mod flight;
mod hooks;
#[cfg(feature = "sim")]
mod hosts;
#[cfg(not(feature = "sim"))]
#[path = "hosts_off.rs"]
mod hosts;
mod recorded_threads;
mod recorder;
mod samples;
mod thread_writer;

pub use directory::TraceDirectory;
pub use file::TraceSummary;
pub use flight::FlightRecorder;
pub(crate) use flight::numbered;
pub(crate) use hooks::RecordedPoll;
use wsrt_trace::StampCounter;

use std::io;
use std::num::NonZeroU32;
use std::panic::Location;
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Weak};
use std::time::Duration;

use crate::util::sync::{Mutex, thread};
use wsrt_sync::oneshot;

use crate::observe::observer::{Observer, Switch};
use crate::observe::timeline::file::{Reply, TraceFile};
use crate::observe::timeline::flight::{FlightBuffer, RecordRequest};
use crate::observe::timeline::recorder::{Recorder, Requests};
use crate::task::OwnedTasks;
use crate::util::world::UPTIME;

/// The timeline of one runtime.
#[derive(Debug, Default)]
pub(crate) struct Timeline {
    /// The recorder's number, or 0 without a recorder. Relaxed: a thread writer that was created
    /// for another recorder takes the lock.
    recorder: AtomicU64,
    state: Mutex<TimelineState>,
}

#[derive(Debug, Default)]
struct TimelineState {
    recorder: Option<Arc<Recorder>>,
    thread: Option<thread::JoinHandle<()>>,
    /// True if the runtime has ended.
    is_over: bool,
}

impl Timeline {
    /// Returns the recorder's number, or 0 without a recorder.
    #[inline]
    fn number(&self) -> u64 {
        self.recorder.load(Relaxed)
    }

    fn current(&self) -> Option<Arc<Recorder>> {
        self.state.lock().recorder.clone()
    }
}

/// A runtime, as seen by the recorder thread.
pub(crate) trait Recorded: Send + Sync {
    fn observer(&self) -> &Observer;

    fn tasks(&self) -> &OwnedTasks;

    /// Calls `sample` with the length of the injector, and then with each processor's index and the
    /// number of tasks queued there. Returns the number of processors that are no spares.
    fn sample_queues(&self, sample: &mut dyn FnMut(Option<usize>, usize)) -> usize;

    /// Calls `look` with each processor that a thread holds now.
    fn look_at_polls(&self, look: &mut dyn FnMut(HeldProcessor));

    /// Returns whether events carry simulated times, for which the recorder thread has no clock.
    fn is_simulated(&self) -> bool;
}

/// A processor that a thread holds.
#[derive(Debug)]
pub(crate) struct HeldProcessor {
    /// The system's number for the thread.
    pub(crate) thread: u32,
    pub(crate) processor: u16,
    /// The id of the task that is polled there, or was polled last, and where it was spawned.
    pub(crate) task: Option<(u64, &'static Location<'static>)>,
}

/// Where a timeline is written, and with how many CPU samples in a second of CPU time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TraceSettings {
    pub(crate) path: PathBuf,
    pub(crate) cpu: Option<NonZeroU32>,
}

impl Observer {
    /// Records the entire run to a file. After a failure, which is reported, the run continues
    /// unrecorded.
    pub(crate) fn trace_all(&self, runtime: Weak<dyn Recorded>, settings: &TraceSettings) {
        if let Err(error) = self.record_to(runtime, settings, None) {
            file::report_failure(&settings.path, &error);
        }
    }

    /// Records the entire run to segments in a directory.
    pub(crate) fn trace_into(&self, runtime: Weak<dyn Recorded>, directory: TraceDirectory) -> io::Result<()> {
        self.request(runtime, |requests| requests.segments = Some(directory.segments()))
    }

    /// Records to a file for a limited time and sends the outcome to the returned receiver. The
    /// time is measured on the recorder thread's clock, which is the system clock even in a
    /// simulation.
    pub(crate) fn trace_for(
        &self,
        runtime: Weak<dyn Recorded>,
        settings: &TraceSettings,
        duration: Duration,
    ) -> io::Result<oneshot::Receiver<io::Result<TraceSummary>>> {
        let (reply, outcome) = oneshot::channel();
        self.record_to(runtime, settings, Some((duration, reply)))?;
        Ok(outcome)
    }

    fn record_to(
        &self,
        runtime: Weak<dyn Recorded>,
        settings: &TraceSettings,
        limit: Option<(Duration, Reply)>,
    ) -> io::Result<()> {
        let file = TraceFile::create(&settings.path, settings.cpu, limit)?;
        self.request(runtime, |requests| requests.files.push(file))
    }

    /// Starts to keep the last seconds in memory for flight records.
    pub(crate) fn fly(&self, runtime: Weak<dyn Recorded>, config: FlightRecorder) -> io::Result<()> {
        self.request(runtime, |requests| requests.flight = Some(FlightBuffer::new(config)))
    }

    /// Requests a flight record, and returns a receiver for the record's path.
    pub(crate) fn write_flight_record(&self) -> oneshot::Receiver<io::Result<PathBuf>> {
        let (reply, result) = oneshot::channel();
        self.request_record(RecordRequest::OnDemand(reply));
        result
    }

    /// Sends a request to the recorder, which is started if there is none.
    fn request(&self, runtime: Weak<dyn Recorded>, request: impl FnOnce(&mut Requests)) -> io::Result<()> {
        let mut state = self.timeline.state.lock();
        if state.is_over {
            return Err(io::Error::other("the runtime has shut down"));
        }
        if let Some(recorder) = &state.recorder {
            recorder.request(request);
            return Ok(());
        }
        StampCounter::choose(UPTIME);
        let recorder = Recorder::new();
        let own = Arc::clone(&recorder);
        let thread = thread::Builder::new().name("wsrt-timeline".into());
        state.thread = Some(thread.spawn(move || recorder::serve(own, runtime))?);
        recorder.request(request);
        self.timeline.recorder.store(recorder.number(), Relaxed);
        state.recorder = Some(recorder);
        self.switches.turn_on(Switch::Timeline);
        Ok(())
    }

    /// Ends all recording, and waits until the files are complete.
    pub(crate) fn finish_timeline(&self) {
        let (recorder, thread) = {
            let mut state = self.timeline.state.lock();
            state.is_over = true;
            self.switches.turn_off(Switch::Timeline);
            self.timeline.recorder.store(0, Relaxed);
            (state.recorder.take(), state.thread.take())
        };
        if let Some(recorder) = recorder {
            recorder.request(|requests| requests.is_over = true);
        }
        if let Some(thread) = thread {
            // A thread that has panicked has reported it.
            let _ = thread.join();
        }
    }

    /// Requests a flight record after a stall or a panic.
    pub(crate) fn write_flight_record_of_own_accord(&self) {
        self.request_record(RecordRequest::Unasked);
    }

    fn request_record(&self, request: RecordRequest) {
        match &self.timeline.state.lock().recorder {
            Some(recorder) => recorder.request(|requests| requests.records.push(request)),
            None => request.refuse(),
        }
    }

    /// Retires a recorder without outputs, if `is_idle` still returns `true`.
    fn retire_recorder(&self, recorder: &Arc<Recorder>, is_idle: impl FnOnce() -> bool) -> bool {
        let mut state = self.timeline.state.lock();
        if !is_idle() {
            return false;
        }
        if state.recorder.take_if(|current| Arc::ptr_eq(current, recorder)).is_some() {
            self.switches.turn_off(Switch::Timeline);
            self.timeline.recorder.store(0, Relaxed);
        }
        true
    }
}
