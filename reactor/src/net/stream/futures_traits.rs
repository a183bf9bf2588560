//! The macros that implement `futures-io`'s traits: the twin of `tokio_traits.rs`, with plain
//! slices for buffers.

macro_rules! futures_read {
    ($kind:ty) => {
        impl futures_io::AsyncRead for $kind {
            fn poll_read(
                self: std::pin::Pin<&mut Self>,
                cx: &mut std::task::Context<'_>,
                buf: &mut [u8],
            ) -> std::task::Poll<std::io::Result<usize>> {
                self.evented().poll_receive_into_slice(cx, buf)
            }

            fn poll_read_vectored(
                self: std::pin::Pin<&mut Self>,
                cx: &mut std::task::Context<'_>,
                bufs: &mut [std::io::IoSliceMut<'_>],
            ) -> std::task::Poll<std::io::Result<usize>> {
                self.evented().poll_receive_vectored(cx, bufs)
            }
        }
    };
}

macro_rules! futures_write {
    ($kind:ty) => {
        impl futures_io::AsyncWrite for $kind {
            fn poll_write(
                self: std::pin::Pin<&mut Self>,
                cx: &mut std::task::Context<'_>,
                buf: &[u8],
            ) -> std::task::Poll<std::io::Result<usize>> {
                self.evented().poll_send(cx, buf)
            }

            fn poll_write_vectored(
                self: std::pin::Pin<&mut Self>,
                cx: &mut std::task::Context<'_>,
                bufs: &[std::io::IoSlice<'_>],
            ) -> std::task::Poll<std::io::Result<usize>> {
                self.evented().poll_send_vectored(cx, bufs)
            }

            fn poll_flush(
                self: std::pin::Pin<&mut Self>,
                cx: &mut std::task::Context<'_>,
            ) -> std::task::Poll<std::io::Result<()>> {
                $crate::net::at_once::poll_flush(cx)
            }

            fn poll_close(
                self: std::pin::Pin<&mut Self>,
                cx: &mut std::task::Context<'_>,
            ) -> std::task::Poll<std::io::Result<()>> {
                $crate::net::at_once::poll_at_once(cx, || self.get_mut().end_writing())
            }
        }
    };
}

pub(in crate::net) use {futures_read, futures_write};
