//! A timeline that is written to a file batch by batch.

use std::fs::File;
use std::io;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use wsrt_sync::oneshot;
use wsrt_trace::encode::{EncodeContext, EventBatch};
use wsrt_trace::files::{EncodedFile, FileSummary};

use crate::util::report::report;

/// Statistics about a finished recording: the numbers of events and bytes.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
///
/// let runtime = wsrt::runtime::Runtime::new()?;
/// let name = format!("wsrt-summary-{}.perfetto-trace", std::process::id());
/// let path = std::env::temp_dir().join(name);
/// let recording = runtime.handle().trace_for(Duration::from_millis(20), &path);
/// let summary = runtime.block_on(recording)?;
/// println!("{} events, {} dropped, {} bytes", summary.events, summary.dropped, summary.bytes);
/// std::fs::remove_file(path)
/// # .map_err(Box::<dyn std::error::Error>::from)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TraceSummary {
    /// The number of recorded events. Each event becomes one to three packets in the file.
    pub events: u64,
    /// The number of events dropped because a thread's buffer was full. The file shows the gaps.
    pub dropped: u64,
    /// The size of the file in bytes.
    pub bytes: u64,
}

/// The channel that reports the outcome to the program waiting for the end of a recording.
pub(super) type Reply = oneshot::Sender<io::Result<TraceSummary>>;

/// A timeline file that is being written.
#[derive(Debug)]
pub(crate) struct TraceFile {
    file: EncodedFile,
    path: PathBuf,
    /// The duration of a limited recording, and the channel for its outcome. `None` for a recording
    /// that lasts as long as the runtime.
    limit: Option<(Duration, Reply)>,
    /// The time at which a limited recording ends, on the recorder thread's clock, which sets it.
    until: Option<Instant>,
    /// How many CPU samples to take in a second of each thread's CPU time, or none.
    cpu: Option<NonZeroU32>,
}

impl TraceFile {
    /// Creates the file, or truncates an existing file.
    pub(crate) fn create(path: &Path, cpu: Option<NonZeroU32>, limit: Option<(Duration, Reply)>) -> io::Result<Self> {
        let file = EncodedFile::begin(File::create(path)?);
        Ok(Self { file, path: path.into(), limit, until: None, cpu })
    }

    /// Returns how many CPU samples the file is to have for a second of CPU time, if any.
    pub(super) fn cpu(&self) -> Option<NonZeroU32> {
        self.cpu
    }

    /// Starts the time limit of the recording.
    pub(super) fn begin(mut self) -> Self {
        self.until = self.limit.as_ref().map(|(duration, _)| Instant::now() + *duration);
        self
    }

    /// Returns whether the time limit has passed, or the program has stopped waiting.
    pub(crate) fn is_due(&self) -> bool {
        self.until.is_some_and(|until| until <= Instant::now())
            || self.limit.as_ref().is_some_and(|(_, reply)| reply.is_closed())
    }

    /// Returns when a limited recording ends, or `None` without a limit.
    pub(crate) fn until(&self) -> Option<Instant> {
        self.until
    }

    /// Writes a batch of events to the file.
    pub(crate) fn add(&mut self, batch: &EventBatch, context: EncodeContext<'_>) -> io::Result<()> {
        self.file.add(batch, context)
    }

    /// Completes the file, and reports the outcome to the waiting program.
    pub(crate) fn end(self, until: u64, context: EncodeContext<'_>) {
        let Self { file, path, limit, .. } = self;
        let summary = |FileSummary { events, dropped, bytes }| TraceSummary { events, dropped, bytes };
        report_outcome(&path, limit, file.end(until, context).map(summary));
    }

    /// Stops after an error and reports the error. Nothing more is written.
    pub(crate) fn fail(self, error: io::Error) {
        report_outcome(&self.path, self.limit, Err(error));
    }
}

fn report_outcome(path: &Path, limit: Option<(Duration, Reply)>, outcome: io::Result<TraceSummary>) {
    match (limit, outcome) {
        // The program may have stopped waiting.
        (Some((_, reply)), outcome) => _ = reply.send(outcome),
        (None, Err(error)) => report_failure(path, &error),
        (None, Ok(_)) => {}
    }
}

/// Reports to standard error that the timeline cannot be written, or not any further.
pub(crate) fn report_failure(path: &Path, error: &io::Error) {
    let path = path.display();
    report(format_args!(
        "the timeline cannot be written to {path}: {error}; the program continues, and nothing more is recorded there"
    ));
}

/// Returns a copy of an I/O error, which is not `Clone`.
pub(crate) fn copy_of(error: &io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(number) => io::Error::from_raw_os_error(number),
        None => io::Error::new(error.kind(), error.to_string()),
    }
}
