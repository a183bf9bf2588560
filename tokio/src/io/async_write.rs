//! Writing without blocking.

use std::io::{self, Cursor, IoSlice, Write};
use std::ops::DerefMut;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Writes bytes, or says when there will be room for some.
pub trait AsyncWrite {
    /// Writes a beginning of `buf`, and returns how much.
    ///
    /// Pending: nothing was written, and the task is woken when it may be tried again.
    ///
    /// # Errors
    ///
    /// The writer's. Nothing was written then.
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>>;

    /// Brings all that was written to where it belongs.
    ///
    /// # Errors
    ///
    /// The writer's.
    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>>;

    /// Flushes and ends the writing, so that the peer sees the end.
    ///
    /// # Errors
    ///
    /// The writer's.
    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>>;

    /// Writes a beginning of the buffers' joined contents, and returns how much.
    ///
    /// Writers that have no better way write from the first buffer that is not empty.
    ///
    /// # Errors
    ///
    /// The writer's. Nothing was written then.
    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let first = bufs.iter().find(|buf| !buf.is_empty());
        self.poll_write(cx, first.map_or(&[], |buf| buf))
    }

    /// Returns whether [`poll_write_vectored`](Self::poll_write_vectored) takes several buffers.
    fn is_write_vectored(&self) -> bool {
        false
    }
}

/// All methods, by a way from a pinned `self` to the pinned writer behind it.
macro_rules! forward {
    (|$me:ident| $writer:expr) => {
        fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
            let $me = self;
            $writer.poll_write(cx, buf)
        }

        fn poll_write_vectored(
            self: Pin<&mut Self>,
            cx: &mut Context<'_>,
            bufs: &[IoSlice<'_>],
        ) -> Poll<io::Result<usize>> {
            let $me = self;
            $writer.poll_write_vectored(cx, bufs)
        }

        fn is_write_vectored(&self) -> bool {
            (**self).is_write_vectored()
        }

        fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
            let $me = self;
            $writer.poll_flush(cx)
        }

        fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
            let $me = self;
            $writer.poll_shutdown(cx)
        }
    };
}

impl<T: AsyncWrite + Unpin + ?Sized> AsyncWrite for Box<T> {
    forward!(|me| Pin::new(&mut **me.get_mut()));
}

impl<T: AsyncWrite + Unpin + ?Sized> AsyncWrite for &mut T {
    forward!(|me| Pin::new(&mut **me.get_mut()));
}

impl<P> AsyncWrite for Pin<P>
where
    P: DerefMut,
    P::Target: AsyncWrite,
{
    forward!(|me| me.as_deref_mut());
}

/// Writing to memory, which is never pending: std has it already.
macro_rules! write_to_memory {
    ($memory:ty) => {
        impl AsyncWrite for $memory {
            fn poll_write(mut self: Pin<&mut Self>, _: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
                Poll::Ready(Write::write(&mut *self, buf))
            }

            fn poll_write_vectored(
                mut self: Pin<&mut Self>,
                _: &mut Context<'_>,
                bufs: &[IoSlice<'_>],
            ) -> Poll<io::Result<usize>> {
                Poll::Ready(Write::write_vectored(&mut *self, bufs))
            }

            fn is_write_vectored(&self) -> bool {
                true
            }

            fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
                Poll::Ready(Ok(()))
            }

            fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
                Poll::Ready(Ok(()))
            }
        }
    };
}

write_to_memory!(Vec<u8>);
write_to_memory!(Cursor<&mut [u8]>);
write_to_memory!(Cursor<&mut Vec<u8>>);
write_to_memory!(Cursor<Vec<u8>>);
write_to_memory!(Cursor<Box<[u8]>>);
