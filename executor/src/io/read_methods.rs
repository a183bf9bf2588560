//! The methods that read, of what is read through a thread: files and standard input.

use std::future::poll_fn;
use std::io;
use std::mem::MaybeUninit;
use std::task::{Context, Poll};

use super::target::{SliceTarget, Target, UninitTarget};

/// A stream that is read through the blocking pool, or another thread. Each family of I/O traits,
/// and the methods, are implemented by this.
pub(crate) trait PollRead {
    /// Puts bytes into `target`, none at the end.
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

/// The methods themselves, for a type that is [`PollRead`].
macro_rules! read_methods {
    ($type:ty) => {
        impl $type {
            /// Reads available bytes into `buf` and returns their number: zero at the end, or if
            /// `buf` is empty.
            ///
            /// # Errors
            ///
            /// Returns the OS error.
            ///
            /// # Cancel safety
            ///
            /// This call is cancel safe: bytes that were read are returned by the next read.
            pub async fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
                $crate::io::read_methods::read(self, buf).await
            }

            /// Polls [`read`](Self::read), for adapters that implement traits: reads into memory
            /// that need not be initialised, and returns how many of its first bytes were written.
            /// It leaves the others alone.
            ///
            /// Of several tasks that poll, the last one is woken.
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

            /// Fills `buf` and returns its length.
            ///
            /// # Errors
            ///
            /// Returns an error of kind [`UnexpectedEof`](std::io::ErrorKind::UnexpectedEof) at the
            /// end, and the OS error.
            ///
            /// # Cancel safety
            ///
            /// Not cancel safe: bytes that are in `buf` by then are not read again.
            pub async fn read_exact(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
                $crate::io::read_methods::read_exact(self, buf).await
            }

            /// Appends all bytes up to the end to `buf` and returns their number.
            ///
            /// # Errors
            ///
            /// Returns the OS error. The bytes read before it are in `buf`.
            ///
            /// # Cancel safety
            ///
            /// This call is cancel safe: the bytes read so far are in `buf`.
            pub async fn read_to_end(&mut self, buf: &mut Vec<u8>) -> std::io::Result<usize> {
                $crate::io::read_methods::read_to_end(self, buf).await
            }

            /// Appends all text up to the end to `buf` and returns its length in bytes.
            ///
            /// # Errors
            ///
            /// Returns the OS error, and an error of kind
            /// [`InvalidData`](std::io::ErrorKind::InvalidData) if it is not UTF-8. `buf` is then
            /// unchanged, and the bytes are lost.
            ///
            /// # Cancel safety
            ///
            /// Not cancel safe: the bytes read so far are lost.
            pub async fn read_to_string(&mut self, buf: &mut String) -> std::io::Result<usize> {
                $crate::io::read_methods::read_to_string(self, buf).await
            }
        }
    };
}

pub(crate) use read_methods;
