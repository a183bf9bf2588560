//! `TokioIo`: converts between hyper's I/O traits and tokio's.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use hyper::rt::{self, ReadBufCursor};
use pin_project_lite::pin_project;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

pin_project! {
    /// A wrapper that implements hyper's `Read` and `Write` for a stream that implements tokio's
    /// `AsyncRead` and `AsyncWrite`, and vice versa.
    ///
    /// Use `TokioIo` to run hyper over a TLS stream, or a WebSocket over an upgraded hyper
    /// connection. wsrt's own streams implement both families of traits and do not need it. The
    /// wrapper neither buffers nor copies data, and vectored writes remain vectored.
    ///
    /// # Examples
    ///
    /// ```
    /// use tokio::io::{AsyncRead, AsyncWrite};
    /// use wsrt_hyper::TokioIo;
    ///
    /// fn for_hyper(tls: impl AsyncRead + AsyncWrite) -> impl hyper::rt::Read + hyper::rt::Write {
    ///     TokioIo::new(tls)
    /// }
    /// ```
    #[derive(Debug)]
    pub struct TokioIo<T> {
        #[pin]
        inner: T,
    }
}

impl<T> TokioIo<T> {
    /// Wraps `inner`, so that it implements the other family of I/O traits.
    pub fn new(inner: T) -> Self {
        Self { inner }
    }

    /// Consumes the wrapper and returns the wrapped stream.
    pub fn into_inner(self) -> T {
        self.inner
    }

    /// Returns a reference to the wrapped stream.
    pub fn get_ref(&self) -> &T {
        &self.inner
    }

    /// Returns a mutable reference to the wrapped stream. Bytes that are read or written directly
    /// bypass the user of the wrapper.
    pub fn get_mut(&mut self) -> &mut T {
        &mut self.inner
    }
}

impl<T: AsyncRead> rt::Read for TokioIo<T> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, mut cursor: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        // SAFETY: a `ReadBuf` writes initialised bytes only, so nothing initialised is made
        // uninitialised.
        let unfilled = unsafe { cursor.as_mut() };
        let start = unfilled.as_ptr().cast::<u8>();
        let mut buf = ReadBuf::uninit(unfilled);
        ready!(self.project().inner.poll_read(cx, &mut buf))?;
        // A reader has the buffer by `&mut` and could replace it by another, whose count says
        // nothing about this one.
        assert_eq!(buf.filled().as_ptr(), start, "wsrt: an `AsyncRead` exchanged the buffer that it was given");
        let count = buf.filled().len();
        // SAFETY: the buffer is the cursor's, and the bytes that a `ReadBuf` counts as filled are
        // initialised.
        unsafe { cursor.advance(count) };
        Poll::Ready(Ok(()))
    }
}

impl<T: rt::Read> AsyncRead for TokioIo<T> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        // SAFETY: hyper's `ReadBuf` writes initialised bytes only, so nothing initialised is made
        // uninitialised.
        let unfilled = unsafe { buf.unfilled_mut() };
        let mut inner = rt::ReadBuf::uninit(unfilled);
        ready!(self.project().inner.poll_read(cx, inner.unfilled()))?;
        let count = inner.filled().len();
        // SAFETY: the reader that advanced hyper's cursor has guaranteed that so many bytes are
        // initialised, and they are the first of the unfilled part. The cursor cannot be exchanged
        // for another: the reader got it by value.
        unsafe { buf.assume_init(count) };
        buf.advance(count);
        Poll::Ready(Ok(()))
    }
}

/// Forwards the writes of one family to the other: the methods have the same names and types.
macro_rules! forward_writes {
    ($($from:path => $to:path),*) => {$(
        impl<T: $from> $to for TokioIo<T> {
            fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
                self.project().inner.poll_write(cx, buf)
            }

            fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
                self.project().inner.poll_flush(cx)
            }

            fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
                self.project().inner.poll_shutdown(cx)
            }

            fn is_write_vectored(&self) -> bool {
                self.inner.is_write_vectored()
            }

            fn poll_write_vectored(
                self: Pin<&mut Self>,
                cx: &mut Context<'_>,
                bufs: &[IoSlice<'_>],
            ) -> Poll<io::Result<usize>> {
                self.project().inner.poll_write_vectored(cx, bufs)
            }
        }
    )*};
}

forward_writes!(AsyncWrite => rt::Write, rt::Write => AsyncWrite);

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::MaybeUninit;
    use std::task::Waker;

    /// Returns its bytes, one fewer than requested, and accepts all bytes written.
    #[derive(Default)]
    struct Loop(Vec<u8>);

    impl AsyncRead for Loop {
        fn poll_read(mut self: Pin<&mut Self>, _: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
            let count = self.0.len().min(buf.remaining() - 1);
            buf.put_slice(&self.0.drain(..count).collect::<Vec<_>>());
            Poll::Ready(Ok(()))
        }
    }

    impl AsyncWrite for Loop {
        fn poll_write(mut self: Pin<&mut Self>, _: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
            self.0.extend_from_slice(buf);
            Poll::Ready(Ok(buf.len()))
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Err(io::ErrorKind::NotConnected.into()))
        }

        fn is_write_vectored(&self) -> bool {
            true
        }
    }

    #[test]
    fn bytes_cross_both_bridges_unchanged_behind_earlier_ones() {
        let mut context = Context::from_waker(Waker::noop());
        let mut io = TokioIo::new(TokioIo::new(Loop::default()));
        let written = Pin::new(&mut io).poll_write(&mut context, b"through two bridges");
        assert!(matches!(written, Poll::Ready(Ok(19))));

        let mut memory = [MaybeUninit::uninit(); 12];
        let mut buf = ReadBuf::uninit(&mut memory);
        buf.put_slice(b"> ");
        assert!(AsyncRead::poll_read(Pin::new(&mut io), &mut context, &mut buf).is_ready());
        assert_eq!(buf.filled(), b"> through t");
        assert!(AsyncRead::poll_read(Pin::new(&mut io), &mut context, &mut buf).is_ready());
        assert_eq!(buf.filled(), b"> through t", "a byte less than one is none");
        assert_eq!(io.into_inner().into_inner().0, b"wo bridges");
    }

    #[test]
    fn what_the_stream_says_of_itself_goes_through() {
        let mut context = Context::from_waker(Waker::noop());
        let mut io = TokioIo::new(TokioIo::new(Loop::default()));
        assert!(AsyncWrite::is_write_vectored(&io));
        let ended = AsyncWrite::poll_shutdown(Pin::new(&mut io), &mut context);
        assert!(matches!(ended, Poll::Ready(Err(error)) if error.kind() == io::ErrorKind::NotConnected));
    }

    /// Replaces the caller's buffer by another one, with more in it.
    struct Thief;

    impl AsyncRead for Thief {
        fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
            let mut other = ReadBuf::new(Box::leak(Box::new([0; 64])));
            other.set_filled(64);
            *buf = other;
            Poll::Ready(Ok(()))
        }
    }

    #[test]
    #[should_panic = "exchanged the buffer"]
    fn a_reader_that_exchanges_the_buffer_is_caught() {
        let mut context = Context::from_waker(Waker::noop());
        let mut memory = [MaybeUninit::uninit(); 8];
        let mut buf = rt::ReadBuf::uninit(&mut memory);
        let _ = rt::Read::poll_read(Pin::new(&mut TokioIo::new(Thief)), &mut context, buf.unfilled());
    }
}
