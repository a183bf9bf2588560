//! The read methods of files and of standard input, which are read on another thread.

use std::future::poll_fn;
use std::io;
use std::mem::MaybeUninit;
use std::task::{Context, Poll};

use super::target::{SliceTarget, Target, UninitTarget};

/// A stream that is read on a thread of the blocking pool or on a thread of its own. The inherent
/// methods and each family of I/O traits are implemented on top of this trait.
pub(crate) trait PollRead {
    /// Reads bytes into `target`; a ready result without bytes means the end of the stream.
    fn poll_read_into(&mut self, cx: &mut Context<'_>, target: &mut impl Target) -> Poll<io::Result<()>>;
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
                $crate::io::read_methods::read(self, buf).await
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
                $crate::io::read_methods::poll_read(self, cx, buf)
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
                $crate::io::read_methods::read_exact(self, buf).await
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
                $crate::io::read_methods::read_to_end(self, buf).await
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
                $crate::io::read_methods::read_to_string(self, buf).await
            }
        }
    };
}

pub(crate) use read_methods;
