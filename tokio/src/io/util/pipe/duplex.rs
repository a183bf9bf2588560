//! A two-way stream in memory, made of a pipe for each direction.

use super::simplex::{SimplexStream, Wakers, contents};
use crate::io::{AsyncRead, AsyncWrite, ReadBuf};
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

/// One end of a two-way stream in memory, created by [`duplex`].
///
/// Bytes that are written to one end are read from the other.
#[derive(Debug)]
pub struct DuplexStream {
    read: Arc<Mutex<SimplexStream>>,
    write: Arc<Mutex<SimplexStream>>,
}

/// Creates a pair of connected streams in memory, which behave like two connected sockets.
///
/// Each direction holds at most `max_buf_size` bytes, and writers wait while their direction is
/// full.
///
/// # Panics
///
/// Panics if `max_buf_size` is 0.
#[track_caller]
pub fn duplex(max_buf_size: usize) -> (DuplexStream, DuplexStream) {
    let one = Arc::new(Mutex::new(SimplexStream::new_unsplit(max_buf_size)));
    let other = Arc::new(Mutex::new(SimplexStream::new_unsplit(max_buf_size)));
    let first = DuplexStream { read: Arc::clone(&one), write: Arc::clone(&other) };
    (first, DuplexStream { read: other, write: one })
}

/// Calls `operation` with the lock held, and then wakes tasks with the lock released.
fn with<T>(pipe: &Mutex<SimplexStream>, operation: impl FnOnce(&mut SimplexStream) -> (T, Wakers)) -> T {
    let (answer, wakers) = operation(&mut pipe.lock().unwrap_or_else(|error| error.into_inner()));
    wakers.wake();
    answer
}

impl AsyncRead for DuplexStream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        with(&self.read, |pipe| pipe.read(cx, buf))
    }
}

impl AsyncWrite for DuplexStream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        with(&self.write, |pipe| pipe.write(cx, std::iter::once(buf)))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        with(&self.write, |pipe| pipe.write(cx, contents(bufs)))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        with(&self.write, |pipe| ((), pipe.close_write()));
        Poll::Ready(Ok(()))
    }
}

impl Drop for DuplexStream {
    fn drop(&mut self) {
        with(&self.write, |pipe| ((), pipe.close_write()));
        with(&self.read, |pipe| ((), pipe.close_read()));
    }
}
