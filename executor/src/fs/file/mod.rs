//! An open file.

mod inner;
mod traits;

use std::fmt;
use std::fs::{Metadata, Permissions};
use std::io;
use std::path::Path;
use std::sync::Arc;

use tokio::sync::Mutex;

use super::OpenOptions;
use super::call::on_path;
use crate::fs::file::inner::Inner;
use crate::offload::MOST_AT_ONCE;

/// Reads and writes an open file, by [`AsyncRead`](tokio::io::AsyncRead),
/// [`AsyncWrite`](tokio::io::AsyncWrite) and [`AsyncSeek`](tokio::io::AsyncSeek).
///
/// One operation is under way at a time, on a thread of the blocking pool, with a buffer that
/// travels there and back. A write returns when its bytes are in that buffer (up to 2 MiB, see
/// [`set_max_buf_size`](File::set_max_buf_size)), and the pool writes them while the task goes on.
/// So:
///
/// * an error of writing is told by the **next** call: write, `flush`, `shutdown` or
///   [`sync_all`](File::sync_all);
/// * a file that is dropped is closed when the write under way has ended, and its error is lost:
///   call `flush` before;
/// * bytes that a write has accepted are written even if the runtime shuts down meanwhile.
///
/// A read that was given up may leave bytes in the buffer; they belong to the next read, and a
/// write or seek begins where the bytes handed out have ended.
///
/// # Cancel safety
///
/// `read` is cancel safe: bytes read meanwhile are returned by the next. `write` is: dropped before
/// it is ready, it has written nothing. `seek` is not: dropped while it waits, it leaves open where
/// the file stands.
///
/// # Examples
///
/// ```
/// use std::io::SeekFrom;
/// use wsrt::fs::File;
/// use wsrt::io::{AsyncReadExt, AsyncSeekExt, AsyncWriteExt};
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
    std: Arc<std::fs::File>,
    /// Locked by the methods that take `&self`; the traits have it to themselves.
    inner: Mutex<Inner>,
    /// The most bytes moved at a time.
    limit: usize,
}

impl File {
    /// Opens a file for reading.
    ///
    /// # Errors
    ///
    /// When it cannot be opened.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: a file that was opened is closed.
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
        on_path("File::open", path.as_ref(), |path| std::fs::File::open(path)).await.map(File::from_std)
    }

    /// Opens a file for writing; creates it where there is none, and empties it where there is.
    ///
    /// # Errors
    ///
    /// When it cannot be opened.
    ///
    /// # Cancel safety
    ///
    /// Dropped while it waits, it leaves open whether the file is created or emptied.
    pub async fn create(path: impl AsRef<Path>) -> io::Result<File> {
        on_path("File::create", path.as_ref(), |path| std::fs::File::create(path)).await.map(File::from_std)
    }

    /// Creates a file for reading and writing, where there is none.
    ///
    /// # Errors
    ///
    /// Of kind [`AlreadyExists`](io::ErrorKind::AlreadyExists) when there is one; when it cannot be
    /// created.
    ///
    /// # Cancel safety
    ///
    /// Dropped while it waits, it leaves open whether the file is created.
    pub async fn create_new(path: impl AsRef<Path>) -> io::Result<File> {
        let created = on_path("File::create_new", path.as_ref(), |path| std::fs::File::create_new(path));
        created.await.map(File::from_std)
    }

    /// Returns [`OpenOptions`] with everything off.
    #[must_use]
    pub fn options() -> OpenOptions {
        OpenOptions::new()
    }

    /// Takes over a standard file.
    #[must_use]
    pub fn from_std(file: std::fs::File) -> File {
        let std = Arc::new(file);
        File { inner: Mutex::new(Inner::new(Arc::clone(&std))), std, limit: MOST_AT_ONCE }
    }

    /// Turns it into a standard file, once the operation under way has ended. Bytes that were
    /// read and not handed out are given back: the file stands behind those handed out.
    ///
    /// A write's error that was not told yet is lost: call `flush` before.
    ///
    /// # Cancel safety
    ///
    /// Dropped while it waits, the file is closed.
    pub async fn into_std(mut self) -> std::fs::File {
        // Where the position cannot be set, as in a pipe, it cannot be wrong either.
        let _ = self.inner.get_mut().rewind("File::into_std").await;
        drop(self.inner);
        Arc::into_inner(self.std).expect("the buffer's share is gone, and no operation is under way")
    }

    /// Turns it into a standard file, unless an operation is under way or bytes that were read
    /// are left.
    ///
    /// # Errors
    ///
    /// Gives the file back.
    pub fn try_into_std(mut self) -> Result<std::fs::File, File> {
        if !self.inner.get_mut().is_clean() {
            return Err(self);
        }
        drop(self.inner);
        Ok(Arc::into_inner(self.std).expect("the buffer's share is gone, and no operation is under way"))
    }

    /// Opens the same file a second time over: both share one position. The second has this one's
    /// [`max_buf_size`](Self::max_buf_size), and may be given another.
    ///
    /// # Errors
    ///
    /// When the system refuses, such as for want of descriptors.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: a second one that was made is closed.
    pub async fn try_clone(&self) -> io::Result<File> {
        let second = self.inner.lock().await.call("File::try_clone", std::fs::File::try_clone).await?;
        Ok(File { limit: self.limit, ..File::from_std(second) })
    }

    /// Waits until what was written, and what is known of the file, is on the disk.
    ///
    /// # Errors
    ///
    /// An earlier write's that was not told yet; the system's.
    ///
    /// # Cancel safety
    ///
    /// Dropped while it waits, it leaves open whether it happens.
    pub async fn sync_all(&self) -> io::Result<()> {
        let mut inner = self.inner.lock().await;
        inner.flush().await?;
        inner.call("File::sync_all", std::fs::File::sync_all).await
    }

    /// As [`sync_all`](Self::sync_all), leaving out what is not needed to read the contents again,
    /// such as times.
    ///
    /// # Errors
    ///
    /// An earlier write's that was not told yet; the system's.
    ///
    /// # Cancel safety
    ///
    /// Dropped while it waits, it leaves open whether it happens.
    pub async fn sync_data(&self) -> io::Result<()> {
        let mut inner = self.inner.lock().await;
        inner.flush().await?;
        inner.call("File::sync_data", std::fs::File::sync_data).await
    }

    /// Cuts the file off, or extends it with zeros. Its position stays.
    ///
    /// # Errors
    ///
    /// When it was not opened for writing, or the system refuses.
    ///
    /// # Cancel safety
    ///
    /// Dropped while it waits, it leaves open whether it happens.
    pub async fn set_len(&self, length: u64) -> io::Result<()> {
        let mut inner = self.inner.lock().await;
        // What was read ahead may be gone from the file afterwards.
        inner.rewind("File::set_len").await?;
        inner.call("File::set_len", move |file| file.set_len(length)).await
    }

    /// Returns its kind, length, permissions and times, as they are when the operation under way
    /// has ended.
    ///
    /// # Errors
    ///
    /// The system's.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: looking changes nothing.
    pub async fn metadata(&self) -> io::Result<Metadata> {
        self.inner.lock().await.call("File::metadata", std::fs::File::metadata).await
    }

    /// Sets its permissions.
    ///
    /// # Errors
    ///
    /// When the system refuses.
    ///
    /// # Cancel safety
    ///
    /// Dropped while it waits, it leaves open whether it happens.
    pub async fn set_permissions(&self, permissions: Permissions) -> io::Result<()> {
        let call = move |file: &std::fs::File| file.set_permissions(permissions);
        self.inner.lock().await.call("File::set_permissions", call).await
    }

    /// Sets how many bytes one read or write moves at most, and so how large its buffer grows. 2
    /// MiB at first; 1 at least.
    pub fn set_max_buf_size(&mut self, bytes: usize) {
        self.limit = bytes.max(1);
    }

    /// Returns how many bytes one read or write moves at most.
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
        f.debug_tuple("File").field(&self.std).finish()
    }
}
