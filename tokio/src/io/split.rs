//! Splits a stream into halves that share the stream behind a lock.

use super::{AsyncRead, AsyncWrite, ReadBuf};
use std::fmt;
use std::io::{self, IoSlice};
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

/// The read half of a stream. Created by [`split`].
pub struct ReadHalf<T> {
    shared: Arc<Shared<T>>,
    /// Lets threads share a half only if they may share the stream.
    shares: PhantomData<T>,
}

/// The write half of a stream. Created by [`split`].
pub struct WriteHalf<T> {
    shared: Arc<Shared<T>>,
    /// Lets threads share a half only if they may share the stream.
    shares: PhantomData<T>,
}

// They hold the stream behind an `Arc`, and never move it.
impl<T> Unpin for ReadHalf<T> {}
impl<T> Unpin for WriteHalf<T> {}

struct Shared<T> {
    /// The stream, which is never moved while both halves exist.
    stream: Mutex<T>,
    is_write_vectored: bool,
}

impl<T> Shared<T> {
    fn with<R>(&self, operation: impl FnOnce(Pin<&mut T>) -> R) -> R {
        let mut stream = self.stream.lock().expect("the other half's poll has not panicked");
        // SAFETY: it stays where it is, in the `Arc`, until `unsplit`, which asks for `Unpin`.
        operation(unsafe { Pin::new_unchecked(&mut *stream) })
    }
}

/// Splits a stream into a read half and a write half, which two tasks can use at the same time.
///
/// Call [`shutdown`](super::AsyncWriteExt::shutdown) to close the stream's writing side. Dropping
/// the write half does not close the writing side while the read half still exists.
pub fn split<T: AsyncRead + AsyncWrite>(stream: T) -> (ReadHalf<T>, WriteHalf<T>) {
    let is_write_vectored = stream.is_write_vectored();
    let shared = Arc::new(Shared { stream: Mutex::new(stream), is_write_vectored });
    let read = ReadHalf { shared: Arc::clone(&shared), shares: PhantomData };
    (read, WriteHalf { shared, shares: PhantomData })
}

impl<T> ReadHalf<T> {
    /// Returns `true` if `self` and `other` are halves of the same stream.
    pub fn is_pair_of(&self, other: &WriteHalf<T>) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    /// Rejoins the two halves, and returns the original stream.
    ///
    /// # Panics
    ///
    /// Panics if the halves belong to different streams.
    #[track_caller]
    pub fn unsplit(self, wr: WriteHalf<T>) -> T
    where
        T: Unpin,
    {
        assert!(self.is_pair_of(&wr), "the halves are of different streams");
        drop(wr);
        let shared = Arc::into_inner(self.shared).expect("there were two halves");
        shared.stream.into_inner().expect("no poll of a half has panicked")
    }
}

impl<T> WriteHalf<T> {
    /// Returns `true` if `self` and `other` are halves of the same stream.
    pub fn is_pair_of(&self, other: &ReadHalf<T>) -> bool {
        other.is_pair_of(self)
    }
}

impl<T: AsyncRead> AsyncRead for ReadHalf<T> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.shared.with(|stream| stream.poll_read(cx, buf))
    }
}

impl<T: AsyncWrite> AsyncWrite for WriteHalf<T> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.shared.with(|stream| stream.poll_write(cx, buf))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.shared.with(|stream| stream.poll_write_vectored(cx, bufs))
    }

    fn is_write_vectored(&self) -> bool {
        self.shared.is_write_vectored
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.shared.with(|stream| stream.poll_flush(cx))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.shared.with(|stream| stream.poll_shutdown(cx))
    }
}

impl<T: fmt::Debug> fmt::Debug for ReadHalf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadHalf").finish_non_exhaustive()
    }
}

impl<T: fmt::Debug> fmt::Debug for WriteHalf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WriteHalf").finish_non_exhaustive()
    }
}
