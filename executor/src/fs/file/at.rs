//! Reads and writes at an explicit offset.

use std::io;
use std::sync::Arc;

use wsrt_sync::OwnedRwLockReadGuard;

use super::File;
use crate::fs::opened::Opened;
use crate::io::offload::offload;
use crate::util::world::Cost;

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

    fn share(&self) -> Shared {
        let in_use = Arc::clone(&self.at).try_read_owned().expect("the methods that take the file whole are its last");
        Shared { file: Arc::clone(&self.opened), _in_use: in_use }
    }
}

/// The shared file, for one pool job that may outlive the call that started it. Fields drop in this
/// order: once the lock is free, no job has the file.
struct Shared {
    file: Arc<Opened>,
    _in_use: OwnedRwLockReadGuard<()>,
}

impl Shared {
    fn call<T>(self, call: impl FnOnce(&Opened) -> io::Result<T>) -> io::Result<T> {
        call(&self.file)
    }
}
