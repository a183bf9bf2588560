//! Reading without blocking.

use super::ReadBuf;
use std::io::{self, Cursor};
use std::ops::DerefMut;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Reads bytes, or says when there will be some.
pub trait AsyncRead {
    /// Appends what is there to the filled part of `buf`. Ready with nothing appended, where `buf`
    /// had room, means the end.
    ///
    /// Pending: nothing was read, and the task is woken when it may be tried again.
    ///
    /// # Errors
    ///
    /// The reader's. Nothing was read then.
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
