//! The methods and I/O traits that read, write and seek a `File`.

use std::future::poll_fn;
use std::io::{self, IoSlice, SeekFrom};
use std::task::{Context, Poll};

use wsrt_sync::budget::poll_spending_once;

use super::File;
use crate::io::buffer::Target;
#[cfg(feature = "tokio-io")]
use crate::io::methods::tokio_write;
use crate::io::methods::{PollRead, read_methods};
use crate::io::methods::{PollWrite, write_methods};

read_methods!(File);
write_methods!(File);
#[cfg(feature = "tokio-io")]
tokio_write!(File);

impl PollRead for File {
    fn poll_read_into(&mut self, cx: &mut Context<'_>, target: &mut impl Target) -> Poll<io::Result<()>> {
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
impl tokio::io::AsyncRead for File {
    fn poll_read(
        self: std::pin::Pin<&mut Self>,
        cx: &mut Context<'_>,
        target: &mut tokio::io::ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.get_mut().poll_read_into(cx, target)
    }
}

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
