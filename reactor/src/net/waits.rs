//! The methods that wait until a socket is ready, and the methods that run the caller's own
//! operations on it.
//!
//! They are macros for the reason given in `stream/methods.rs`.

/// Gives `$kind` the wait in one direction: until `$call` is worth trying.
macro_rules! wait_methods {
    ($kind:ty, $wait:ident, $poll:ident, $interest:ident, $call:literal, $socket:literal, $use:literal) => {
        impl $kind {
            #[doc = concat!("Waits until a ", $call, " may succeed. The ", $call, " may still return `WouldBlock`.")]
            ///
            /// # Errors
            ///
            /// Returns an error if the runtime has been shut down.
            ///
            /// # Cancel safety
            ///
            /// If the future is dropped before completion, no readiness event is lost.
            #[doc = example!($socket, $use)]
            pub async fn $wait(&self) -> std::io::Result<()> {
                self.evented().ready($crate::interest::Interest::$interest).await.map(drop)
            }

            #[doc = concat!("Returns `Poll::Ready` if a ", $call, " may succeed, as for")]
            #[doc = concat!("[`", stringify!($wait), "`](Self::", stringify!($wait), ").")]
            /// Otherwise, registers the current task to be woken. Any number of
            /// tasks may poll concurrently.
            ///
            /// # Errors
            ///
            /// Returns an error if the runtime has been shut down.
            pub fn $poll(&self, cx: &mut std::task::Context<'_>) -> std::task::Poll<std::io::Result<()>> {
                self.evented().poll_ready($crate::interest::Interest::$interest, cx).map_ok(drop)
            }
        }
    };
}

/// Gives `$kind`, a socket, the wait in any direction and operations of the caller's own.
macro_rules! operation_methods {
    ($kind:ty, $socket:literal, $use:literal) => {
        impl $kind {
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
            #[doc = example!($socket, $use)]
            pub async fn ready(&self, interest: $crate::interest::Interest) -> std::io::Result<$crate::ready::Ready> {
                self.evented().ready(interest).await
            }

            /// Runs `operation` once if the socket may be ready for `interest`. Otherwise, returns
            /// `WouldBlock` without running `operation`.
            ///
            /// If `operation` returns `WouldBlock`, the directions in `interest` count as not ready
            /// until the next event. `operation` must therefore return `WouldBlock` only if a
            /// system call on the socket did; otherwise a task may wait for an event that never
            /// comes.
            ///
            /// # Errors
            ///
            /// Returns the error of `operation`, `WouldBlock` if it was not run, or an error if the
            /// runtime has been shut down.
            pub fn try_io<R>(
                &self,
                interest: $crate::interest::Interest,
                operation: impl FnOnce() -> std::io::Result<R>,
            ) -> std::io::Result<R> {
                self.evented().try_io(interest, |socket| socket.try_io(operation))
            }

            /// Runs `operation` whenever the socket may be ready for `interest`, until `operation`
            /// returns something other than `WouldBlock`, and returns that result.
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
            pub async fn async_io<R>(
                &self,
                interest: $crate::interest::Interest,
                mut operation: impl FnMut() -> std::io::Result<R>,
            ) -> std::io::Result<R> {
                self.evented().io(interest, |socket| socket.try_io(&mut operation)).await
            }
        }
    };
}

pub(in crate::net) use {operation_methods, wait_methods};
