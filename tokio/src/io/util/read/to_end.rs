//! Reads to a reader's end.

use crate::io::util::interrupted::uninterrupted;
use crate::io::{AsyncRead, ReadBuf};
use pin_project_lite::pin_project;
use std::future::Future;
use std::io;
use std::marker::PhantomPinned;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// The minimum number of bytes that a read has room for.
const ROOM: usize = 32;

/// Counts the bytes that are read to the end of a vector.
#[derive(Debug)]
pub(crate) struct Progress {
    read: usize,
    /// The number of initialized bytes after the vector's end, which readers need not initialize
    /// again.
    initialized: usize,
    first_capacity: usize,
}

impl Progress {
    pub(crate) fn of(buf: &Vec<u8>) -> Self {
        Self { read: 0, initialized: 0, first_capacity: buf.capacity() }
    }

    /// Returns the number of bytes read since the start.
    pub(crate) fn read(&self) -> usize {
        self.read
    }

    /// Reads to the reader's end, appends the bytes to `buf`, and returns the number of bytes read
    /// since the start.
    pub(crate) fn poll<R: AsyncRead + ?Sized>(
        &mut self,
        mut reader: Pin<&mut R>,
        cx: &mut Context<'_>,
        buf: &mut Vec<u8>,
    ) -> Poll<io::Result<usize>> {
        loop {
            let n = if buf.capacity() - buf.len() >= ROOM {
                ready!(uninterrupted(|| self.poll_in_place(reader.as_mut(), cx, buf)))?
            } else if buf.capacity() == self.first_capacity {
                // The caller may have made it as long as the input is: see whether there is more.
                ready!(uninterrupted(|| self.poll_aside(reader.as_mut(), cx, buf)))?
            } else {
                buf.reserve(ROOM);
                self.initialized = 0;
                continue;
            };
            if n == 0 {
                return Poll::Ready(Ok(self.read));
            }
            self.read += n;
        }
    }

    fn poll_in_place<R: AsyncRead + ?Sized>(
        &mut self,
        reader: Pin<&mut R>,
        cx: &mut Context<'_>,
        buf: &mut Vec<u8>,
    ) -> Poll<io::Result<usize>> {
        let len = buf.len();
        let mut room = ReadBuf::uninit(buf.spare_capacity_mut());
        let start = room.filled().as_ptr();
        // SAFETY: an earlier read gave them values, and neither the vector nor its allocation has
        // changed since, but for its length: the count was lowered by as much.
        unsafe { room.assume_init(self.initialized) };
        let answer = reader.poll_read(cx, &mut room);
        assert_eq!(start, room.filled().as_ptr(), "the reader has put another buffer in place of the one it was given");
        let n = room.filled().len();
        self.initialized = room.initialized().len() - n;
        // SAFETY: the reader has filled as many bytes behind the end.
        unsafe { buf.set_len(len + n) };
        ready!(answer)?;
        Poll::Ready(Ok(n))
    }

    fn poll_aside<R: AsyncRead + ?Sized>(
        &mut self,
        reader: Pin<&mut R>,
        cx: &mut Context<'_>,
        buf: &mut Vec<u8>,
    ) -> Poll<io::Result<usize>> {
        let mut room = [MaybeUninit::uninit(); ROOM];
        let mut room = ReadBuf::uninit(&mut room);
        ready!(reader.poll_read(cx, &mut room))?;
        let read = room.filled();
        buf.extend_from_slice(read);
        // Of what lay behind the end, as much may have been taken, or all was left behind.
        self.initialized = 0;
        Poll::Ready(Ok(read.len()))
    }
}

pin_project! {
    /// The future returned by [`read_to_end`](super::AsyncReadExt::read_to_end).
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct ReadToEnd<'a, R: ?Sized> {
        reader: &'a mut R,
        buf: &'a mut Vec<u8>,
        progress: Progress,
        #[pin]
        pinned: PhantomPinned,
    }
}

impl<'a, R: ?Sized> ReadToEnd<'a, R> {
    pub(super) fn new(reader: &'a mut R, buf: &'a mut Vec<u8>) -> Self {
        let progress = Progress::of(buf);
        Self { reader, buf, progress, pinned: PhantomPinned }
    }
}

impl<R: AsyncRead + Unpin + ?Sized> Future for ReadToEnd<'_, R> {
    type Output = io::Result<usize>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let me = self.project();
        me.progress.poll(Pin::new(me.reader), cx, me.buf)
    }
}
