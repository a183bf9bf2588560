//! `File`: an open file.

mod inner;

use std::fs::{FileTimes, Metadata, Permissions};
use std::future::poll_fn;
use std::io::{IoSlice, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::SystemTime;
use std::{fmt, io};

#[cfg(unix)]
use wsrt_sync::OwnedRwLockReadGuard;
use wsrt_sync::budget::poll_spending_once;
use wsrt_sync::drop_in::IS_ON;
use wsrt_sync::{Mutex, RwLock};

use crate::fs::OpenOptions;
use crate::fs::file::inner::FileState;
use crate::fs::file_system::Opened;
use crate::io::buffer::{MOST_AT_ONCE, ReadTarget};
use crate::io::methods::{PollRead, PollWrite, read_methods, write_methods};
#[cfg(feature = "tokio-io")]
use crate::io::methods::{tokio_read, tokio_write};
#[cfg(unix)]
use crate::io::offload::offload;
use crate::util::world::{Cost, either};

/// An open file that can be read, written and seeked asynchronously.
///
/// The type implements `AsyncRead`, `AsyncWrite` and `AsyncSeek` with feature `tokio-io`.
///
/// One operation runs at a time, on a thread of the blocking pool, which borrows the file's buffer.
/// A write returns as soon as its bytes are in that buffer (up to 2 MiB, see
/// [`set_max_buf_size`](File::set_max_buf_size)), and the pool writes the buffer in the background.
/// Consequently:
///
/// * a failed write is reported by the **next** call to write, `flush`, `shutdown` or
///   [`sync_all`](File::sync_all);
/// * dropping a file closes it after the write in progress has ended, and ignores that write's
///   error: call `flush` first to see the error;
/// * bytes that a write has accepted are written even if the runtime shuts down first.
///
/// A dropped read future may leave bytes in the buffer. The next read returns these bytes, and a
/// write or seek continues from the end of the bytes that reads have actually returned.
///
/// # Cancel safety
///
/// `read` is cancel safe: the next read returns the bytes. `write` is cancel safe: if the future is
/// dropped before it completes, no bytes were accepted. `seek` is not cancel safe: if the future is
/// dropped before it completes, the file's position is unspecified.
///
/// # Examples
///
/// ```
/// use std::io::SeekFrom;
/// use wsrt::fs::File;
///
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// # let path = std::env::temp_dir().join(format!("wsrt-file-{}", std::process::id()));
/// let mut file = File::options().read(true).write(true).create_new(true).open(&path).await?;
/// file.write_all(b"0123456789").await?;
/// file.seek(SeekFrom::Start(4)).await?;
/// let mut digits = [0; 3];
/// file.read_exact(&mut digits).await?;
/// assert_eq!(&digits, b"456");
/// # wsrt::fs::remove_file(&path).await?;
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
pub struct File {
    opened: Arc<Opened>,
    /// Locked by the methods that take `&self`. The traits take `&mut self` and need no lock.
    inner: Mutex<FileState>,
    /// The maximum number of bytes that one operation moves.
    limit: usize,
    /// Locked for reading by each job that uses its own offset.
    at: Arc<RwLock<()>>,
}

impl File {
    /// Opens an existing file for reading.
    ///
    /// # Errors
    ///
    /// Returns the OS error when the file cannot be opened.
    ///
    /// # Cancel safety
    ///
    /// This call is cancel safe: a file that was opened in the meantime is closed again.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let error = wsrt::fs::File::open("/no/such").await.unwrap_err();
    /// assert_eq!((error.kind(), error.raw_os_error()), (std::io::ErrorKind::NotFound, Some(2)));
    /// # });
    /// # std::io::Result::Ok(())
    /// ```
    pub async fn open(path: impl AsRef<Path>) -> io::Result<File> {
        OpenOptions::new().read(true).open_for("File::open", path.as_ref()).await
    }

    /// Opens a file for writing, which is created if missing and truncated if it exists.
    ///
    /// # Errors
    ///
    /// Returns the OS error when the file cannot be opened.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: a dropped call may or may not create or truncate the file.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// # let path = std::env::temp_dir().join(format!("wsrt-doc-file-create-{}", std::process::id()));
    /// let mut file = wsrt::fs::File::create(&path).await?;
    /// file.write_all(b"hello").await?;
    /// file.flush().await?;
    /// assert_eq!(wsrt::fs::read(&path).await?, b"hello");
    /// # wsrt::fs::remove_file(&path).await?;
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub async fn create(path: impl AsRef<Path>) -> io::Result<File> {
        OpenOptions::new().write(true).create(true).truncate(true).open_for("File::create", path.as_ref()).await
    }

    /// Creates a new file for reading and writing. Fails if the file already exists.
    ///
    /// # Errors
    ///
    /// Returns the OS error when the file cannot be created. The error is of kind
    /// [`AlreadyExists`](io::ErrorKind::AlreadyExists) when the file exists.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: a dropped call may or may not create the file.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// # let path = std::env::temp_dir().join(format!("wsrt-doc-file-new-{}", std::process::id()));
    /// wsrt::fs::File::create_new(&path).await?;
    /// assert!(wsrt::fs::File::create_new(&path).await.is_err(), "it is there");
    /// # wsrt::fs::remove_file(&path).await?;
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub async fn create_new(path: impl AsRef<Path>) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true).open_for("File::create_new", path.as_ref()).await
    }

    /// Returns an [`OpenOptions`] builder with all options disabled.
    #[must_use]
    pub fn options() -> OpenOptions {
        OpenOptions::new()
    }

    /// Converts a standard library file into an asynchronous file.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let mut file = wsrt::fs::File::from_std(std::fs::File::open("Cargo.toml")?);
    /// let mut text = String::new();
    /// file.read_to_string(&mut text).await?;
    /// assert!(text.contains("[package]"));
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    #[must_use]
    pub fn from_std(file: std::fs::File) -> File {
        File::of(Opened::System(file))
    }

    pub(super) fn of(opened: Opened) -> File {
        let opened = Arc::new(opened);
        File { inner: Mutex::new(FileState::new(Arc::clone(&opened))), opened, limit: MOST_AT_ONCE, at: Arc::default() }
    }

    /// Waits for the operation in progress and converts the file into a standard library file,
    /// positioned at the end of the bytes that reads have returned: bytes read ahead are not
    /// skipped.
    ///
    /// A write error that no call has returned yet is discarded: call `flush` first to see it.
    ///
    /// # Panics
    ///
    /// Panics if the file is on the disk of a simulated host.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: a dropped call closes the file.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let file = wsrt::fs::File::open("Cargo.toml").await?;
    /// let file: std::fs::File = file.into_std().await;
    /// assert!(file.metadata()?.is_file());
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub async fn into_std(mut self) -> std::fs::File {
        // Where the position cannot be set, as in a pipe, it cannot be wrong either.
        let _ = self.inner.get_mut().rewind("File::into_std").await;
        drop(self.at.write().await);
        self.into_opened().into_system_file()
    }

    /// Converts the file into a standard library file without waiting.
    ///
    /// # Errors
    ///
    /// Returns the unchanged file if an operation is in progress, if the buffer holds bytes that
    /// were read ahead, or if the file is on the disk of a simulated host.
    #[allow(clippy::result_large_err, reason = "with feature `console` the file's lock has a few words more")]
    pub fn try_into_std(mut self) -> Result<std::fs::File, File> {
        if !self.opened.is_of_system() || !self.inner.get_mut().is_clean() || self.at.try_write().is_err() {
            return Err(self);
        }
        Ok(self.into_opened().into_system_file())
    }

    fn into_opened(self) -> Opened {
        drop(self.inner);
        Arc::into_inner(self.opened).expect("the buffer's share is gone, and no operation is under way")
    }

    /// Creates a second handle to the same open file. Both handles share one position. The new
    /// handle starts with this handle's [`max_buf_size`](Self::max_buf_size).
    ///
    /// # Errors
    ///
    /// Returns the OS error when the handle cannot be duplicated, for example because no file
    /// descriptor is left.
    ///
    /// # Cancel safety
    ///
    /// This call is cancel safe: a handle that was created in the meantime is closed again.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let file = wsrt::fs::File::open("Cargo.toml").await?;
    /// let copy = file.try_clone().await?;
    /// assert_eq!(copy.metadata().await?.len(), file.metadata().await?.len());
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub async fn try_clone(&self) -> io::Result<File> {
        let second = self.inner.lock().await.call("File::try_clone", Cost::Name, Opened::try_clone).await?;
        Ok(File { limit: self.limit, ..File::of(second) })
    }

    /// Waits until all of the file's contents and metadata have reached the disk.
    ///
    /// # Errors
    ///
    /// Returns the error of an earlier write that no call has returned yet, or the OS error.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: a dropped call may or may not take effect.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// # let path = std::env::temp_dir().join(format!("wsrt-doc-sync-all-{}", std::process::id()));
    /// let mut file = wsrt::fs::File::create(&path).await?;
    /// file.write_all(b"kept after a power failure").await?;
    /// file.sync_all().await?;
    /// # wsrt::fs::remove_file(&path).await?;
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub async fn sync_all(&self) -> io::Result<()> {
        let mut inner = self.inner.lock().await;
        inner.flush().await?;
        inner.call("File::sync_all", Cost::Sync, Opened::sync_all).await
    }

    /// Waits until the file's contents have reached the disk, like [`sync_all`](Self::sync_all),
    /// but not for metadata that is not needed to read the contents back, such as timestamps.
    ///
    /// # Errors
    ///
    /// Returns the error of an earlier write that no call has returned yet, or the OS error.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: a dropped call may or may not take effect.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// # let path = std::env::temp_dir().join(format!("wsrt-doc-sync-data-{}", std::process::id()));
    /// let mut journal = wsrt::fs::File::create(&path).await?;
    /// journal.write_all(b"entry").await?;
    /// journal.sync_data().await?;
    /// # wsrt::fs::remove_file(&path).await?;
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub async fn sync_data(&self) -> io::Result<()> {
        let mut inner = self.inner.lock().await;
        inner.flush().await?;
        inner.call("File::sync_data", Cost::Sync, Opened::sync_data).await
    }

    /// Truncates the file to `length` bytes, or extends it to `length` bytes with zeros. The file's
    /// position does not change.
    ///
    /// # Errors
    ///
    /// Returns the OS error when the file was not opened for writing, or the OS rejects the change.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: a dropped call may or may not take effect.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// # let path = std::env::temp_dir().join(format!("wsrt-doc-set-len-{}", std::process::id()));
    /// let file = wsrt::fs::File::create(&path).await?;
    /// file.set_len(1024).await?;
    /// assert_eq!(file.metadata().await?.len(), 1024);
    /// # wsrt::fs::remove_file(&path).await?;
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub async fn set_len(&self, length: u64) -> io::Result<()> {
        let mut inner = self.inner.lock().await;
        // Bytes that were read ahead may no longer be in the file afterwards.
        inner.rewind("File::set_len").await?;
        inner.call("File::set_len", Cost::Name, move |file| file.set_len(length)).await
    }

    /// Waits for the operation in progress, and returns the file's metadata.
    ///
    /// # Errors
    ///
    /// Returns the OS error when the metadata cannot be read.
    ///
    /// # Cancel safety
    ///
    /// This call is cancel safe: nothing is modified.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let file = wsrt::fs::File::open("Cargo.toml").await?;
    /// assert!(file.metadata().await?.is_file());
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub async fn metadata(&self) -> io::Result<Metadata> {
        self.inner.lock().await.call("File::metadata", Cost::Name, Opened::metadata).await
    }

    /// Changes the file's permissions.
    ///
    /// # Errors
    ///
    /// Returns the OS error when the OS rejects the change.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: a dropped call may or may not take effect.
    pub async fn set_permissions(&self, permissions: Permissions) -> io::Result<()> {
        let call = move |file: &Opened| file.set_permissions(permissions);
        self.inner.lock().await.call("File::set_permissions", Cost::Name, call).await
    }

    /// Waits for the operation in progress and changes the file's timestamps, so that a write that
    /// has already begun cannot overwrite them. Timestamps that `times` leaves unset do not change.
    ///
    /// # Errors
    ///
    /// Returns the OS error when the file was not opened for writing, or the OS rejects the change.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: a dropped call may or may not take effect.
    pub async fn set_times(&self, times: FileTimes) -> io::Result<()> {
        self.inner.lock().await.call("File::set_times", Cost::Name, move |file| file.set_times(times)).await
    }

    /// Changes the file's modification time, like [`set_times`](Self::set_times).
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`set_times`](Self::set_times).
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: a dropped call may or may not take effect.
    pub async fn set_modified(&self, time: SystemTime) -> io::Result<()> {
        self.set_times(FileTimes::new().set_modified(time)).await
    }

    /// Sets the maximum number of bytes that one read or write transfers, which also limits the
    /// size of the file's buffer. The default is 2 MiB.
    ///
    /// # Panics
    ///
    /// Panics if `bytes` is 0.
    #[track_caller]
    pub fn set_max_buf_size(&mut self, bytes: usize) {
        assert!(bytes > 0, "`max_buf_size` must be greater than 0");
        self.limit = bytes;
    }

    /// Returns the maximum number of bytes that one read or write transfers.
    #[must_use]
    pub fn max_buf_size(&self) -> usize {
        self.limit
    }
}

impl From<std::fs::File> for File {
    fn from(file: std::fs::File) -> Self {
        Self::from_std(file)
    }
}

impl fmt::Debug for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct(if IS_ON { "tokio::fs::File" } else { "File" });
        either!(&*self.opened, file => shown.field("std", file)).finish()
    }
}

#[cfg(unix)]
impl File {
    /// Reads bytes at `offset` into `buffer` and returns the number of bytes read, or 0 at the end
    /// of the file. The file's own position is neither used nor moved.
    ///
    /// Any number of `read_at` calls may be in progress at once, from several tasks through `&File`
    /// or an `Arc`: each call uses its own thread of the blocking pool. Like `read`, the call may
    /// read less than the buffer holds, and it never reads more than
    /// [`max_buf_size`](Self::max_buf_size) bytes. Available on Unix only.
    ///
    /// # Not guaranteed
    ///
    /// The call may not see the bytes of an earlier `write` that was not followed by a `flush`.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the OS error when the file was not opened for reading, or when the file has no
    /// positions to read at, such as a pipe.
    ///
    /// # Cancel safety
    ///
    /// This call is cancel safe: nothing is modified, and the file's own position does not move.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::fs::File;
    ///
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// # let path = std::env::temp_dir().join(format!("wsrt-read-at-{}", std::process::id()));
    /// wsrt::fs::write(&path, "0123456789").await?;
    /// let file = File::open(&path).await?;
    /// let (mut one, mut other) = ([0; 2], [0; 3]);
    /// let both = wsrt::join!(file.read_at(&mut one, 8), file.read_at(&mut other, 1));
    /// assert_eq!((both.0?, both.1?), (2, 3));
    /// assert_eq!((&one, &other), (b"89", b"123"));
    /// # wsrt::fs::remove_file(&path).await?;
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub async fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let (shared, most) = (self.share(), buffer.len().min(self.limit));
        shared.file.take_time(Cost::Read(most));
        let bytes = offload("File::read_at", move || {
            let mut bytes = vec![0; most];
            let count = shared.call(|file| file.read_at(&mut bytes, offset))?;
            bytes.truncate(count);
            Ok(bytes)
        });
        let bytes = bytes.await?;
        buffer[..bytes.len()].copy_from_slice(&bytes);
        Ok(bytes.len())
    }

    /// Writes bytes at `offset` and returns the number of bytes written. The file's own position is
    /// neither used nor moved.
    ///
    /// The OS has the bytes when the call returns, so no `flush` is needed. Any number of
    /// `write_at` calls may be in progress at once. Like `write`, the call may write less than it
    /// is given, and it never writes more than [`max_buf_size`](Self::max_buf_size) bytes. A write
    /// past the end of the file extends the file and fills the gap with zeros. Available on Unix
    /// only.
    ///
    /// # Not guaranteed
    ///
    /// The order of this call and an earlier `write` that was not followed by a `flush` is
    /// unspecified. On Linux the offset is ignored if the file was opened for appending: the bytes
    /// are then added at the end of the file.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the OS error when the file was not opened for writing, or when the write fails.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: a dropped call may or may not write the bytes.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::fs::File;
    ///
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// # let path = std::env::temp_dir().join(format!("wsrt-write-at-{}", std::process::id()));
    /// let file = File::create(&path).await?;
    /// assert_eq!(file.write_at(b"world", 6).await?, 5);
    /// assert_eq!(file.write_at(b"hello ", 0).await?, 6);
    /// assert_eq!(wsrt::fs::read_to_string(&path).await?, "hello world");
    /// # wsrt::fs::remove_file(&path).await?;
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub async fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        let shared = self.share();
        let bytes = bytes[..bytes.len().min(self.limit)].to_vec();
        shared.file.take_time(Cost::Write(bytes.len()));
        offload("File::write_at", move || shared.call(|file| file.write_at(&bytes, offset))).await
    }

    fn share(&self) -> FileInUse {
        let in_use = Arc::clone(&self.at).try_read_owned().expect("the methods that take the file whole are its last");
        FileInUse { file: Arc::clone(&self.opened), _in_use: in_use }
    }
}

#[cfg(unix)]
/// The shared file, for one pool job that may outlive the call that started it. Fields drop in this
/// order: once the lock is free, no job has the file.
struct FileInUse {
    file: Arc<Opened>,
    _in_use: OwnedRwLockReadGuard<()>,
}

#[cfg(unix)]
impl FileInUse {
    fn call<T>(self, call: impl FnOnce(&Opened) -> io::Result<T>) -> io::Result<T> {
        call(&self.file)
    }
}

read_methods!(File);
write_methods!(File);
#[cfg(feature = "tokio-io")]
tokio_write!(File);

impl PollRead for File {
    fn poll_read_into(&mut self, cx: &mut Context<'_>, target: &mut impl ReadTarget) -> Poll<io::Result<()>> {
        poll_spending_once(cx, |cx| self.inner.get_mut().poll_read(cx, target, self.limit))
    }
}

impl PollWrite for File {
    fn poll_write_from(&mut self, cx: &mut Context<'_>, sources: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        poll_spending_once(cx, |cx| self.inner.get_mut().poll_write(cx, sources, self.limit))
    }

    fn poll_written(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        poll_spending_once(cx, |cx| self.inner.get_mut().poll_flush(cx))
    }
}

impl File {
    /// Moves the file's position to `target` and returns the new position, in bytes from the start
    /// of the file.
    ///
    /// # Errors
    ///
    /// Returns the OS error of the seek. An earlier write's error is kept for the next write.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: a dropped call leaves the position unspecified.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// use std::io::SeekFrom;
    ///
    /// let mut file = wsrt::fs::File::open("Cargo.toml").await?;
    /// file.seek(SeekFrom::Start(1)).await?;
    /// let mut word = [0; 7];
    /// file.read_exact(&mut word).await?;
    /// assert_eq!(&word, b"package");
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub async fn seek(&mut self, target: SeekFrom) -> io::Result<u64> {
        poll_fn(|cx| self.poll_seek_complete(cx)).await?;
        self.inner.get_mut().start_seek(target)?;
        poll_fn(|cx| self.poll_seek_complete(cx)).await
    }

    /// Starts a seek without waiting for its result, for adapters that implement I/O traits. Call
    /// [`poll_seek_complete`](Self::poll_seek_complete) to complete the seek.
    ///
    /// # Errors
    ///
    /// Returns an error if another operation is in progress.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime.
    pub fn start_seek(&mut self, target: SeekFrom) -> io::Result<()> {
        self.inner.get_mut().start_seek(target)
    }

    /// Polls until no operation is in progress, and returns the file's position after the last
    /// seek, in bytes from the start of the file.
    ///
    /// # Errors
    ///
    /// Returns the error of the seek in progress.
    pub fn poll_seek_complete(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<u64>> {
        poll_spending_once(cx, |cx| self.inner.get_mut().poll_complete(cx))
    }
}

#[cfg(feature = "tokio-io")]
tokio_read!(File);

#[cfg(feature = "tokio-io")]
impl tokio::io::AsyncSeek for File {
    fn start_seek(self: std::pin::Pin<&mut Self>, target: SeekFrom) -> io::Result<()> {
        self.get_mut().start_seek(target)
    }

    fn poll_complete(self: std::pin::Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<u64>> {
        self.get_mut().poll_seek_complete(cx)
    }
}

#[cfg(unix)]
impl std::os::fd::AsFd for File {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.opened.system_file().as_fd()
    }
}

#[cfg(unix)]
impl std::os::fd::AsRawFd for File {
    fn as_raw_fd(&self) -> std::os::fd::RawFd {
        self.opened.system_file().as_raw_fd()
    }
}

#[cfg(unix)]
impl From<std::os::fd::OwnedFd> for File {
    fn from(fd: std::os::fd::OwnedFd) -> Self {
        Self::from_std(fd.into())
    }
}

#[cfg(unix)]
impl std::os::fd::FromRawFd for File {
    unsafe fn from_raw_fd(fd: std::os::fd::RawFd) -> Self {
        // SAFETY: the caller of this function meets the same requirements.
        Self::from_std(unsafe { std::fs::File::from_raw_fd(fd) })
    }
}
