//! The trait for async writing.

use std::io::{self, Cursor, IoSlice, Write};
use std::ops::DerefMut;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Writes bytes to a destination without blocking the thread.
///
/// Implement this trait for your own writers. To write, use the methods of `AsyncWriteExt`.
pub trait AsyncWrite {
    /// Attempts to write bytes of `buf`, starting with the first.
    ///
    /// Returns the number of bytes written, which may be smaller than the length of `buf`.
    ///
    /// If the writer has no room yet, returns `Pending`. In that case nothing has been written, and
    /// the current task is woken when it should try again.
    ///
    /// # Errors
    ///
    /// Returns the writer's error. Nothing has been written in that case.
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>>;

    /// Attempts to flush the writer, so that all bytes written so far reach their destination.
    ///
    /// # Errors
    ///
    /// Returns the writer's error.
    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>>;

    /// Attempts to flush the writer and to shut it down, so that the peer reads the end of the
    /// stream.
    ///
    /// # Errors
    ///
    /// Returns the writer's error.
    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>>;

    /// Attempts to write bytes of the slices in `bufs`, in order, as if the slices were a single
    /// buffer.
    ///
    /// Returns the number of bytes written.
    ///
    /// The default implementation writes from the first slice that is not empty.
    ///
    /// # Errors
    ///
    /// Returns the writer's error. Nothing has been written in that case.
    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let first = bufs.iter().find(|buf| !buf.is_empty());
        self.poll_write(cx, first.map_or(&[], |buf| buf))
    }

    /// Returns `true` if [`poll_write_vectored`](Self::poll_write_vectored) can write several
    /// slices at once.
    fn is_write_vectored(&self) -> bool {
        false
    }
}

/// Implements all methods by forwarding to the pinned writer behind a pinned `self`.
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

/// Implements `AsyncWrite` for memory with std's `Write`, which never blocks there.
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
