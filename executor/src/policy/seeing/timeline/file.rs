//! A timeline that goes to a file as it comes.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use tokio::sync::oneshot;
use wsrt_trace::encode::{Batch, Scene, Story};

use crate::base::report::report;

/// What a recording has come to.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
///
/// let runtime = wsrt::runtime::Runtime::new()?;
/// let path = std::env::temp_dir().join(format!("wsrt-summary-{}.perfetto-trace", std::process::id()));
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
    /// Events that were recorded. One becomes one to three packets of the file.
    pub events: u64,
    /// Events that were not, since a thread's buffer was full. The file says where.
    pub dropped: u64,
    /// The size of the file.
    pub bytes: u64,
}

/// Who is told of the end.
pub(crate) type Reply = oneshot::Sender<io::Result<TraceSummary>>;

/// A file that is being written.
#[derive(Debug)]
pub(crate) struct TraceFile {
    story: Story,
    file: File,
    path: PathBuf,
    written: u64,
    bytes: Vec<u8>,
    /// When it is to end, if before the runtime does, and who waits for that.
    until: Option<(Instant, Reply)>,
}

impl TraceFile {
    /// Makes the file; one that is there already is emptied.
    pub(crate) fn create(path: &Path, until: Option<(Instant, Reply)>) -> Result<Self, (io::Error, Option<Reply>)> {
        match File::create(path) {
            Ok(file) => {
                Ok(Self { story: Story::begin(), file, path: path.into(), written: 0, bytes: Vec::new(), until })
            }
            Err(error) => Err((error, until.map(|(_, reply)| reply))),
        }
    }

    /// Whether its time is over, or nobody waits for it any more.
    pub(crate) fn is_due(&self) -> bool {
        self.until.as_ref().is_some_and(|(until, reply)| *until <= Instant::now() || reply.is_closed())
    }

    /// When it is to end.
    pub(crate) fn until(&self) -> Option<Instant> {
        self.until.as_ref().map(|(until, _)| *until)
    }

    /// Writes what has happened.
    pub(crate) fn tell(&mut self, batch: &Batch, scene: Scene<'_>) -> io::Result<()> {
        self.story.tell(batch, scene);
        self.write()
    }

    /// Ends the file, and says so to whoever waits.
    pub(crate) fn end(mut self, until: u64, scene: Scene<'_>) {
        self.story.end(until, scene);
        match self.write() {
            Ok(()) => {
                let summary = self.summary();
                self.reply(Ok(summary));
            }
            Err(error) => self.fail(&error),
        }
    }

    /// Gives up. Said once, since nothing more will be written.
    pub(crate) fn fail(self, error: &io::Error) {
        if self.until.is_none() {
            report_failure(&self.path, error);
        }
        self.reply(Err(copy_of(error)));
    }

    fn reply(self, result: io::Result<TraceSummary>) {
        if let Some((_, reply)) = self.until {
            // Whoever does not wait any more does not want to know.
            let _ = reply.send(result);
        }
    }

    fn summary(&self) -> TraceSummary {
        let (events, dropped) = self.story.counts();
        TraceSummary { events, dropped, bytes: self.written }
    }

    fn write(&mut self) -> io::Result<()> {
        self.story.take(&mut self.bytes);
        self.file.write_all(&self.bytes)?;
        self.written += self.bytes.len() as u64;
        Ok(())
    }
}

/// Says that there will be no timeline, or no more of it.
pub(crate) fn report_failure(path: &Path, error: &io::Error) {
    report(format_args!("no timeline is recorded any more: {}: {error}; the program goes on", path.display()));
}

/// The same error once more, for another who is to be told.
pub(crate) fn copy_of(error: &io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(number) => io::Error::from_raw_os_error(number),
        None => io::Error::new(error.kind(), error.to_string()),
    }
}
