//! The methods that write, of what is written through the blocking pool: files, standard output and
//! standard error.

use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::task::{Context, Poll};

/// A stream that is written through the blocking pool. Each family of I/O traits, and the methods,
/// are implemented by this.
pub(crate) trait PollWrite {
    /// Takes bytes of `sources`, in their order, and returns how many.
    fn poll_write_from(&mut self, cx: &mut Context<'_>, sources: &[IoSlice<'_>]) -> Poll<io::Result<usize>>;

    /// Waits until everything is written.
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

/// The methods themselves, for a type that is [`PollWrite`].
macro_rules! write_methods {
    ($type:ty) => {
        impl $type {
            /// Takes bytes of `buf`, to be written while the task continues, and returns how many.
            ///
            /// # Errors
            ///
            /// Returns the error of the write before it.
            ///
            /// # Cancel safety
            ///
            /// This call is cancel safe: if the future is dropped before it is ready, nothing was
            /// written.
            pub async fn write(&mut self, buf: &[u8]) -> std::io::Result<usize> {
                $crate::io::write_methods::write(self, buf).await
            }

            /// Polls [`write`](Self::write), for adapters that implement traits.
            ///
            /// # Errors
            ///
            /// Returns the error of the write before it.
            pub fn poll_write(
                &mut self,
                cx: &mut std::task::Context<'_>,
                buf: &[u8],
            ) -> std::task::Poll<std::io::Result<usize>> {
                $crate::io::write_methods::PollWrite::poll_write_from(self, cx, &[std::io::IoSlice::new(buf)])
            }

            /// Polls a write of several buffers, which are taken in their order as if they were
            /// one, and returns how many bytes were taken.
            ///
            /// # Errors
            ///
            /// Returns the error of the write before it.
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
            /// Returns the error of an earlier write, or the OS error.
            pub fn poll_flush(&mut self, cx: &mut std::task::Context<'_>) -> std::task::Poll<std::io::Result<()>> {
                $crate::io::write_methods::PollWrite::poll_written(self, cx)
            }

            /// Takes all of `buf`, to be written while the task continues.
            ///
            /// # Errors
            ///
            /// Returns the error of an earlier write.
            ///
            /// # Cancel safety
            ///
            /// Not cancel safe: it is unknown how much of `buf` was written.
            pub async fn write_all(&mut self, buf: &[u8]) -> std::io::Result<()> {
                $crate::io::write_methods::write_all(self, buf).await
            }

            /// Waits until everything is written.
            ///
            /// # Errors
            ///
            /// Returns the error of an earlier write, or the OS error.
            ///
            /// # Cancel safety
            ///
            /// This call is cancel safe: it can be called again.
            pub async fn flush(&mut self) -> std::io::Result<()> {
                $crate::io::write_methods::flush(self).await
            }

            /// Waits until everything is written, as [`flush`](Self::flush) does.
            ///
            /// # Errors
            ///
            /// Returns the errors of [`flush`](Self::flush).
            ///
            /// # Cancel safety
            ///
            /// This call is cancel safe: it can be called again.
            pub async fn shutdown(&mut self) -> std::io::Result<()> {
                $crate::io::write_methods::flush(self).await
            }
        }
    };
}

pub(crate) use write_methods;
