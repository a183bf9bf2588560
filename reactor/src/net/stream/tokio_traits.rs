//! The macros that implement `tokio::io`'s traits for a stream, a half of one or the end of a pipe.
//!
//! Reads go straight into the unfilled part of the caller's buffer, initialised or not. Vectored
//! writes are announced, so that encoders queue their pieces instead of copying them together.

macro_rules! tokio_read {
    ($kind:ty) => {
        impl tokio::io::AsyncRead for $kind {
            fn poll_read(
                self: std::pin::Pin<&mut Self>,
                cx: &mut std::task::Context<'_>,
                buf: &mut tokio::io::ReadBuf<'_>,
            ) -> std::task::Poll<std::io::Result<()>> {
                self.evented().poll_receive_buf(cx, buf).map_ok(drop)
            }
        }
    };
}

macro_rules! tokio_write {
    ($kind:ty) => {
        impl tokio::io::AsyncWrite for $kind {
            fn poll_write(
                self: std::pin::Pin<&mut Self>,
                cx: &mut std::task::Context<'_>,
                buf: &[u8],
            ) -> std::task::Poll<std::io::Result<usize>> {
                self.evented().poll_send(cx, buf)
            }

            fn poll_flush(
                self: std::pin::Pin<&mut Self>,
                cx: &mut std::task::Context<'_>,
            ) -> std::task::Poll<std::io::Result<()>> {
                $crate::net::at_once::poll_flush(cx)
            }

            fn poll_shutdown(
                self: std::pin::Pin<&mut Self>,
                cx: &mut std::task::Context<'_>,
            ) -> std::task::Poll<std::io::Result<()>> {
                $crate::net::at_once::poll_at_once(cx, || self.get_mut().end_writing())
            }

            fn poll_write_vectored(
                self: std::pin::Pin<&mut Self>,
                cx: &mut std::task::Context<'_>,
                bufs: &[std::io::IoSlice<'_>],
            ) -> std::task::Poll<std::io::Result<usize>> {
                self.evented().poll_send_vectored(cx, bufs)
            }

            fn is_write_vectored(&self) -> bool {
                true
            }
        }
    };
}

pub(in crate::net) use {tokio_read, tokio_write};
