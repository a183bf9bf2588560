//! Macros that forward the methods of an I/O trait to a field.

/// Implements `AsyncRead` by forwarding to a pinned field.
macro_rules! forward_read {
    ($field:ident) => {
        fn poll_read(
            self: std::pin::Pin<&mut Self>,
            cx: &mut std::task::Context<'_>,
            buf: &mut $crate::io::ReadBuf<'_>,
        ) -> std::task::Poll<std::io::Result<()>> {
            self.project().$field.poll_read(cx, buf)
        }
    };
}

/// Implements `AsyncBufRead` by forwarding to a pinned field.
macro_rules! forward_buf_read {
    ($field:ident) => {
        fn poll_fill_buf(
            self: std::pin::Pin<&mut Self>,
            cx: &mut std::task::Context<'_>,
        ) -> std::task::Poll<std::io::Result<&[u8]>> {
            self.project().$field.poll_fill_buf(cx)
        }

        fn consume(self: std::pin::Pin<&mut Self>, amt: usize) {
            self.project().$field.consume(amt);
        }
    };
}

/// Implements `AsyncWrite` by forwarding to a pinned field.
macro_rules! forward_write {
    ($field:ident) => {
        fn poll_write(
            self: std::pin::Pin<&mut Self>,
            cx: &mut std::task::Context<'_>,
            buf: &[u8],
        ) -> std::task::Poll<std::io::Result<usize>> {
            self.project().$field.poll_write(cx, buf)
        }

        fn poll_write_vectored(
            self: std::pin::Pin<&mut Self>,
            cx: &mut std::task::Context<'_>,
            bufs: &[std::io::IoSlice<'_>],
        ) -> std::task::Poll<std::io::Result<usize>> {
            self.project().$field.poll_write_vectored(cx, bufs)
        }

        fn is_write_vectored(&self) -> bool {
            self.$field.is_write_vectored()
        }

        fn poll_flush(
            self: std::pin::Pin<&mut Self>,
            cx: &mut std::task::Context<'_>,
        ) -> std::task::Poll<std::io::Result<()>> {
            self.project().$field.poll_flush(cx)
        }

        fn poll_shutdown(
            self: std::pin::Pin<&mut Self>,
            cx: &mut std::task::Context<'_>,
        ) -> std::task::Poll<std::io::Result<()>> {
            self.project().$field.poll_shutdown(cx)
        }
    };
}

/// Implements `AsyncSeek` by forwarding to a pinned field.
macro_rules! forward_seek {
    ($field:ident) => {
        fn start_seek(self: std::pin::Pin<&mut Self>, position: std::io::SeekFrom) -> std::io::Result<()> {
            self.project().$field.start_seek(position)
        }

        fn poll_complete(
            self: std::pin::Pin<&mut Self>,
            cx: &mut std::task::Context<'_>,
        ) -> std::task::Poll<std::io::Result<u64>> {
            self.project().$field.poll_complete(cx)
        }
    };
}

pub(crate) use {forward_buf_read, forward_read, forward_seek, forward_write};
