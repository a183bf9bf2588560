//! tokio's I/O traits for the streams that another thread reads or writes.

/// Implements `AsyncWrite` for a type that implements
/// [`PollWrite`](super::write_methods::PollWrite).
macro_rules! tokio_write {
    ($type:ty) => {
        impl tokio::io::AsyncWrite for $type {
            fn poll_write(
                self: std::pin::Pin<&mut Self>,
                cx: &mut std::task::Context<'_>,
                source: &[u8],
            ) -> std::task::Poll<std::io::Result<usize>> {
                self.get_mut().poll_write_from(cx, &[std::io::IoSlice::new(source)])
            }

            fn poll_write_vectored(
                self: std::pin::Pin<&mut Self>,
                cx: &mut std::task::Context<'_>,
                sources: &[std::io::IoSlice<'_>],
            ) -> std::task::Poll<std::io::Result<usize>> {
                self.get_mut().poll_write_from(cx, sources)
            }

            fn is_write_vectored(&self) -> bool {
                true
            }

            fn poll_flush(
                self: std::pin::Pin<&mut Self>,
                cx: &mut std::task::Context<'_>,
            ) -> std::task::Poll<std::io::Result<()>> {
                self.get_mut().poll_written(cx)
            }

            fn poll_shutdown(
                self: std::pin::Pin<&mut Self>,
                cx: &mut std::task::Context<'_>,
            ) -> std::task::Poll<std::io::Result<()>> {
                self.get_mut().poll_written(cx)
            }
        }
    };
}

pub(crate) use tokio_write;
