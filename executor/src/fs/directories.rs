//! Directories: creates, removes and reads them.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::{FileType, Metadata};
use std::future::poll_fn;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use crate::fs::file_system::{Entries, Entry};
use crate::fs::paths::on_path;
use crate::io::offload::{Lent, begin, offload};

/// Creates an empty directory.
///
/// # Errors
///
/// Returns the OS error when the path exists, its parent does not, or the OS refuses the call.
///
/// # Cancel safety
///
/// Not cancel safe: a dropped call may or may not take effect.
///
/// # Examples
///
/// ```
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let path = std::env::temp_dir().join(format!("wsrt-create-dir-{}", std::process::id()));
/// wsrt::fs::create_dir(&path).await?;
/// assert!(wsrt::fs::create_dir(&path).await.is_err());
/// wsrt::fs::remove_dir(&path).await?;
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
pub async fn create_dir(path: impl AsRef<Path>) -> io::Result<()> {
    on_path("fs::create_dir", path.as_ref(), |system, path| system.create_dir(path)).await
}

/// Creates a directory and all of its missing parents. Succeeds if the directory already exists.
///
/// # Errors
///
/// Returns the OS error when a component of the path exists but is not a directory, or the OS
/// refuses the call. Some parents may already have been created when the call fails.
///
/// # Cancel safety
///
/// Not cancel safe: a dropped call may or may not take effect.
///
/// # Examples
///
/// ```
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let path = std::env::temp_dir().join(format!("wsrt-create-dir-all-{}", std::process::id()));
/// wsrt::fs::create_dir_all(path.join("a/b")).await?;
/// wsrt::fs::create_dir_all(path.join("a/b")).await?;
/// wsrt::fs::remove_dir_all(&path).await?;
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
pub async fn create_dir_all(path: impl AsRef<Path>) -> io::Result<()> {
    on_path("fs::create_dir_all", path.as_ref(), |system, path| system.create_dir_all(path)).await
}

/// Removes an empty directory.
///
/// # Errors
///
/// Returns the OS error when the path does not name an empty directory, or the OS refuses the call.
///
/// # Cancel safety
///
/// Not cancel safe: a dropped call may or may not take effect.
///
/// # Examples
///
/// ```
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let path = std::env::temp_dir().join(format!("wsrt-remove-dir-{}", std::process::id()));
/// wsrt::fs::create_dir_all(path.join("inner")).await?;
/// let error = wsrt::fs::remove_dir(&path).await.unwrap_err();
/// assert_eq!(error.kind(), std::io::ErrorKind::DirectoryNotEmpty);
/// wsrt::fs::remove_dir_all(&path).await?;
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
pub async fn remove_dir(path: impl AsRef<Path>) -> io::Result<()> {
    on_path("fs::remove_dir", path.as_ref(), |system, path| system.remove_dir(path)).await
}

/// Removes a directory with everything inside it. Symbolic links are removed, not followed.
///
/// # Errors
///
/// Returns the OS error when the path does not exist or is not a directory, or the OS refuses the
/// call. Part of the contents may already have been removed when the call fails.
///
/// # Cancel safety
///
/// Not cancel safe: a dropped call may or may not take effect.
///
/// # Examples
///
/// ```
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let path = std::env::temp_dir().join(format!("wsrt-remove-dir-all-{}", std::process::id()));
/// wsrt::fs::create_dir_all(path.join("a/b/c")).await?;
/// wsrt::fs::remove_dir_all(&path).await?;
/// assert!(!wsrt::fs::try_exists(&path).await?);
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
pub async fn remove_dir_all(path: impl AsRef<Path>) -> io::Result<()> {
    on_path("fs::remove_dir_all", path.as_ref(), |system, path| system.remove_dir_all(path)).await
}

/// A builder that creates directories with the chosen options.
///
/// # Examples
///
/// ```
/// use std::os::unix::fs::PermissionsExt;
/// use wsrt::fs::DirBuilder;
///
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let path = std::env::temp_dir().join(format!("wsrt-dir-builder-{}", std::process::id()));
/// DirBuilder::new().recursive(true).mode(0o700).create(path.join("private")).await?;
/// assert_eq!(wsrt::fs::metadata(path.join("private")).await?.permissions().mode() & 0o777, 0o700);
/// wsrt::fs::remove_dir_all(&path).await?;
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct DirBuilder {
    recursive: bool,
    #[cfg(unix)]
    mode: Option<u32>,
}

impl DirBuilder {
    /// Creates a builder that creates a single directory, like [`create_dir`].
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets whether to create missing parent directories and to accept a directory that already
    /// exists. The default is `false`.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// # let root = std::env::temp_dir().join(format!("wsrt-doc-recursive-{}", std::process::id()));
    /// wsrt::fs::DirBuilder::new().recursive(true).create(root.join("a/b")).await?;
    /// assert!(wsrt::fs::metadata(root.join("a/b")).await?.is_dir());
    /// # wsrt::fs::remove_dir_all(&root).await?;
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub fn recursive(&mut self, recursive: bool) -> &mut Self {
        self.recursive = recursive;
        self
    }

    /// Sets the permission bits of created directories. The OS clears the bits that are set in the
    /// process's `umask`. The default is 0o777. Available on Unix only.
    #[cfg(unix)]
    pub fn mode(&mut self, mode: u32) -> &mut Self {
        self.mode = Some(mode);
        self
    }

    /// Creates a directory at `path` with the options of this builder.
    ///
    /// # Errors
    ///
    /// Returns the OS error when the path already exists, its parent does not exist, or the OS
    /// refuses the call. With [`recursive`](Self::recursive), neither an existing directory nor a
    /// missing parent is an error. parent is an error.
    /// # Cancel safety
    ///
    /// Not cancel safe: a dropped call may or may not take effect.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// # let path = std::env::temp_dir().join(format!("wsrt-doc-dir-{}", std::process::id()));
    /// wsrt::fs::DirBuilder::new().create(&path).await?;
    /// # wsrt::fs::remove_dir(&path).await?;
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub async fn create(&self, path: impl AsRef<Path>) -> io::Result<()> {
        let (is_recursive, mode) = (self.recursive, self.permissions());
        on_path("DirBuilder::create", path.as_ref(), move |system, path| system.make_dir(path, is_recursive, mode))
            .await
    }

    /// Returns the permission bits that were set, if any.
    fn permissions(&self) -> Option<u32> {
        #[cfg(unix)]
        return self.mode;
        #[cfg(not(unix))]
        None
    }
}

/// The number of entries that one pool job reads: few enough not to delay the first entry much, and
/// enough to share the cost of the job.
const BATCH: usize = 32;

/// Opens a directory and returns a reader for its entries.
///
/// # Errors
///
/// Returns the OS error when the path does not exist or is not a directory, or the OS refuses the
/// call.
///
/// # Cancel safety
///
/// This call is cancel safe: nothing is modified.
///
/// # Examples
///
/// ```
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let mut entries = wsrt::fs::read_dir("/proc/self").await?;
/// let mut names = Vec::new();
/// while let Some(entry) = entries.next_entry().await? {
///     names.push(entry.file_name());
/// }
/// assert!(names.contains(&"limits".into()));
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
pub async fn read_dir(path: impl AsRef<Path>) -> io::Result<ReadDir> {
    let batch = on_path("fs::read_dir", path.as_ref(), |system, path| {
        let mut batch = Batch { source: Some(system.read_dir(path)?), entries: VecDeque::with_capacity(BATCH) };
        batch.fill();
        Ok(batch)
    });
    Ok(ReadDir(Lent::Here(batch.await?)))
}

/// A reader that yields the entries of a directory in no particular order, without `.` and `..`.
/// Returned by [`read_dir`].
///
/// An entry that is created or removed during the iteration may or may not be yielded.
#[derive(Debug)]
#[must_use = "nothing is read unless it is asked for entries"]
pub struct ReadDir(Lent<Batch, ()>);

#[derive(Debug, Default)]
struct Batch {
    /// The directory, or `None` once it is exhausted, or was lost with a job that the runtime's
    /// shutdown has cancelled.
    source: Option<Entries>,
    entries: VecDeque<io::Result<DirEntry>>,
}

impl Batch {
    fn fill(&mut self) {
        while self.entries.len() < BATCH {
            let Some(entry) = self.source.as_mut().and_then(Iterator::next) else {
                self.source = None;
                return;
            };
            self.entries.push_back(entry.map(DirEntry::new));
        }
    }
}

impl ReadDir {
    /// Returns the next entry, or `None` after the last.
    ///
    /// # Errors
    ///
    /// Returns the OS error when an entry cannot be read. The next call skips that entry.
    ///
    /// # Cancel safety
    ///
    /// This call is cancel safe: an entry that a dropped call has read is not lost.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let mut entries = wsrt::fs::read_dir(".").await?;
    /// let mut names = Vec::new();
    /// while let Some(entry) = entries.next_entry().await? {
    ///     names.push(entry.file_name());
    /// }
    /// assert!(names.iter().any(|name| name == "Cargo.toml"));
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub async fn next_entry(&mut self) -> io::Result<Option<DirEntry>> {
        poll_fn(|cx| self.poll_next_entry(cx)).await
    }

    /// Polls [`next_entry`](Self::next_entry), for adapters that implement I/O traits.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`next_entry`](Self::next_entry).
    pub fn poll_next_entry(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Option<DirEntry>>> {
        loop {
            ready!(self.0.poll_outcome(cx))?;
            let mut batch = self.0.take();
            let entry = batch.entries.pop_front();
            if entry.is_some() || batch.source.is_none() {
                self.0 = Lent::Here(batch);
                return Poll::Ready(entry.transpose());
            }
            self.0 = Lent::WithJob(begin("ReadDir::next_entry", move || {
                batch.fill();
                (batch, ())
            }));
        }
    }
}

/// An entry of a directory, returned by [`ReadDir::next_entry`].
#[derive(Debug)]
pub struct DirEntry {
    entry: Arc<Entry>,
    /// The file type, read on the pool's thread, where most systems return it together with the
    /// name.
    file_type: Option<FileType>,
}

impl DirEntry {
    /// Creates an entry on a thread of the pool, since some file systems need a separate call for
    /// the type.
    fn new(entry: Entry) -> Self {
        Self { file_type: entry.file_type().ok(), entry: Arc::new(entry) }
    }

    /// Returns the path of the entry: the path given to [`read_dir`], joined with the entry's name.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let mut entries = wsrt::fs::read_dir(".").await?;
    /// while let Some(entry) = entries.next_entry().await? {
    ///     println!("{}", entry.path().display());
    /// }
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.entry.path()
    }

    /// Returns the name of the entry, without any leading directories.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let mut entries = wsrt::fs::read_dir(".").await?;
    /// while let Some(entry) = entries.next_entry().await? {
    ///     println!("{}", entry.file_name().to_string_lossy());
    /// }
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    #[must_use]
    pub fn file_name(&self) -> OsString {
        self.entry.file_name()
    }

    /// Returns the type, length, permissions and timestamps of the entry. Symlinks are not
    /// followed.
    ///
    /// # Errors
    ///
    /// Returns the OS error when the entry no longer exists, or the OS refuses the call.
    ///
    /// # Cancel safety
    ///
    /// This call is cancel safe: nothing is modified.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let mut entries = wsrt::fs::read_dir(".").await?;
    /// let mut bytes = 0;
    /// while let Some(entry) = entries.next_entry().await? {
    ///     bytes += entry.metadata().await?.len();
    /// }
    /// println!("{bytes} bytes");
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub async fn metadata(&self) -> io::Result<Metadata> {
        let entry = Arc::clone(&self.entry);
        entry.take_time();
        offload("DirEntry::metadata", move || entry.metadata()).await
    }

    /// Returns the file type of the entry. Symlinks are not followed.
    ///
    /// # Errors
    ///
    /// Returns the OS error when the entry no longer exists, or the OS refuses the call.
    ///
    /// # Cancel safety
    ///
    /// This call is cancel safe: nothing is modified.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let mut entries = wsrt::fs::read_dir(".").await?;
    /// let mut folders = 0;
    /// while let Some(entry) = entries.next_entry().await? {
    ///     folders += usize::from(entry.file_type().await?.is_dir());
    /// }
    /// assert!(folders > 0);
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub async fn file_type(&self) -> io::Result<FileType> {
        if let Some(known) = self.file_type {
            return Ok(known);
        }
        let entry = Arc::clone(&self.entry);
        entry.take_time();
        offload("DirEntry::file_type", move || entry.file_type()).await
    }

    /// Returns the inode number of the entry. Available on Unix only.
    #[cfg(unix)]
    #[must_use]
    pub fn ino(&self) -> u64 {
        self.entry.ino()
    }
}
