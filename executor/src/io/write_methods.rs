//! The write methods of files, standard output and standard error, which the blocking pool writes.

use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::task::{Context, Poll};

/// A stream that is written on the blocking pool. The inherent methods and each family of I/O
/// traits are implemented on top of this trait.
pub(crate) trait PollWrite {
    /// Accepts bytes from `sources`, in order, and returns the number of accepted bytes.
    fn poll_write_from(&mut self, cx: &mut Context<'_>, sources: &[IoSlice<'_>]) -> Poll<io::Result<usize>>;

    /// Waits until all accepted bytes are written.
    fn poll_written(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>>;
}

pub(crate) async fn write(stream: &mut impl PollWrite, buf: &[u8]) -> io::Result<usize> {
    poll_fn(|cx| stream.poll_write_from(cx, &[IoSlice::new(buf)])).await
}

pub(crate) async fn write_all(stream: &mut impl PollWrite, mut buf: &[u8]) -> io::Result<()> {
    while !buf.is_empty() {
        match write(stream, buf).await? {
            0 => return Err(io::Error::new(io::ErrorKind::WriteZero, "the stream takes no more bytes")),
            count => buf = &buf[count..],
        }
    }
    Ok(())
}

pub(crate) async fn flush(stream: &mut impl PollWrite) -> io::Result<()> {
    poll_fn(|cx| stream.poll_written(cx)).await
}

/// Generates the inherent write methods for a type that implements [`PollWrite`].
macro_rules! write_methods {
    ($type:ty) => {
        impl $type {
            /// Accepts bytes from `buf`, which are written in the background, and returns the
            /// number of accepted bytes.
            ///
            /// # Errors
            ///
            /// Returns the error of the previous write, if that write failed.
            ///
            /// # Cancel safety
            ///
            /// This call is cancel safe: a dropped call has accepted no bytes.
            pub async fn write(&mut self, buf: &[u8]) -> std::io::Result<usize> {
                $crate::io::write_methods::write(self, buf).await
            }

            /// Polls [`write`](Self::write), for adapters that implement I/O traits.
            ///
            /// # Errors
            ///
            /// Returns the error of the previous write, if that write failed.
            pub fn poll_write(
                &mut self,
                cx: &mut std::task::Context<'_>,
                buf: &[u8],
            ) -> std::task::Poll<std::io::Result<usize>> {
                $crate::io::write_methods::PollWrite::poll_write_from(self, cx, &[std::io::IoSlice::new(buf)])
            }

            /// Polls a write from several buffers, which are taken in order as if they were
            /// concatenated, and returns the number of accepted bytes.
            ///
            /// # Errors
            ///
            /// Returns the error of the previous write, if that write failed.
            pub fn poll_write_vectored(
                &mut self,
                cx: &mut std::task::Context<'_>,
                bufs: &[std::io::IoSlice<'_>],
            ) -> std::task::Poll<std::io::Result<usize>> {
                $crate::io::write_methods::PollWrite::poll_write_from(self, cx, bufs)
            }

            /// Polls [`flush`](Self::flush).
            ///
            /// # Errors
            ///
            /// Returns the error of an earlier write, or the OS error of the flush.
            pub fn poll_flush(&mut self, cx: &mut std::task::Context<'_>) -> std::task::Poll<std::io::Result<()>> {
                $crate::io::write_methods::PollWrite::poll_written(self, cx)
            }

            /// Accepts all bytes of `buf`, which are written in the background.
            ///
            /// # Errors
            ///
            /// Returns the error of an earlier write.
            ///
            /// # Cancel safety
            ///
            /// Not cancel safe: a dropped call may have accepted any part of `buf`.
            pub async fn write_all(&mut self, buf: &[u8]) -> std::io::Result<()> {
                $crate::io::write_methods::write_all(self, buf).await
            }

            /// Waits until all accepted bytes are written.
            ///
            /// # Errors
            ///
            /// Returns the error of an earlier write, or the OS error of the flush.
            ///
            /// # Cancel safety
            ///
            /// This call is cancel safe: a dropped call can simply be repeated.
            pub async fn flush(&mut self) -> std::io::Result<()> {
                $crate::io::write_methods::flush(self).await
            }

            /// Waits until all accepted bytes are written, exactly like [`flush`](Self::flush). The
            /// stream stays open.
            ///
            /// # Errors
            ///
            /// Returns the same errors as [`flush`](Self::flush).
            ///
            /// # Cancel safety
            ///
            /// This call is cancel safe: a dropped call can simply be repeated.
            pub async fn shutdown(&mut self) -> std::io::Result<()> {
                $crate::io::write_methods::flush(self).await
            }
        }
    };
}

pub(crate) use write_methods;
