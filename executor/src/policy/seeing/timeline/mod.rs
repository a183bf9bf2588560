//! The timeline: who did what when, for Perfetto.
//!
//! ```text
//! machines, blocking threads, ...          the recorder's thread "wsrt-timeline"
//!   hooks ─► pen ─► buffer  ──────────►  recorder ─► batch ─► story ─► packets ─► file
//!                                                       └──► flight recorder, which tells it later
//! ```
//!
//! What is written down, and where, is in docs/TIMELINE.md.

mod file;
mod flight;
mod hooks;
mod recorder;
mod thread_writer;

pub use file::TraceSummary;
pub use flight::FlightRecorder;
pub(crate) use flight::numbered;
use wsrt_trace::Counter;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Instant;

use parking_lot::Mutex;
use tokio::sync::oneshot;

use self::file::{Reply, TraceFile};
use self::flight::{Flight, Wanted};
use self::recorder::Recorder;
use crate::policy::Scheduler;
use crate::policy::seeing::{Seeing, Switch};

/// The timeline of one runtime.
#[derive(Debug, Default)]
pub(crate) struct Timeline {
    /// The number of the recorder, 0 if there is none. Relaxed: a pen that writes for another comes by the lock.
    recorder: AtomicU64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    recorder: Option<Arc<Recorder>>,
    thread: Option<thread::JoinHandle<()>>,
    /// The runtime has ended.
    is_over: bool,
}

impl Timeline {
    /// The number of the recorder that is there now.
    #[inline]
    fn number(&self) -> u64 {
        self.recorder.load(Relaxed)
    }

    fn current(&self) -> Option<Arc<Recorder>> {
        self.state.lock().recorder.clone()
    }
}

impl Seeing {
    /// Records the whole run to a file. If that cannot be, it is said, and that is all.
    pub(crate) fn trace_all(&self, scheduler: &Weak<Scheduler>, path: &Path) {
        let started = TraceFile::create(path, None).map_err(|(error, _)| error);
        let started = started.and_then(|file| self.record(scheduler, |recorder| recorder.add_file(file)));
        if let Err(error) = started {
            file::report_failure(path, &error);
        }
    }

    /// Records to a file until then; `reply` hears what came of it.
    pub(crate) fn trace_until(&self, scheduler: &Weak<Scheduler>, path: &Path, until: Instant, reply: Reply) {
        match TraceFile::create(path, Some((until, reply))) {
            Ok(file) => {
                let mut file = Some(file);
                let started = self.record(scheduler, |recorder| recorder.add_file(file.take().expect("called once")));
                if let (Err(error), Some(file)) = (started, file) {
                    file.fail(&error);
                }
            }
            Err((error, reply)) => drop(reply.map(|reply| reply.send(Err(error)))),
        }
    }

    /// Keeps the last seconds.
    pub(crate) fn fly(&self, scheduler: &Weak<Scheduler>, config: FlightRecorder) -> io::Result<()> {
        self.record(scheduler, |recorder| recorder.set_flight(Flight::new(config)))
    }

    /// Asks for a record of the flight recorder.
    pub(crate) fn write_flight_record(&self) -> oneshot::Receiver<io::Result<PathBuf>> {
        let (reply, result) = oneshot::channel();
        let wanted = Wanted::OnDemand(reply);
        match &self.timeline.state.lock().recorder {
            Some(recorder) => recorder.want_record(wanted),
            None => wanted.refuse(),
        }
        result
    }

    /// Something has happened that is worth a record.
    pub(crate) fn write_flight_record_of_own_accord(&self) {
        if let Some(recorder) = &self.timeline.state.lock().recorder {
            recorder.want_record(Wanted::OfOwnAccord);
        }
    }

    /// Gives an order to the recorder, which is started if there is none.
    fn record(&self, scheduler: &Weak<Scheduler>, order: impl FnOnce(&Recorder)) -> io::Result<()> {
        let mut state = self.timeline.state.lock();
        if state.is_over {
            return Err(io::Error::other("the runtime has shut down"));
        }
        if let Some(recorder) = &state.recorder {
            order(recorder);
            return Ok(());
        }
        Counter::choose();
        let recorder = Recorder::new();
        let (own, scheduler) = (Arc::clone(&recorder), Weak::clone(scheduler));
        let thread = thread::Builder::new().name("wsrt-timeline".into());
        state.thread = Some(thread.spawn(move || recorder::serve(own, scheduler))?);
        order(&recorder);
        self.timeline.recorder.store(recorder.number(), Relaxed);
        state.recorder = Some(recorder);
        self.switches.turn_on(Switch::Timeline);
        Ok(())
    }

    /// A recorder that has nothing more to record for takes leave, if that `is_so` still.
    fn retire_recorder(&self, recorder: &Arc<Recorder>, is_so: impl FnOnce() -> bool) -> bool {
        let mut state = self.timeline.state.lock();
        if !is_so() {
            return false;
        }
        if state.recorder.take_if(|current| Arc::ptr_eq(current, recorder)).is_some() {
            self.switches.turn_off(Switch::Timeline);
            self.timeline.recorder.store(0, Relaxed);
        }
        true
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
            recorder.finish();
        }
        if let Some(thread) = thread {
            // One that has panicked has said so.
            let _ = thread.join();
        }
    }
}
