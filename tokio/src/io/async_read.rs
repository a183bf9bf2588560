//! The trait for async reading.

use super::ReadBuf;
use std::io::{self, Cursor};
use std::ops::DerefMut;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Reads bytes from a source without blocking the thread.
///
/// Implement this trait for your own readers. To read, use the methods of `AsyncReadExt`.
pub trait AsyncRead {
    /// Attempts to read bytes, and appends them to the filled part of `buf`.
    ///
    /// If the result is `Ready(Ok(()))` and nothing was appended although `buf` had room, the
    /// reader has reached its end.
    ///
    /// If no bytes are available yet, returns `Pending`. In that case nothing has been read, and
    /// the current task is woken when it should try again.
    ///
    /// # Errors
    ///
    /// Returns the reader's error. Nothing has been read in that case.
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>>;
}

impl<T: AsyncRead + Unpin + ?Sized> AsyncRead for Box<T> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut **self).poll_read(cx, buf)
    }
}

impl<T: AsyncRead + Unpin + ?Sized> AsyncRead for &mut T {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut **self).poll_read(cx, buf)
    }
}

impl<P> AsyncRead for Pin<P>
where
    P: DerefMut,
    P::Target: AsyncRead,
{
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.as_deref_mut().poll_read(cx, buf)
    }
}

impl AsyncRead for &[u8] {
    fn poll_read(mut self: Pin<&mut Self>, _: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let (now, later) = self.split_at(self.len().min(buf.remaining()));
        buf.put_slice(now);
        *self = later;
        Poll::Ready(Ok(()))
    }
}

impl<T: AsRef<[u8]> + Unpin> AsyncRead for Cursor<T> {
    fn poll_read(mut self: Pin<&mut Self>, _: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let position = self.position();
        let bytes = self.get_ref().as_ref();
        let start = usize::try_from(position).map_or(bytes.len(), |position| position.min(bytes.len()));
        let n = (bytes.len() - start).min(buf.remaining());
        buf.put_slice(&bytes[start..][..n]);
        self.set_position(position + n as u64);
        Poll::Ready(Ok(()))
    }
}
