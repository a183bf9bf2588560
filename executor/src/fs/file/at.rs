//! Reads and writes at a position that the call names.

use std::io;
use std::sync::Arc;

use wsrt_sync::OwnedRwLockReadGuard;

use super::File;
use crate::fs::opened::Opened;
use crate::io::offload::offload;
use crate::util::world::Cost;

impl File {
    /// Reads at `offset`, without a look at the file's own position, and returns how many bytes it
    /// has read: 0 at the end of the file.
    ///
    /// Any number of these may be in progress at once, from several tasks through `&File` or an
    /// `Arc`: each has a thread of the blocking pool. Like `read` it may read less than the buffer
    /// holds, and never reads more than [`max_buf_size`](Self::max_buf_size). On Unix only.
    ///
    /// # Not guaranteed
    ///
    /// It may not see the bytes of a `write` that has not been followed by a `flush`.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the OS error when the file was not opened for reading, or cannot be read at a
    /// position, as a pipe.
    ///
    /// # Cancel safety
    ///
    /// This call is cancel safe: the call only reads, and leaves the file's position alone.
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

    /// Writes at `offset`, without a look at the file's own position, and returns how many bytes it
    /// has written.
    ///
    /// The bytes are with the system when this returns: no `flush` is needed. Any number of these
    /// may be in progress at once. Like `write` it may write less than it is given, and never
    /// writes more than [`max_buf_size`](Self::max_buf_size). Past the end, the file grows, with
    /// zeros in between. On Unix only.
    ///
    /// # Not guaranteed
    ///
    /// The order between it and a `write` that has not been followed by a `flush` is unspecified.
    /// On Linux the offset is ignored for a file that was opened for appending: the bytes go to its
    /// end.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the OS error when the file was not opened for writing, or the OS refuses.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: if the future is dropped while it waits, it is unspecified whether the
    /// bytes are written.
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

/// The file, for one job on the pool, which may outlive the call that has begun it. In the order of
/// their drops: when the lock is free, no job has the file.
struct Shared {
    file: Arc<Opened>,
    _in_use: OwnedRwLockReadGuard<()>,
}

impl Shared {
    fn call<T>(self, call: impl FnOnce(&Opened) -> io::Result<T>) -> io::Result<T> {
        call(&self.file)
    }
}
