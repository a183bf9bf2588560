//! A directory of timelines: which one, and within which limits. What is written there, and what is
//! deleted, is in `wsrt_trace::files`.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use wsrt_trace::encode::{EncodeContext, EventBatch};
use wsrt_trace::files::{PAUSE, Segments};

use crate::util::report::report;

/// A directory to which a runtime writes its whole timeline, in segments. Pass the configuration to
/// [`Builder::trace_directory`](crate::runtime::Builder::trace_directory).
///
/// Each segment is a file that can be opened by itself. Its name ends in `.perfetto-trace` once it
/// is complete, and in `.perfetto-trace.part` before: if the process is killed, what was written of
/// its last segment is left under that name.
///
/// The oldest segments are deleted so that all segments together need no more room than
/// [`max_bytes`](Self::max_bytes). Segments of runs that have ended count, and are deleted as well:
/// on Unix, where a locked file shows which runs last. Segments of other processes and runtimes
/// that still run do not count, and other files in the directory are left alone.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use wsrt::runtime::{Builder, TraceDirectory};
///
/// let path = std::env::temp_dir().join(format!("wsrt-traces-{}", std::process::id()));
/// let traces = TraceDirectory::new(&path).max_bytes(64 << 20).segment(Duration::from_secs(10));
/// let runtime = Builder::new_multi_thread().trace_directory(traces).build()?;
/// runtime.run(async { wsrt::task::yield_now().await });
/// drop(runtime);
/// assert_eq!(std::fs::read_dir(&path)?.count(), 1);
/// # std::fs::remove_dir_all(path)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TraceDirectory {
    path: PathBuf,
    max_bytes: u64,
    segment: Duration,
}

impl TraceDirectory {
    /// Creates a configuration that writes to the directory at `path`, which is created if it does
    /// not exist.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), max_bytes: 1 << 30, segment: Duration::from_secs(60) }
    }

    /// Sets how much room the segments may take, in bytes. The default is 1 GiB. The segment that
    /// is being written may exceed the limit by what the program records in 16 ms.
    ///
    /// A segment takes an eighth of this at most, so a busy program has shorter segments than
    /// [`segment`](Self::segment) says. A small file counts as 1/1024 of this, which limits the
    /// number of files.
    #[must_use]
    pub fn max_bytes(mut self, bytes: u64) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// Sets the time after which a new segment begins. The default is 60 seconds. A segment without
    /// an event is continued.
    #[must_use]
    pub fn segment(mut self, duration: Duration) -> Self {
        self.segment = duration;
        self
    }

    pub(super) fn segments(self) -> Segments {
        Segments::new(&self.path, self.max_bytes, self.segment)
    }
}

/// Writes a batch, and reports an error.
pub(super) fn add(segments: &mut Segments, batch: &EventBatch, context: EncodeContext<'_>) {
    if let Err(error) = segments.add(batch, context) {
        report_failure(segments.path(), &error);
    }
}

/// Completes the segments, and reports an error.
pub(super) fn end(segments: Segments, until: u64, context: EncodeContext<'_>) {
    let path = segments.path().to_owned();
    if let Err(error) = segments.end(until, context) {
        report_failure(&path, &error);
    }
}

fn report_failure(path: &Path, error: &io::Error) {
    report(format_args!(
        "the timeline cannot be written to the directory {}: {error}; the program continues, and recording is tried again \
         every {} s",
        path.display(),
        PAUSE.as_secs()
    ));
}
