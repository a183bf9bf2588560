//! Standard output and standard error, written by the blocking pool.

use std::io::{self, IoSlice, Write};
use std::task::{Context, Poll, ready};

use wsrt_sync::budget::poll_spending_once;

use crate::io::buffer::{Buffer, MOST_AT_ONCE};
#[cfg(feature = "tokio-io")]
use crate::io::methods::tokio_write;
use crate::io::methods::{PollWrite, write_methods};
use crate::io::offload::{Lent, promise};

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

        write_methods!($type);

        impl PollWrite for $type {
            fn poll_write_from(&mut self, cx: &mut Context<'_>, sources: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
                poll_spending_once(cx, |cx| self.0.poll_write(cx, sources))
            }

            fn poll_written(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
                poll_spending_once(cx, |cx| self.0.poll_flush(cx))
            }
        }

        #[cfg(feature = "tokio-io")]
        tokio_write!($type);

        #[cfg(unix)]
        impl std::os::fd::AsFd for $type {
            fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
                // SAFETY: the standard descriptors have no owner; like the standard library, this
                // takes them to be open for the life of the process.
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
    /// A handle to the process's standard output. Returned by [`stdout`].
    ///
    /// The handle implements `AsyncWrite` with feature `tokio-io`.
    Stdout,
    /// Returns a handle to the process's standard output.
    ///
    /// A write accepts up to 2 MiB and returns immediately; a thread of the blocking pool writes
    /// the bytes in the background, and the next call returns the error of a failed write. Call
    /// `flush` to wait until all bytes are written: without a flush, the last output of a program
    /// may be lost. Accepted bytes are written even if the runtime shuts down, unless the process
    /// exits first.
    ///
    /// Output from several handles, or from [`println!`], may be interleaved: writes are made one
    /// at a time, but `write_all` may split its bytes into several writes. To keep lines intact,
    /// write each line with one `write` call, from one task.
    ///
    /// Creating the handle needs no runtime, but the first poll of a write does.
    ///
    /// # Cancel safety
    ///
    /// `write` is cancel safe: if the future is dropped before it completes, no bytes were
    /// accepted. `flush` is cancel safe: a dropped call can be repeated.
    ///
    /// # Examples
    ///
    /// ```
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
    /// A handle to the process's standard error. Returned by [`stderr`].
    ///
    /// The handle implements `AsyncWrite` with feature `tokio-io`.
    Stderr,
    /// Returns a handle to the process's standard error, which buffers and reports errors like the
    /// handle that [`stdout`] returns.
    ///
    /// # Cancel safety
    ///
    /// `write` is cancel safe: if the future is dropped before it completes, no bytes were
    /// accepted. `flush` is cancel safe: a dropped call can be repeated.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let mut stderr = wsrt::io::stderr();
    /// stderr.write_all(b"something is wrong\n").await?;
    /// stderr.flush().await?;
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    stderr, "Stderr::poll_write"
}

/// A writer for the stream that `open` returns, which runs one write job at a time, in order.
#[derive(Debug)]
struct Writer<W> {
    /// Opens the stream, which therefore need not move between threads.
    open: fn() -> W,
    caller: &'static str,
    buffer: Lent<Buffer, io::Result<()>>,
    /// True if anything was written since the last flush.
    is_dirty: bool,
}

impl<W: Write + 'static> Writer<W> {
    /// Creates a writer whose panics outside a runtime name `caller`.
    pub(super) fn new(open: fn() -> W, caller: &'static str) -> Self {
        Self { open, caller, buffer: Lent::Here(Buffer::new()), is_dirty: false }
    }

    /// Accepts as many bytes of `slices` as one job may write. The next call returns the job's
    /// error.
    pub(super) fn poll_write(&mut self, cx: &mut Context<'_>, slices: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        ready!(self.poll_idle(cx))?;
        if slices.iter().all(|slice| slice.is_empty()) {
            return Poll::Ready(Ok(0));
        }
        let (open, mut buffer) = (self.open, self.buffer.take());
        let count = buffer.put_all(slices, MOST_AT_ONCE);
        self.is_dirty = true;
        self.buffer = Lent::WithJob(promise(self.caller, move || {
            let outcome = buffer.write_to(&mut open());
            (buffer, outcome)
        })?);
        Poll::Ready(Ok(count))
    }

    /// Waits until all accepted bytes are written and flushed.
    pub(super) fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            ready!(self.poll_idle(cx))?;
            if !self.is_dirty {
                return Poll::Ready(Ok(()));
            }
            let (open, buffer) = (self.open, self.buffer.take());
            self.buffer = Lent::WithJob(promise(self.caller, move || (buffer, open().flush()))?);
            self.is_dirty = false;
        }
    }

    /// Waits for the job in progress, if any, and returns its error.
    fn poll_idle(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = ready!(self.buffer.poll_outcome(cx))?;
        Poll::Ready(outcome.unwrap_or(Ok(())))
    }
}
