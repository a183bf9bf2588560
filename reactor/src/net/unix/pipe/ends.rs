//! The methods of both ends of a pipe: to make one, to take it apart, and to run operations of the
//! caller's own on it.

/// Gives `$kind`, a struct with the one field `io`, the methods of an end of a pipe. The last three
/// words name examples.
macro_rules! pipe_end_methods {
    ($kind:ident, $end:ident, $interest:ident, $socket:literal, $fd_use:literal, $ready_use:literal) => {
        impl $kind {
            /// Creates this end of a pipe from an open file, and sets the file to non-blocking
            /// mode.
            ///
            /// # Panics
            ///
            /// Panics if called outside a runtime.
            ///
            /// # Errors
            ///
            /// Returns `InvalidInput` if the file is not a pipe or is not open in the required
            /// direction, or the OS error.
            #[track_caller]
            pub fn from_file(file: std::fs::File) -> std::io::Result<$kind> {
                let context = $crate::context::required(concat!(stringify!($kind), "::from_file"));
                $crate::net::unix::pipe::descriptor::check(&file, $crate::net::unix::pipe::descriptor::PipeEnd::$end)?;
                Self::take_over(file.into(), context.handle())
            }

            /// Creates this end of a pipe from a file descriptor, and sets the descriptor to
            /// non-blocking mode.
            ///
            /// # Panics
            ///
            /// Panics if called outside a runtime.
            ///
            /// # Errors
            ///
            /// Returns `InvalidInput` if the descriptor is not a pipe or is not open in the
            /// required direction, or the OS error.
            #[track_caller]
            pub fn from_owned_fd(owned_fd: std::os::fd::OwnedFd) -> std::io::Result<$kind> {
                let context = $crate::context::required(concat!(stringify!($kind), "::from_owned_fd"));
                let file = std::fs::File::from(owned_fd);
                $crate::net::unix::pipe::descriptor::check(&file, $crate::net::unix::pipe::descriptor::PipeEnd::$end)?;
                Self::take_over(file.into(), context.handle())
            }

            /// Creates this end of a pipe from an open file, as [`from_file`](Self::from_file)
            /// does, without checking that the file is a pipe. A file that the OS cannot poll is
            /// rejected nevertheless.
            ///
            /// # Panics
            ///
            /// Panics if called outside a runtime.
            ///
            /// # Errors
            ///
            /// Returns the OS error.
            #[track_caller]
            pub fn from_file_unchecked(file: std::fs::File) -> std::io::Result<$kind> {
                let context = $crate::context::required(concat!(stringify!($kind), "::from_file_unchecked"));
                Self::take_over(file.into(), context.handle())
            }

            /// Creates this end of a pipe from a file descriptor, as
            /// [`from_owned_fd`](Self::from_owned_fd) does, without checking that the descriptor is
            /// a pipe. A file that the OS cannot poll is rejected nevertheless.
            ///
            /// # Panics
            ///
            /// Panics if called outside a runtime.
            ///
            /// # Errors
            ///
            /// Returns the OS error.
            #[track_caller]
            pub fn from_owned_fd_unchecked(owned_fd: std::os::fd::OwnedFd) -> std::io::Result<$kind> {
                let context = $crate::context::required(concat!(stringify!($kind), "::from_owned_fd_unchecked"));
                Self::take_over(owned_fd, context.handle())
            }

            /// Deregisters this end from the netpoller, and returns its file descriptor in blocking
            /// mode, which other processes expect.
            ///
            /// # Errors
            ///
            /// Returns the OS error. This end of the pipe is then closed.
            #[doc = example!($socket, $fd_use)]
            pub fn into_blocking_fd(self) -> std::io::Result<std::os::fd::OwnedFd> {
                let owned_fd = self.into_nonblocking_fd()?;
                $crate::net::unix::pipe::descriptor::set_blocking(std::os::fd::AsFd::as_fd(&owned_fd), true)?;
                Ok(owned_fd)
            }

            /// Deregisters this end from the netpoller, and returns its file descriptor, which
            /// remains in non-blocking mode.
            ///
            /// # Errors
            ///
            /// Returns the OS error if this end cannot be deregistered from the netpoller. This end
            /// of the pipe is then closed.
            pub fn into_nonblocking_fd(self) -> std::io::Result<std::os::fd::OwnedFd> {
                self.io.into_inner().map(std::os::fd::OwnedFd::from)
            }

            /// Waits until at least one of the directions in `interest` may be ready, and returns
            /// the conditions found. An operation may still return `WouldBlock` afterwards.
            ///
            /// # Errors
            ///
            /// Returns an error if the runtime has been shut down.
            ///
            /// # Cancel safety
            ///
            /// If the future is dropped before completion, no readiness event is lost.
            #[doc = example!($socket, $ready_use)]
            pub async fn ready(&self, interest: $crate::interest::Interest) -> std::io::Result<$crate::ready::Ready> {
                self.evented().ready(interest).await
            }

            /// Runs `operation` once if the pipe may be ready. Otherwise, returns `WouldBlock`
            /// without running `operation`.
            ///
            /// If `operation` returns `WouldBlock`, the pipe counts as not ready until the next
            /// event. `operation` must therefore return `WouldBlock` only if a system call on the
            /// pipe did; otherwise a task may wait for an event that never comes.
            ///
            /// # Errors
            ///
            /// Returns the error of `operation`, `WouldBlock` if it was not run, or an error if the
            /// runtime has been shut down.
            pub fn try_io<R>(&self, operation: impl FnOnce() -> std::io::Result<R>) -> std::io::Result<R> {
                self.evented().try_io($crate::interest::Interest::$interest, |socket| socket.try_io(operation))
            }

            /// Runs `operation` whenever the pipe may be ready, until `operation` returns something
            /// other than `WouldBlock`, and returns that result.
            ///
            /// As with [`try_io`](Self::try_io), `operation` must return `WouldBlock` only if a
            /// system call did.
            ///
            /// # Errors
            ///
            /// Returns the error of `operation`, or an error if the runtime has been shut down.
            ///
            /// # Cancel safety
            ///
            /// If the future is dropped before completion, `operation` has not succeeded, so no
            /// data is lost.
            pub async fn async_io<R>(&self, mut operation: impl FnMut() -> std::io::Result<R>) -> std::io::Result<R> {
                self.evented().io($crate::interest::Interest::$interest, |socket| socket.try_io(&mut operation)).await
            }

            fn take_over(owned_fd: std::os::fd::OwnedFd, handle: &$crate::handle::Handle) -> std::io::Result<$kind> {
                $crate::net::unix::pipe::descriptor::set_blocking(std::os::fd::AsFd::as_fd(&owned_fd), false)?;
                Self::registered(mio::unix::pipe::$kind::from(owned_fd), handle)
            }

            /// The pipe does not count as ready before an event reports it: a receiver that is
            /// there before any sender would otherwise read the end of the stream.
            pub(super) fn registered(
                pipe: mio::unix::pipe::$kind,
                handle: &$crate::handle::Handle,
            ) -> std::io::Result<$kind> {
                let descriptor = std::os::fd::AsRawFd::as_raw_fd(&pipe);
                let label = $crate::walk::Label::of_foreign(concat!("pipe::", stringify!($kind)), descriptor);
                Ok($kind {
                    io: $crate::evented::Evented::fresh(pipe, handle, $crate::interest::Interest::NONE, label)?,
                })
            }

            pub(crate) fn evented(&self) -> &$crate::evented::Evented<mio::unix::pipe::$kind> {
                &self.io
            }

            pub(in crate::net) fn socket(&self) -> &mio::unix::pipe::$kind {
                self.io.get_ref()
            }
        }
    };
}

pub(super) use pipe_end_methods;
