//! A timeline in segments: files in a directory, each complete by itself, of which the oldest are
//! deleted when all of them need more room than they may.
//!
//! | file | contents |
//! |---|---|
//! | `server-1764331034123-4242-1-000017.perfetto-trace` | segment 17 of a run |
//! | `server-1764331034123-4242-1-000018.perfetto-trace.part` | the segment that is being written, or that a crash has cut off |
//! | `server-1764331034123-4242-1.lock` | nothing: it is locked while the run lasts |
//!
//! A run is a runtime of a process: the program, the time of its start in milliseconds, the process
//! and the number of the runtime there. A run deletes its own segments, and the segments of runs
//! that have ended: their lock files are not locked, however the runs have ended.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant, SystemTime};

use super::encoded_file::EncodedFile;
use super::lock::try_lock;
use crate::encode::{EncodeContext, EventBatch};

/// The extension of a complete segment, and of one that is being written.
const COMPLETE: &str = ".perfetto-trace";
const PART: &str = ".perfetto-trace.part";
/// The extension of a lock file.
const LOCK: &str = ".lock";
/// The part of the budget that one segment takes at most.
const SHARE: u64 = 8;
/// The number of files that the budget is enough for, however small the files are.
const MOST_FILES: u64 = 1024;
/// The time after which recording is tried again after a failure.
pub const PAUSE: Duration = Duration::from_secs(10);

/// Where segments are, and their limits.
#[derive(Debug)]
struct SegmentStore {
    path: PathBuf,
    /// The number of bytes that all segments may take, without the segments of other runs that have
    /// not ended.
    max_bytes: u64,
    /// The duration of a segment.
    segment: Duration,
}

impl SegmentStore {
    /// Returns how many bytes count for a file of `bytes` bytes.
    fn counted(&self, bytes: u64) -> u64 {
        bytes.max(self.max_bytes / MOST_FILES)
    }

    fn files(&self) -> io::Result<Vec<SegmentFile>> {
        let entries = fs::read_dir(&self.path)?;
        Ok(entries.filter_map(|entry| SegmentFile::of(&entry.ok()?)).collect())
    }

    fn lock_file(&self, run: &str) -> PathBuf {
        self.path.join(format!("{run}{LOCK}"))
    }

    /// Returns whether a run has ended: nobody holds its lock. Returns `false` without the right to
    /// look.
    fn has_ended(&self, run: &str) -> bool {
        match File::open(self.lock_file(run)) {
            Ok(file) => try_lock(&file).unwrap_or(false),
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        }
    }
}

/// A segment's file, as found in the directory.
#[derive(Debug)]
struct SegmentFile {
    path: PathBuf,
    run: String,
    bytes: u64,
    modified: SystemTime,
}

impl SegmentFile {
    /// Returns `None` for a file that is no segment.
    fn of(entry: &fs::DirEntry) -> Option<Self> {
        let name = entry.file_name().into_string().ok()?;
        let run = run_of(name.strip_suffix(COMPLETE).or_else(|| name.strip_suffix(PART))?)?.to_owned();
        let metadata = entry.metadata().ok().filter(fs::Metadata::is_file)?;
        Some(Self { path: entry.path(), run, bytes: metadata.len(), modified: metadata.modified().ok()? })
    }
}

/// Returns the run of a segment's name without its extension, or `None` if it is no such name.
fn run_of(stem: &str) -> Option<&str> {
    let (run, _) = stem.rsplit_once('-')?;
    let mut fields = stem.rsplit('-');
    let is_number = |field: &str| !field.is_empty() && field.bytes().all(|byte| byte.is_ascii_digit());
    let are_numbers = fields.by_ref().take(4).filter(|field| is_number(field)).count() == 4;
    (are_numbers && fields.next().is_some()).then_some(run)
}

/// Returns the name of a new run of this process.
fn new_run() -> String {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let program = std::env::current_exe().ok();
    let program = program.as_deref().and_then(Path::file_stem).and_then(|name| name.to_str()).unwrap_or("program");
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let number = RUNS.fetch_add(1, Relaxed) + 1;
    format!("{program}-{}-{}-{number}", since.as_millis(), std::process::id())
}

/// The segments of one run, as the recorder writes them.
#[derive(Debug)]
pub struct Segments {
    store: SegmentStore,
    run: String,
    /// The run's lock file, which is locked.
    lock: Option<File>,
    /// The number of the last segment.
    last: u32,
    open: Option<OpenSegment>,
    /// The time of the last failure, after which nothing was recorded.
    failed: Option<Instant>,
}

/// The segment that is being written.
#[derive(Debug)]
struct OpenSegment {
    file: EncodedFile,
    part: PathBuf,
    complete: PathBuf,
    begun: Instant,
    /// The end of the first batch.
    first: u64,
}

impl Segments {
    /// Creates a writer for a new run of this process. The directory at `path` is created with the
    /// first segment. All segments take `max_bytes` bytes at most, and each lasts for `segment` at
    /// most, if it has events.
    pub fn new(path: &Path, max_bytes: u64, segment: Duration) -> Self {
        let store = SegmentStore { path: path.into(), max_bytes, segment };
        Self { store, run: new_run(), lock: None, last: 0, open: None, failed: None }
    }

    /// Returns the directory.
    pub fn path(&self) -> &Path {
        &self.store.path
    }

    /// Returns the end of the oldest batch of the open segment, or `u64::MAX` if there is none.
    pub fn oldest(&self) -> u64 {
        self.open.as_ref().map_or(u64::MAX, |open| open.first)
    }

    /// Writes a batch to the open segment, or to a new one if the open segment is full. After a
    /// failure, batches are dropped for the time of [`PAUSE`]; then a new segment is tried.
    ///
    /// # Errors
    ///
    /// Returns an error if writing has failed, unless it has failed the last time, too.
    pub fn add(&mut self, batch: &EventBatch, context: EncodeContext<'_>) -> io::Result<()> {
        if self.failed.is_some_and(|failed| failed.elapsed() < PAUSE) {
            return Ok(());
        }
        let written = self.try_add(batch, context);
        let failed = written.as_ref().err().map(|_| Instant::now());
        match std::mem::replace(&mut self.failed, failed) {
            Some(_) => Ok(()),
            None => written,
        }
    }

    fn try_add(&mut self, batch: &EventBatch, context: EncodeContext<'_>) -> io::Result<()> {
        let mut open = match self.open.take() {
            Some(open) => open,
            None => self.begin(batch.until)?,
        };
        if let Err(error) = open.file.add(batch, context) {
            open.discard();
            return Err(error);
        }
        let is_over = open.file.has_events() && open.begun.elapsed() >= self.store.segment;
        if is_over || open.file.written() >= self.store.max_bytes / SHARE {
            return open.end(batch.until, context);
        }
        self.open = Some(open);
        Ok(())
    }

    /// Begins a segment, whose first batch ends at `first`.
    fn begin(&mut self, first: u64) -> io::Result<OpenSegment> {
        fs::create_dir_all(&self.store.path)?;
        if self.lock.is_none() {
            let lock = File::create(self.store.lock_file(&self.run))?;
            // Where files cannot be locked, no run deletes the segments of another.
            let _ = try_lock(&lock);
            self.lock = Some(lock);
        }
        self.make_room()?;
        self.last += 1;
        let name = self.store.path.join(format!("{}-{:06}", self.run, self.last));
        let [part, complete] = [PART, COMPLETE].map(|extension| {
            let mut path = name.clone().into_os_string();
            path.push(extension);
            PathBuf::from(path)
        });
        let file = EncodedFile::begin(File::create(&part)?);
        Ok(OpenSegment { file, part, complete, begun: Instant::now(), first })
    }

    /// Deletes the oldest segments until there is room for another one. A file that cannot be
    /// deleted, such as another user's, is left.
    fn make_room(&self) -> io::Result<()> {
        let store = &self.store;
        let mut files = store.files()?;
        let runs: BTreeSet<String> = files.iter().map(|file| file.run.clone()).collect();
        let ended: BTreeSet<_> = runs.into_iter().filter(|run| *run != self.run && store.has_ended(run)).collect();
        files.retain(|file| file.run == self.run || ended.contains(&file.run));
        files.sort_by(|one, other| (one.modified, &one.path).cmp(&(other.modified, &other.path)));
        let next = store.max_bytes / SHARE;
        let mut bytes = files.iter().fold(next, |sum, file| sum.saturating_add(store.counted(file.bytes)));
        files.retain(|file| {
            let is_deleted = bytes > store.max_bytes && fs::remove_file(&file.path).is_ok();
            bytes -= if is_deleted { store.counted(file.bytes) } else { 0 };
            !is_deleted
        });
        for run in ended.iter().filter(|run| !files.iter().any(|file| file.run == **run)) {
            let _ = fs::remove_file(store.lock_file(run));
        }
        Ok(())
    }

    /// Completes the last segment.
    ///
    /// # Errors
    ///
    /// Returns an error if the segment could not be written.
    pub fn end(mut self, until: u64, context: EncodeContext<'_>) -> io::Result<()> {
        let ended = self.open.take().map_or(Ok(()), |open| open.end(until, context));
        if self.lock.take().is_some() {
            let _ = fs::remove_file(self.store.lock_file(&self.run));
        }
        ended
    }
}

impl OpenSegment {
    /// Completes the segment, or deletes it if that fails.
    fn end(self, until: u64, context: EncodeContext<'_>) -> io::Result<()> {
        let Self { file, part, complete, .. } = self;
        let ended = file.end(until, context).and_then(|_| fs::rename(&part, complete));
        if ended.is_err() {
            let _ = fs::remove_file(part);
        }
        ended
    }

    /// Deletes the segment: on a full disk, that makes room for others' files.
    fn discard(self) {
        let Self { file, part, .. } = self;
        drop(file);
        let _ = fs::remove_file(part);
    }
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests {
    use super::*;

    #[test]
    fn only_a_runs_own_names_are_segments() {
        assert_eq!(run_of("my-server-1764331034123-42-1-000017"), Some("my-server-1764331034123-42-1"));
        assert_eq!(run_of(&format!("{}-000001", new_run())).map(|run| run.ends_with("-000001")), Some(false));
        for other in ["flight-1", "server", "1-2-3-4", "server-1-2-3-x", "server-1-2--4", ""] {
            assert_eq!(run_of(other), None, "{other}");
        }
    }
}
