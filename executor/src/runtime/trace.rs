//! Recording the timeline of a running program through a runtime handle.

use std::future::Future;
use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use wsrt_sync::oneshot;

use super::{Handle, TraceSummary};

/// A year: a longer recording lasts forever.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 3_600);

/// Completes when the file of a recording is complete. Returned by [`Handle::trace_for`].
///
/// Returns a [`TraceSummary`], or the error that ended the recording. Dropping it ends the
/// recording.
#[derive(Debug)]
#[must_use = "dropping it ends the recording"]
pub struct Recording {
    /// The error if no recording was begun, until a poll returns it.
    outcome: Result<oneshot::Receiver<io::Result<TraceSummary>>, Option<io::Error>>,
}

impl Future for Recording {
    type Output = io::Result<TraceSummary>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        // The recorder drops a reply unsent only when its thread has panicked.
        let failed = || io::Error::other("the recorder of the timeline has failed");
        match &mut self.outcome {
            Ok(outcome) => Pin::new(outcome).poll(context).map(|sent| sent.unwrap_or_else(|_| Err(failed()))),
            Err(error) => Poll::Ready(Err(error.take().unwrap_or_else(failed))),
        }
    }
}

impl Handle {
    /// Records a timeline of the runtime to the file at `path`, from this call on, for `duration`.
    ///
    /// The file can be opened in Perfetto (<https://ui.perfetto.dev>). An existing file is
    /// overwritten.
    ///
    /// The timeline has a track for each processor, with a slice for each poll. A slice shows the
    /// task's name or spawn location, the queue in which the task was found, and how long the task
    /// waited there. Arrows lead from the code that wakes a task to the poll that follows. Other
    /// tracks show the netpoller, each thread, and the lengths of the queues.
    ///
    /// During the recording, each poll and each wake costs some tens of nanoseconds more. If events
    /// occur faster than the recording thread can write them to the file, some events are dropped.
    /// The number of dropped events is in the summary and in the file. A runtime can record to
    /// several files at once. The recording does not need a processor, so it continues and ends on
    /// time even if all processors are stuck.
    ///
    /// # Errors
    ///
    /// Returns the operating system's error if the file cannot be created or written, or if the
    /// system refuses to create a thread. Returns an error if the runtime has shut down. The part
    /// of the file that was written by then is kept.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the recording within a few milliseconds and leaves a complete file.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// let path = std::env::temp_dir().join(format!("wsrt-trace-for-{}.perfetto-trace", std::process::id()));
    /// let summary = runtime.block_on(runtime.handle().trace_for(Duration::from_millis(50), &path))?;
    /// assert_eq!(std::fs::metadata(&path)?.len(), summary.bytes);
    /// # std::fs::remove_file(path)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn trace_for(&self, duration: Duration, path: impl AsRef<Path>) -> Recording {
        let scheduler = self.scheduler();
        let outcome = scheduler.observer.trace_for(scheduler.me.clone(), path.as_ref(), duration.min(LONGEST));
        Recording { outcome: outcome.map_err(Some) }
    }

    /// Writes the events that the flight recorder holds to a file, and returns the file's path.
    ///
    /// # Errors
    ///
    /// Returns an error if the runtime has no [`FlightRecorder`](crate::runtime::FlightRecorder).
    /// Returns the operating system's error if the file cannot be created or written.
    ///
    /// # Cancel safety
    ///
    /// The file is written even if the future is dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::runtime::{Builder, FlightRecorder};
    ///
    /// let path = std::env::temp_dir().join(format!("wsrt-flight-{}.perfetto-trace", std::process::id()));
    /// let runtime = Builder::new_multi_thread().flight_recorder(FlightRecorder::new(path)).build()?;
    /// let record = runtime.block_on(runtime.handle().write_flight_record())?;
    /// println!("open {} in Perfetto", record.display());
    /// # std::fs::remove_file(record)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn write_flight_record(&self) -> impl Future<Output = io::Result<PathBuf>> + Send + use<> {
        let result = self.scheduler().observer.write_flight_record();
        async move { result.await.unwrap_or_else(|_| Err(io::Error::other("the runtime has shut down"))) }
    }
}
