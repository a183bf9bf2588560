//! Standard output and standard error, written by the pool.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::AsyncWrite;

use crate::offload::Writer;

macro_rules! output {
    ($(#[$type_doc:meta])* $type:ident, $(#[$function_doc:meta])* $function:ident, $caller:literal) => {
        $(#[$type_doc])*
        #[derive(Debug)]
        pub struct $type(Writer<io::$type>);

        $(#[$function_doc])*
        #[must_use]
        pub fn $function() -> $type {
            $type(Writer::new(io::$function, $caller))
        }

        impl AsyncWrite for $type {
            fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, source: &[u8]) -> Poll<io::Result<usize>> {
                self.poll_write_vectored(cx, &[IoSlice::new(source)])
            }

            fn poll_write_vectored(
                self: Pin<&mut Self>,
                cx: &mut Context<'_>,
                sources: &[IoSlice<'_>],
            ) -> Poll<io::Result<usize>> {
                self.get_mut().0.poll_write(cx, sources)
            }

            fn is_write_vectored(&self) -> bool {
                true
            }

            fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
                self.get_mut().0.poll_flush(cx)
            }

            fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
                self.poll_flush(cx)
            }
        }

        #[cfg(unix)]
        impl std::os::fd::AsFd for $type {
            fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
                // SAFETY: the standard descriptors belong to nobody; as the standard library does,
                // we take them to be open for the life of the process.
                unsafe { std::os::fd::BorrowedFd::borrow_raw(std::os::fd::AsRawFd::as_raw_fd(self)) }
            }
        }

        #[cfg(unix)]
        impl std::os::fd::AsRawFd for $type {
            fn as_raw_fd(&self) -> std::os::fd::RawFd {
                io::$function().as_raw_fd()
            }
        }
    };
}

output! {
    /// Writes to standard output, by [`AsyncWrite`]. Made by [`stdout`].
    Stdout,
    /// Returns a handle to standard output.
    ///
    /// A write is accepted at once (up to 2 MiB of it) and made by a thread of the blocking pool
    /// while the task goes on; its error is told by the next call. Call `flush` to know that it was
    /// written: without it, what a program writes last may not be seen. What was accepted is
    /// written even if the runtime shuts down, as long as the process lasts.
    ///
    /// Lines of several handles, and of [`println!`], are not kept apart: one write at a time is
    /// made, but `write_all` may be several. To keep lines whole, give each in one write, from one
    /// task.
    ///
    /// The write that is polled first needs a runtime; this call needs none.
    ///
    /// # Cancel safety
    ///
    /// `write` is cancel safe: dropped before it is ready, nothing was written. `flush` can be
    /// called again.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::io::AsyncWriteExt;
    ///
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let mut stdout = wsrt::io::stdout();
    /// stdout.write_all(b"hello\n").await?;
    /// stdout.flush().await?;
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    stdout, "Stdout::poll_write"
}

output! {
    /// Writes to standard error, by [`AsyncWrite`]. Made by [`stderr`].
    Stderr,
    /// Returns a handle to standard error. All that [`stdout`] says holds for it.
    ///
    /// # Cancel safety
    ///
    /// `write` is cancel safe: dropped before it is ready, nothing was written. `flush` can be
    /// called again.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::io::AsyncWriteExt;
    ///
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let mut stderr = wsrt::io::stderr();
    /// stderr.write_all(b"something is wrong\n").await?;
    /// stderr.flush().await?;
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    stderr, "Stderr::poll_write"
}
