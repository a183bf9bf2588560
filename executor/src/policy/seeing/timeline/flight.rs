//! The flight recorder: the last seconds are kept in memory, and written when something has happened.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::sync::oneshot;
use wsrt_trace::encode::{Batch, Entry, Sample, Scene, Story};

use super::file::copy_of;
use crate::base::report::report;

/// Records that are written of a runtime's own accord, at most: a program that stalls all the time is not to fill the disk.
const MOST_OF_OWN_ACCORD: u32 = 16;

/// Keeps the last seconds of the timeline in memory, and writes them to a file when a poll is reported as a stall, a task panics,
/// or [`Handle::write_flight_record`](crate::runtime::Handle::write_flight_record) is called. Given to
/// [`Builder::flight_recorder`](crate::runtime::Builder::flight_recorder).
///
/// Each record is a file of its own: `flight.perfetto-trace` becomes `flight-1.perfetto-trace`, `flight-2.perfetto-trace` and so on;
/// files of an earlier run are written over. Of its own accord the runtime writes no more than one record in the time that
/// is kept, and 16 in all.
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
    /// Writes records beside `path`, with a number added to its name.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), keep: Duration::from_secs(10), max_bytes: 64 << 20 }
    }

    /// Keeps so much of the past. The default is 10 seconds. Less is kept when that takes more than
    /// [`max_bytes`](Self::max_bytes).
    #[must_use]
    pub fn keep(mut self, duration: Duration) -> Self {
        self.keep = duration;
        self
    }

    /// Keeps so many bytes in memory at most, at 40 bytes an event. The default is 64 MiB, which is about 1.6 million events.
    #[must_use]
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }
}

/// A record that is asked for.
#[derive(Debug)]
pub(crate) enum Wanted {
    /// Something has happened.
    OfOwnAccord,
    /// Somebody waits for its path.
    OnDemand(oneshot::Sender<io::Result<PathBuf>>),
}

impl Wanted {
    /// There is no flight recorder.
    pub(crate) fn refuse(self) {
        self.reply(|| {
            let message = "this runtime has no flight recorder: it takes `Builder::flight_recorder`";
            Err(io::Error::new(io::ErrorKind::Unsupported, message))
        });
    }

    fn reply(self, result: impl FnOnce() -> io::Result<PathBuf>) {
        if let Self::OnDemand(reply) = self {
            // Whoever does not wait any more does not want to know.
            let _ = reply.send(result());
        }
    }
}

/// What is kept.
#[derive(Debug)]
pub(crate) struct Flight {
    config: FlightRecorder,
    kept: VecDeque<Batch>,
    bytes: usize,
    /// How many records were written, and of these of the runtime's own accord.
    records: u32,
    own: u32,
    /// When the last one of its own accord was written, by the monotonic clock.
    last: Option<u64>,
    is_failure_said: bool,
}

impl Flight {
    pub(crate) fn new(config: FlightRecorder) -> Self {
        Self { config, kept: VecDeque::new(), bytes: 0, records: 0, own: 0, last: None, is_failure_said: false }
    }

    /// Keeps a batch, and lets go of what is too old or too much.
    pub(crate) fn keep(&mut self, batch: &Batch, scene: Scene<'_>) {
        self.bytes += size(batch);
        self.kept.push_back(batch.clone());
        let now = scene.anchors.nanos(batch.until);
        let oldest = now.saturating_sub(u64::try_from(self.config.keep.as_nanos()).unwrap_or(u64::MAX));
        while let Some(first) = self.kept.front() {
            if self.bytes <= self.config.max_bytes && scene.anchors.nanos(first.until) >= oldest {
                break;
            }
            self.bytes -= size(first);
            self.kept.pop_front();
        }
    }

    /// Writes the records that are wanted: one is enough for all.
    pub(crate) fn write_records(&mut self, wanted: Vec<Wanted>, until: u64, scene: Scene<'_>) {
        let (of_own_accord, on_demand): (Vec<_>, Vec<_>) =
            wanted.into_iter().partition(|wanted| matches!(wanted, Wanted::OfOwnAccord));
        let now = scene.anchors.nanos(until);
        let is_due = !of_own_accord.is_empty() && self.may_write_of_own_accord(now);
        if on_demand.is_empty() && !is_due {
            return;
        }
        if is_due {
            self.own += 1;
            self.last = Some(now);
        }
        let path = self.next_path();
        let result = self.write_record(&path, until, scene);
        match &result {
            Ok(()) if is_due => report(format_args!("the last moments of the timeline are in {}", path.display())),
            Err(error) if is_due && !std::mem::replace(&mut self.is_failure_said, true) => {
                let path = path.display();
                report(format_args!("the flight recorder could not write a record: {path}: {error} (said once)"));
            }
            _ => {}
        }
        for wanted in on_demand {
            wanted.reply(|| match &result {
                Ok(()) => Ok(path.clone()),
                Err(error) => Err(copy_of(error)),
            });
        }
    }

    fn may_write_of_own_accord(&self, now: u64) -> bool {
        let is_soon = self.last.is_some_and(|last| Duration::from_nanos(now - last) < self.config.keep);
        !is_soon && self.own < MOST_OF_OWN_ACCORD
    }

    fn next_path(&mut self) -> PathBuf {
        self.records += 1;
        numbered(&self.config.path, self.records)
    }

    fn write_record(&self, path: &Path, until: u64, scene: Scene<'_>) -> io::Result<()> {
        let mut file = File::create(path)?;
        let (mut story, mut bytes) = (Story::begin(), Vec::new());
        for batch in &self.kept {
            story.tell(batch, scene);
            story.take(&mut bytes);
            file.write_all(&bytes)?;
        }
        story.end(until, scene);
        story.take(&mut bytes);
        file.write_all(&bytes)
    }
}

fn size(batch: &Batch) -> usize {
    batch.entries.len() * size_of::<Entry>() + batch.samples.len() * size_of::<Sample>() + size_of::<Batch>()
}

/// `path` with a number before its extension.
pub(crate) fn numbered(path: &Path, number: u32) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{number}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_goes_before_the_extension() {
        assert_eq!(numbered(Path::new("/a/b.perfetto-trace"), 2), Path::new("/a/b-2.perfetto-trace"));
        assert_eq!(numbered(Path::new("b"), 3), Path::new("b-3"));
    }
}
