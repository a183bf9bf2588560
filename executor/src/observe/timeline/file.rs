//! A timeline that is written to a file batch by batch.

use std::fs::File;
use std::io::{self, Write};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use wsrt_sync::oneshot;
use wsrt_trace::encode::{EncodeContext, Encoder, EventBatch};

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
    encoder: Encoder,
    file: File,
    path: PathBuf,
    written: u64,
    bytes: Vec<u8>,
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
        let (encoder, file) = (Encoder::begin(), File::create(path)?);
        Ok(Self { encoder, file, path: path.into(), written: 0, bytes: Vec::new(), limit, until: None, cpu })
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
        self.encoder.add(batch, context);
        self.write()
    }

    /// Completes the file, and reports the outcome to the waiting program.
    pub(crate) fn end(mut self, until: u64, context: EncodeContext<'_>) {
        self.encoder.end(until, context);
        match self.write() {
            Ok(()) => {
                let ((events, dropped), bytes) = (self.encoder.counts(), self.written);
                self.reply(Ok(TraceSummary { events, dropped, bytes }));
            }
            Err(error) => self.fail(error),
        }
    }

    /// Stops after an error and reports the error. Nothing more is written.
    pub(crate) fn fail(self, error: io::Error) {
        if self.limit.is_none() {
            report_failure(&self.path, &error);
        }
        self.reply(Err(error));
    }

    fn reply(self, result: io::Result<TraceSummary>) {
        if let Some((_, reply)) = self.limit {
            // The program may have stopped waiting.
            let _ = reply.send(result);
        }
    }

    fn write(&mut self) -> io::Result<()> {
        self.encoder.take(&mut self.bytes);
        self.file.write_all(&self.bytes)?;
        self.written += self.bytes.len() as u64;
        Ok(())
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
