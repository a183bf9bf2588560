//! The timeline of a running program, recorded through a handle.

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

/// A future of a recording, which completes when the file is complete. Made by
/// [`Handle::trace_for`].
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
    /// Records the timeline of the runtime for `duration`, from this call on, to the file at
    /// `path`, which Perfetto opens (<https://ui.perfetto.dev>). An existing file is overwritten.
    ///
    /// There is a track for each processor, with a slice for each poll, named by its task's name or
    /// spawn site; arrows lead from the waker of a task to the poll that follows; each poll shows
    /// where its task was found, and how long it had waited. There are tracks for the netpoller
    /// and each thread, and counters of queue lengths.
    ///
    /// Each poll and each wake costs some tens of nanoseconds more. Events that come faster than
    /// the thread can write them to the file are left out, and counted in the summary and in the
    /// file. A runtime may record to several files at once. The recording needs no processor: it
    /// continues, and ends, even if all of them are stuck.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the file cannot be made or written, or the system refuses a thread;
    /// an error if the runtime has shut down. The part that was written stays.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the recording within some milliseconds, with a complete file.
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

    /// Writes the events that the flight recorder keeps to a file, and returns its path.
    ///
    /// # Errors
    ///
    /// Returns an error if the runtime has no [`FlightRecorder`](crate::runtime::FlightRecorder),
    /// and the OS error if the file cannot be made or written.
    ///
    /// # Cancel safety
    ///
    /// The record is written even if the future is dropped.
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
