//! The bytes between a read and a write.

use crate::io::util::interrupted::uninterrupted;
use crate::io::{AsyncRead, AsyncWrite, ReadBuf};
use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use wsrt_sync::budget;

/// A buffer that carries bytes from a reader to a writer.
#[derive(Debug)]
pub(super) struct Buffer {
    bytes: Box<[u8]>,
    /// The bytes from `start` to `end` have been read and must still be written.
    start: usize,
    end: usize,
    copied: u64,
    has_ended: bool,
    /// `true` if the writer has accepted bytes since its last flush.
    is_unflushed: bool,
}

impl Buffer {
    pub(super) fn new(len: usize) -> Self {
        let bytes = vec![0; len].into_boxed_slice();
        Self { bytes, start: 0, end: 0, copied: 0, has_ended: false, is_unflushed: false }
    }

    /// Copies until the reader has ended, and flushes the writer. Returns the number of bytes
    /// copied.
    pub(super) fn poll_copy<R, W>(
        &mut self,
        cx: &mut Context<'_>,
        mut reader: Pin<&mut R>,
        mut writer: Pin<&mut W>,
    ) -> Poll<io::Result<u64>>
    where
        R: AsyncRead + ?Sized,
        W: AsyncWrite + ?Sized,
    {
        // One unit a poll: wsrt's readers and writers take theirs themselves.
        ready!(budget::poll_proceed(cx));
        let mut has_moved = false;
        let answer = self.poll_run(cx, reader.as_mut(), writer.as_mut(), &mut has_moved);
        if has_moved || answer.is_ready() {
            budget::spend();
        }
        answer
    }

    fn poll_run<R, W>(
        &mut self,
        cx: &mut Context<'_>,
        mut reader: Pin<&mut R>,
        mut writer: Pin<&mut W>,
        has_moved: &mut bool,
    ) -> Poll<io::Result<u64>>
    where
        R: AsyncRead + ?Sized,
        W: AsyncWrite + ?Sized,
    {
        loop {
            // Reads even when there is something to write: larger writes are fewer.
            if !self.has_ended && self.end < self.bytes.len() {
                match self.poll_fill(cx, reader.as_mut())? {
                    Poll::Ready(()) => *has_moved = true,
                    Poll::Pending if self.start < self.end => {}
                    Poll::Pending => {
                        // The reader may wait for an answer to bytes that the writer still holds.
                        if self.is_unflushed {
                            ready!(writer.as_mut().poll_flush(cx))?;
                            self.is_unflushed = false;
                            *has_moved = true;
                        }
                        return Poll::Pending;
                    }
                }
            }
            while self.start < self.end {
                ready!(self.poll_empty(cx, reader.as_mut(), writer.as_mut()))?;
                *has_moved = true;
            }
            self.start = 0;
            self.end = 0;
            if self.has_ended {
                ready!(writer.as_mut().poll_flush(cx))?;
                return Poll::Ready(Ok(self.copied));
            }
        }
    }

    /// Reads once, and appends the bytes to the buffer.
    fn poll_fill<R>(&mut self, cx: &mut Context<'_>, mut reader: Pin<&mut R>) -> Poll<io::Result<()>>
    where
        R: AsyncRead + ?Sized,
    {
        let mut buf = ReadBuf::new(&mut self.bytes);
        buf.set_filled(self.end);
        ready!(uninterrupted(|| reader.as_mut().poll_read(cx, &mut buf)))?;
        let end = buf.filled().len();
        self.has_ended = end == self.end;
        self.end = end;
        Poll::Ready(Ok(()))
    }

    /// Writes some of the buffered bytes once.
    fn poll_empty<R, W>(
        &mut self,
        cx: &mut Context<'_>,
        reader: Pin<&mut R>,
        mut writer: Pin<&mut W>,
    ) -> Poll<io::Result<()>>
    where
        R: AsyncRead + ?Sized,
        W: AsyncWrite + ?Sized,
    {
        let rest = &self.bytes[self.start..self.end];
        let Poll::Ready(n) = uninterrupted(|| writer.as_mut().poll_write(cx, rest))? else {
            if !self.has_ended && self.end < self.bytes.len() {
                ready!(self.poll_fill(cx, reader))?;
            }
            return Poll::Pending;
        };
        if n == 0 {
            return Poll::Ready(Err(ErrorKind::WriteZero.into()));
        }
        self.start += n;
        self.copied += n as u64;
        self.is_unflushed = true;
        Poll::Ready(Ok(()))
    }
}
