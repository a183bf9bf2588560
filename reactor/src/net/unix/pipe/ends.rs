//! The methods of both ends of a pipe: to make one, to take it apart, and to run operations of the
//! caller's own on it.

/// Gives `$kind`, a struct with the one field `io`, the methods of an end of a pipe. The last three
/// words name examples.
macro_rules! pipe_end_methods {
    ($kind:ident, $end:ident, $interest:ident, $socket:literal, $fd_use:literal, $ready_use:literal) => {
        impl $kind {
            /// Takes over a file that is this end of a pipe, and makes it non-blocking.
            ///
            /// # Panics
            ///
            /// Panics outside a runtime.
            ///
            /// # Errors
            ///
            /// Returns `InvalidInput` if it is no pipe or is not open in this direction, or the OS
            /// error.
            #[track_caller]
            pub fn from_file(file: std::fs::File) -> std::io::Result<$kind> {
                let context = $crate::context::required(concat!(stringify!($kind), "::from_file"));
                $crate::net::unix::pipe::descriptor::check(&file, $crate::net::unix::pipe::descriptor::PipeEnd::$end)?;
                Self::take_over(file.into(), context.handle())
            }

            /// Takes over a descriptor that is this end of a pipe, and makes it non-blocking.
            ///
            /// # Panics
            ///
            /// Panics outside a runtime.
            ///
            /// # Errors
            ///
            /// Returns `InvalidInput` if it is no pipe or is not open in this direction, or the OS
            /// error.
            #[track_caller]
            pub fn from_owned_fd(owned_fd: std::os::fd::OwnedFd) -> std::io::Result<$kind> {
                let context = $crate::context::required(concat!(stringify!($kind), "::from_owned_fd"));
                let file = std::fs::File::from(owned_fd);
                $crate::net::unix::pipe::descriptor::check(&file, $crate::net::unix::pipe::descriptor::PipeEnd::$end)?;
                Self::take_over(file.into(), context.handle())
            }

            /// Takes over a file like [`from_file`](Self::from_file), without checking that it is a
            /// pipe. A file that the OS cannot poll is refused all the same.
            ///
            /// # Panics
            ///
            /// Panics outside a runtime.
            ///
            /// # Errors
            ///
            /// Returns the OS error.
            #[track_caller]
            pub fn from_file_unchecked(file: std::fs::File) -> std::io::Result<$kind> {
                let context = $crate::context::required(concat!(stringify!($kind), "::from_file_unchecked"));
                Self::take_over(file.into(), context.handle())
            }

            /// Takes over a descriptor like [`from_owned_fd`](Self::from_owned_fd), without
            /// checking that it is a pipe. A file that the OS cannot poll is refused all the same.
            ///
            /// # Panics
            ///
            /// Panics outside a runtime.
            ///
            /// # Errors
            ///
            /// Returns the OS error.
            #[track_caller]
            pub fn from_owned_fd_unchecked(owned_fd: std::os::fd::OwnedFd) -> std::io::Result<$kind> {
                let context = $crate::context::required(concat!(stringify!($kind), "::from_owned_fd_unchecked"));
                Self::take_over(owned_fd, context.handle())
            }

            /// Returns its descriptor, whose operations block, as other processes expect.
            ///
            /// # Errors
            ///
            /// Returns the OS error; the pipe's end is closed then.
            #[doc = example!($socket, $fd_use)]
            pub fn into_blocking_fd(self) -> std::io::Result<std::os::fd::OwnedFd> {
                let owned_fd = self.into_nonblocking_fd()?;
                $crate::net::unix::pipe::descriptor::set_blocking(std::os::fd::AsFd::as_fd(&owned_fd), true)?;
                Ok(owned_fd)
            }

            /// Returns its descriptor, whose operations do not block.
            ///
            /// # Errors
            ///
            /// Returns the OS error if it cannot be taken out of the poll; it is closed then.
            pub fn into_nonblocking_fd(self) -> std::io::Result<std::os::fd::OwnedFd> {
                self.io.into_inner().map(std::os::fd::OwnedFd::from)
            }

            /// Waits until one of the directions in `interest` is worth trying, and returns the
            /// conditions that hold.
            ///
            /// # Errors
            ///
            /// Returns an error if the runtime was shut down.
            ///
            /// # Cancel safety
            ///
            /// If it is dropped before it is ready, nothing is lost.
            #[doc = example!($socket, $ready_use)]
            pub async fn ready(&self, interest: $crate::interest::Interest) -> std::io::Result<$crate::ready::Ready> {
                self.evented().ready(interest).await
            }

            /// Runs the caller's operation on the pipe once, if it is worth trying;
            /// otherwise returns `WouldBlock` without running it.
            ///
            /// If `operation` returns `WouldBlock`, the pipe counts as not ready until the next
            /// event. So it must return that only if the OS did.
            ///
            /// # Errors
            ///
            /// Returns the error of `operation`, `WouldBlock`, or an error if the runtime was shut
            /// down.
            pub fn try_io<R>(&self, operation: impl FnOnce() -> std::io::Result<R>) -> std::io::Result<R> {
                self.evented().try_io($crate::interest::Interest::$interest, |socket| socket.try_io(operation))
            }

            /// Runs the caller's operation on the pipe until it returns anything but
            /// `WouldBlock`, waiting in between.
            ///
            /// `operation` must keep to the rule of [`try_io`](Self::try_io).
            ///
            /// # Errors
            ///
            /// Returns the error of `operation`, or an error if the runtime was shut down.
            ///
            /// # Cancel safety
            ///
            /// If it is dropped before it is ready, `operation` has not succeeded: nothing is lost.
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
