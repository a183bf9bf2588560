//! The flight recorder keeps the last seconds of the timeline in memory, and writes them to a file
//! after a stall or a panic.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use wsrt_sync::oneshot;
use wsrt_trace::encode::{BatchEntry, EncodeContext, EventBatch, QueueSample, StackSample};
use wsrt_trace::files::EncodedFile;

use crate::observe::timeline::file::copy_of;
use crate::util::report::report;

/// The maximum number of records that a runtime writes without being asked, so that a program that
/// stalls all the time does not fill the disk.
const MOST_UNASKED: u32 = 16;

/// A configuration for the flight recorder, which keeps the last seconds of the timeline in memory
/// and writes them to a file when a poll is reported as a stall, a task panics, or
/// [`Handle::write_flight_record`](crate::runtime::Handle::write_flight_record) is called. Pass the
/// configuration to [`Builder::flight_recorder`](crate::runtime::Builder::flight_recorder).
///
/// Each record goes into its own file: `flight.perfetto-trace` becomes `flight-1.perfetto-trace`,
/// `flight-2.perfetto-trace` and so on, and files from an earlier run are overwritten. For stalls
/// and panics, the runtime writes at most one record per [`keep`](Self::keep) duration and 16 in
/// all.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use wsrt::runtime::{Builder, FlightRecorder};
///
/// let path = std::env::temp_dir().join("flight.perfetto-trace");
/// let runtime = Builder::new_multi_thread()
///     .flight_recorder(FlightRecorder::new(path).keep(Duration::from_secs(5)).max_bytes(16 << 20))
///     .build()?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct FlightRecorder {
    path: PathBuf,
    keep: Duration,
    max_bytes: usize,
}

impl FlightRecorder {
    /// Creates a configuration that writes records next to `path`, numbering the file names.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), keep: Duration::from_secs(10), max_bytes: 64 << 20 }
    }

    /// Sets how much of the past to keep. The default is 10 seconds. The recorder keeps less if the
    /// events need more than [`max_bytes`](Self::max_bytes).
    #[must_use]
    pub fn keep(mut self, duration: Duration) -> Self {
        self.keep = duration;
        self
    }

    /// Sets the maximum memory for recorded events, in bytes, at 40 bytes per event. The default is
    /// 64 MiB, which is enough for about 1.6 million events.
    #[must_use]
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }
}

/// A request to write a flight record.
#[derive(Debug)]
pub(crate) enum RecordRequest {
    /// A poll has stalled, or a task has panicked.
    Unasked,
    /// The program has asked for a record and waits for its path.
    OnDemand(oneshot::Sender<io::Result<PathBuf>>),
}

impl RecordRequest {
    /// Replies that the runtime has no flight recorder.
    pub(crate) fn refuse(self) {
        self.reply(|| {
            let message = "this runtime has no flight recorder: it takes `Builder::flight_recorder` or WSRT_FLIGHT";
            Err(io::Error::new(io::ErrorKind::Unsupported, message))
        });
    }

    fn reply(self, result: impl FnOnce() -> io::Result<PathBuf>) {
        if let Self::OnDemand(reply) = self {
            // The program may have stopped waiting.
            let _ = reply.send(result());
        }
    }
}

/// The recent batches of events, kept in memory.
#[derive(Debug)]
pub(crate) struct FlightBuffer {
    config: FlightRecorder,
    kept: VecDeque<EventBatch>,
    bytes: usize,
    /// The number of records written in total, and without being asked.
    records: u32,
    unasked: u32,
    /// The time of the last record written without being asked, on the monotonic clock.
    last: Option<u64>,
    is_failure_reported: bool,
}

impl FlightBuffer {
    pub(crate) fn new(config: FlightRecorder) -> Self {
        Self { config, kept: VecDeque::new(), bytes: 0, records: 0, unasked: 0, last: None, is_failure_reported: false }
    }

    /// Adds a batch, and drops batches that are too old or exceed the memory limit.
    pub(crate) fn keep(&mut self, batch: EventBatch, context: EncodeContext<'_>) {
        self.bytes += size(&batch);
        let now = context.clock.nanos(batch.until);
        self.kept.push_back(batch);
        let oldest = now.saturating_sub(u64::try_from(self.config.keep.as_nanos()).unwrap_or(u64::MAX));
        while let Some(first) = self.kept.front() {
            if self.bytes <= self.config.max_bytes && context.clock.nanos(first.until) >= oldest {
                break;
            }
            self.bytes -= size(first);
            self.kept.pop_front();
        }
    }

    /// Returns the end of the oldest kept batch, or `u64::MAX` if there is none.
    pub(crate) fn oldest(&self) -> u64 {
        self.kept.front().map_or(u64::MAX, |batch| batch.until)
    }

    /// Writes one record, which answers all requests at once.
    pub(crate) fn write_records(&mut self, requests: Vec<RecordRequest>, until: u64, context: EncodeContext<'_>) {
        let (unasked, on_demand): (Vec<_>, Vec<_>) =
            requests.into_iter().partition(|request| matches!(request, RecordRequest::Unasked));
        let now = context.clock.nanos(until);
        let is_due = !unasked.is_empty() && self.may_write_unasked(now);
        if on_demand.is_empty() && !is_due {
            return;
        }
        if is_due {
            self.unasked += 1;
            self.last = Some(now);
        }
        let path = self.next_path();
        let result = self.write_record(&path, until, context);
        match &result {
            Ok(()) if is_due => {
                let path = path.display();
                report(format_args!(
                    "a stall or a panic: the timeline before it is in {path}; open it with `wsrt-report` or at \
                     https://ui.perfetto.dev"
                ));
            }
            Err(error) if is_due && !std::mem::replace(&mut self.is_failure_reported, true) => {
                let path = path.display();
                report(format_args!(
                    "the flight recorder cannot write {path}: {error}; the program continues, and later failures are not reported"
                ));
            }
            _ => {}
        }
        for request in on_demand {
            request.reply(|| match &result {
                Ok(()) => Ok(path.clone()),
                Err(error) => Err(copy_of(error)),
            });
        }
    }

    fn may_write_unasked(&self, now: u64) -> bool {
        let is_soon = self.last.is_some_and(|last| Duration::from_nanos(now - last) < self.config.keep);
        !is_soon && self.unasked < MOST_UNASKED
    }

    fn next_path(&mut self) -> PathBuf {
        self.records += 1;
        numbered(&self.config.path, self.records)
    }

    fn write_record(&self, path: &Path, until: u64, context: EncodeContext<'_>) -> io::Result<()> {
        let mut file = EncodedFile::begin(File::create(path)?);
        self.kept.iter().try_for_each(|batch| file.add(batch, context))?;
        file.end(until, context).map(drop)
    }
}

fn size(batch: &EventBatch) -> usize {
    let entries = batch.entries.len() * size_of::<BatchEntry>();
    let stacks = batch.stacks.iter().map(|sample| {
        let functions = sample.stack.iter().map(|function| size_of::<String>() + function.len());
        size_of::<StackSample>() + functions.sum::<usize>()
    });
    let samples = batch.samples.len() * size_of::<QueueSample>() + stacks.sum::<usize>();
    entries + samples + size_of::<EventBatch>()
}

/// Returns `path` with a number inserted before its extension.
pub(crate) fn numbered(path: &Path, number: u32) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{number}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_number_goes_before_the_extension() {
        assert_eq!(numbered(Path::new("/a/b.perfetto-trace"), 2), Path::new("/a/b-2.perfetto-trace"));
        assert_eq!(numbered(Path::new("b"), 3), Path::new("b-3"));
    }
}
