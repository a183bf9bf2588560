//! A bridge that lets blocking code use an asynchronous stream.

use std::io::{self, BufRead, IoSlice, Read, Seek, SeekFrom, Write};

use tokio::io::{
    AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncSeek, AsyncSeekExt, AsyncWrite, AsyncWriteExt,
};

use crate::runtime::Handle;

/// A blocking wrapper around an asynchronous stream, which implements the traits of `std::io`. Use
/// the bridge with libraries that read and write synchronously, such as compression crates.
///
/// Every call waits with [`Handle::block_on`] and therefore belongs in
/// [`spawn_blocking`](crate::task::spawn_blocking), where a thread may block. The bridge works
/// inside a task too, but then hands the processor over on every wait: see
/// [`guide::blocking`](crate::guide::blocking).
///
/// # Examples
///
/// ```
/// use std::io::{BufRead, BufReader};
/// use wsrt::io::{AsyncWriteExt, SyncIoBridge};
///
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let (mut ours, theirs) = wsrt::io::duplex(8);
/// let theirs = SyncIoBridge::new(theirs);
/// let count = wsrt::task::spawn_blocking(move || BufReader::new(theirs).lines().count());
/// ours.write_all(b"one\ntwo\nthree\n").await?;
/// drop(ours);
/// assert_eq!(count.await?, 3);
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
#[derive(Debug)]
pub struct SyncIoBridge<T> {
    stream: T,
    runtime: Handle,
}

impl<T> SyncIoBridge<T> {
    /// Creates a bridge whose calls wait in the current runtime.
    ///
    /// Create the bridge in a task and move it into the blocking closure, or create it there.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime.
    #[track_caller]
    pub fn new(stream: T) -> Self {
        Self::new_with_handle(stream, Handle::current())
    }

    /// Creates a bridge whose calls wait in the runtime of `handle`. The calling thread need not be
    /// inside a runtime.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::io::Read;
    /// use wsrt::io::SyncIoBridge;
    ///
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// let mut bridge = SyncIoBridge::new_with_handle(wsrt::io::repeat(7), runtime.handle().clone());
    /// let mut sevens = [0; 3];
    /// bridge.read_exact(&mut sevens)?;
    /// assert_eq!(sevens, [7; 3]);
    /// # std::io::Result::Ok(())
    /// ```
    pub fn new_with_handle(stream: T, handle: Handle) -> Self {
        Self { stream, runtime: handle }
    }

    /// Returns the wrapped asynchronous stream.
    pub fn into_inner(self) -> T {
        self.stream
    }
}

impl<T: AsyncWrite + Unpin> SyncIoBridge<T> {
    /// Writes all buffered bytes and shuts the stream down, so that its reader sees the end of the
    /// stream. The traits of `std::io` have no such call.
    ///
    /// # Errors
    ///
    /// Returns the error of the stream's own shutdown.
    pub fn shutdown(&mut self) -> io::Result<()> {
        self.runtime.block_on(self.stream.shutdown())
    }

    /// Returns whether the stream writes several buffers with one call.
    pub fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

impl<T: AsyncRead + Unpin> Read for SyncIoBridge<T> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.runtime.block_on(self.stream.read(buf))
    }

    fn read_to_end(&mut self, buf: &mut Vec<u8>) -> io::Result<usize> {
        self.runtime.block_on(self.stream.read_to_end(buf))
    }

    fn read_to_string(&mut self, buf: &mut String) -> io::Result<usize> {
        self.runtime.block_on(self.stream.read_to_string(buf))
    }

    fn read_exact(&mut self, buf: &mut [u8]) -> io::Result<()> {
        self.runtime.block_on(self.stream.read_exact(buf)).map(drop)
    }
}

impl<T: AsyncBufRead + Unpin> BufRead for SyncIoBridge<T> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.runtime.block_on(self.stream.fill_buf())
    }

    fn consume(&mut self, amount: usize) {
        self.stream.consume(amount);
    }
}

impl<T: AsyncWrite + Unpin> Write for SyncIoBridge<T> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.runtime.block_on(self.stream.write(buf))
    }

    fn write_vectored(&mut self, bufs: &[IoSlice<'_>]) -> io::Result<usize> {
        self.runtime.block_on(self.stream.write_vectored(bufs))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.runtime.block_on(self.stream.flush())
    }

    fn write_all(&mut self, buf: &[u8]) -> io::Result<()> {
        self.runtime.block_on(self.stream.write_all(buf))
    }
}

impl<T: AsyncSeek + Unpin> Seek for SyncIoBridge<T> {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.runtime.block_on(self.stream.seek(position))
    }
}
