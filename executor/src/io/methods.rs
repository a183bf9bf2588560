//! The methods and traits of streams that another thread reads or writes: files and the standard
//! streams.

use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::task::{Context, Poll};

use crate::io::buffer::{ReadTarget, SliceTarget, UninitTarget};

/// A stream that is read on a thread of the blocking pool or on its own thread. The inherent
/// methods and each family of I/O traits are implemented on top of this trait.
pub(crate) trait PollRead {
    /// Reads bytes into `target`; a ready result without bytes means the end of the stream.
    fn poll_read_into(&mut self, cx: &mut Context<'_>, target: &mut impl ReadTarget) -> Poll<io::Result<()>>;
}

pub(crate) async fn read(stream: &mut impl PollRead, buf: &mut [u8]) -> io::Result<usize> {
    let mut target = SliceTarget::new(buf);
    poll_fn(|cx| stream.poll_read_into(cx, &mut target)).await?;
    Ok(target.filled())
}

pub(crate) fn poll_read(
    stream: &mut impl PollRead,
    cx: &mut Context<'_>,
    buf: &mut [MaybeUninit<u8>],
) -> Poll<io::Result<usize>> {
    let mut target = UninitTarget::new(buf);
    stream.poll_read_into(cx, &mut target).map_ok(|()| target.filled())
}

pub(crate) async fn read_exact(stream: &mut impl PollRead, buf: &mut [u8]) -> io::Result<usize> {
    let mut target = SliceTarget::new(buf);
    while target.room() > 0 {
        let before = target.filled();
        poll_fn(|cx| stream.poll_read_into(cx, &mut target)).await?;
        if target.filled() == before {
            let error = "the stream ended before the buffer was full";
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, error));
        }
    }
    Ok(target.filled())
}

pub(crate) async fn read_to_end(stream: &mut impl PollRead, buf: &mut Vec<u8>) -> io::Result<usize> {
    let begin = buf.len();
    loop {
        let before = buf.len();
        poll_fn(|cx| stream.poll_read_into(cx, buf)).await?;
        if buf.len() == before {
            return Ok(before - begin);
        }
    }
}

pub(crate) async fn read_to_string(stream: &mut impl PollRead, buf: &mut String) -> io::Result<usize> {
    let mut bytes = Vec::new();
    read_to_end(stream, &mut bytes).await?;
    let text = String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
    buf.push_str(&text);
    Ok(text.len())
}

/// Generates the inherent read methods for a type that implements [`PollRead`].
macro_rules! read_methods {
    ($type:ty) => {
        impl $type {
            /// Reads available bytes into `buf` and returns the number of bytes read. Returns 0 at
            /// the end of the stream, or if `buf` is empty.
            ///
            /// # Errors
            ///
            /// Returns the OS error.
            ///
            /// # Cancel safety
            ///
            /// This call is cancel safe: the next read returns bytes that a dropped call has read.
            pub async fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
                $crate::io::methods::read(self, buf).await
            }

            /// Polls [`read`](Self::read), for adapters that implement I/O traits. Reads into
            /// `buf`, which may be uninitialised, and returns the number of bytes written to its
            /// start. The rest of `buf` is left untouched.
            ///
            /// If several tasks poll, only the task that polled last is woken.
            ///
            /// # Errors
            ///
            /// Returns the OS error.
            pub fn poll_read(
                &mut self,
                cx: &mut std::task::Context<'_>,
                buf: &mut [std::mem::MaybeUninit<u8>],
            ) -> std::task::Poll<std::io::Result<usize>> {
                $crate::io::methods::poll_read(self, cx, buf)
            }

            /// Reads exactly enough bytes to fill `buf`, and returns the length of `buf`.
            ///
            /// # Errors
            ///
            /// Returns an error of kind [`UnexpectedEof`](std::io::ErrorKind::UnexpectedEof) if the
            /// stream ends before `buf` is full, and otherwise the OS error.
            ///
            /// # Cancel safety
            ///
            /// Not cancel safe: bytes that a dropped call has read into `buf` are not read again.
            pub async fn read_exact(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
                $crate::io::methods::read_exact(self, buf).await
            }

            /// Reads all bytes up to the end, appends them to `buf`, and returns their number.
            ///
            /// # Errors
            ///
            /// Returns the OS error. The bytes that were read before the error are in `buf`.
            ///
            /// # Cancel safety
            ///
            /// This call is cancel safe: the bytes that were read so far are in `buf`.
            pub async fn read_to_end(&mut self, buf: &mut Vec<u8>) -> std::io::Result<usize> {
                $crate::io::methods::read_to_end(self, buf).await
            }

            /// Reads all text up to the end, appends it to `buf`, and returns its length in bytes.
            ///
            /// # Errors
            ///
            /// Returns the OS error, or an error of kind
            /// [`InvalidData`](std::io::ErrorKind::InvalidData) if the stream is not valid UTF-8.
            /// In both cases `buf` is unchanged, and the bytes that were read are lost.
            ///
            /// # Cancel safety
            ///
            /// Not cancel safe: the bytes that were read so far are lost.
            pub async fn read_to_string(&mut self, buf: &mut String) -> std::io::Result<usize> {
                $crate::io::methods::read_to_string(self, buf).await
            }
        }
    };
}

pub(crate) use read_methods;

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
                $crate::io::methods::write(self, buf).await
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
                $crate::io::methods::PollWrite::poll_write_from(self, cx, &[std::io::IoSlice::new(buf)])
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
                $crate::io::methods::PollWrite::poll_write_from(self, cx, bufs)
            }

            /// Polls [`flush`](Self::flush).
            ///
            /// # Errors
            ///
            /// Returns the error of an earlier write, or the OS error of the flush.
            pub fn poll_flush(&mut self, cx: &mut std::task::Context<'_>) -> std::task::Poll<std::io::Result<()>> {
                $crate::io::methods::PollWrite::poll_written(self, cx)
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
                $crate::io::methods::write_all(self, buf).await
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
                $crate::io::methods::flush(self).await
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
                $crate::io::methods::flush(self).await
            }
        }
    };
}

pub(crate) use write_methods;

/// Implements `AsyncRead` for a type that implements [`PollRead`].
#[cfg(feature = "tokio-io")]
macro_rules! tokio_read {
    ($type:ty) => {
        impl tokio::io::AsyncRead for $type {
            fn poll_read(
                self: std::pin::Pin<&mut Self>,
                cx: &mut std::task::Context<'_>,
                target: &mut tokio::io::ReadBuf<'_>,
            ) -> std::task::Poll<std::io::Result<()>> {
                self.get_mut().poll_read_into(cx, target)
            }
        }
    };
}

#[cfg(feature = "tokio-io")]
pub(crate) use tokio_read;

/// Implements `AsyncWrite` for a type that implements
/// [`PollWrite`].
#[cfg(feature = "tokio-io")]
macro_rules! tokio_write {
    ($type:ty) => {
        impl tokio::io::AsyncWrite for $type {
            fn poll_write(
                self: std::pin::Pin<&mut Self>,
                cx: &mut std::task::Context<'_>,
                source: &[u8],
            ) -> std::task::Poll<std::io::Result<usize>> {
                self.get_mut().poll_write_from(cx, &[std::io::IoSlice::new(source)])
            }

            fn poll_write_vectored(
                self: std::pin::Pin<&mut Self>,
                cx: &mut std::task::Context<'_>,
                sources: &[std::io::IoSlice<'_>],
            ) -> std::task::Poll<std::io::Result<usize>> {
                self.get_mut().poll_write_from(cx, sources)
            }

            fn is_write_vectored(&self) -> bool {
                true
            }

            fn poll_flush(
                self: std::pin::Pin<&mut Self>,
                cx: &mut std::task::Context<'_>,
            ) -> std::task::Poll<std::io::Result<()>> {
                self.get_mut().poll_written(cx)
            }

            fn poll_shutdown(
                self: std::pin::Pin<&mut Self>,
                cx: &mut std::task::Context<'_>,
            ) -> std::task::Poll<std::io::Result<()>> {
                self.get_mut().poll_written(cx)
            }
        }
    };
}

#[cfg(feature = "tokio-io")]
pub(crate) use tokio_write;
