//! The methods that wait until a socket is ready, and those that run operations of the caller's own
//! on it.
//!
//! Macros for the reason that `stream/methods.rs` gives.

/// Gives `$kind` the wait in one direction: until `$call` is worth trying.
macro_rules! wait_methods {
    ($kind:ty, $wait:ident, $poll:ident, $interest:ident, $call:literal, $socket:literal, $use:literal) => {
        impl $kind {
            #[doc = concat!("Waits until a ", $call, " is worth trying. The ", $call, " may still return `WouldBlock`.")]
            ///
            /// # Errors
            ///
            /// Returns an error if the runtime was shut down.
            ///
            /// # Cancel safety
            ///
            /// If it is dropped before it is ready, nothing is lost.
            #[doc = example!($socket, $use)]
            pub async fn $wait(&self) -> std::io::Result<()> {
                self.evented().ready($crate::interest::Interest::$interest).await.map(drop)
            }

            #[doc = concat!("Polls [`", stringify!($wait), "`](Self::", stringify!($wait), "). Any number of tasks may poll.")]
            ///
            /// # Errors
            ///
            /// Returns an error if the runtime was shut down.
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
            #[doc = example!($socket, $use)]
            pub async fn ready(&self, interest: $crate::interest::Interest) -> std::io::Result<$crate::ready::Ready> {
                self.evented().ready(interest).await
            }

            /// Runs an operation of the caller's own on the socket, once, if it is worth trying;
            /// otherwise returns `WouldBlock` without running it.
            ///
            /// If `operation` returns `WouldBlock`, the directions in `interest` count as drained
            /// until the next event. So it must return that only if the OS did.
            ///
            /// # Errors
            ///
            /// Returns the error of `operation`, `WouldBlock`, or an error if the runtime was shut
            /// down.
            pub fn try_io<R>(
                &self,
                interest: $crate::interest::Interest,
                operation: impl FnOnce() -> std::io::Result<R>,
            ) -> std::io::Result<R> {
                self.evented().try_io(interest, |socket| socket.try_io(operation))
            }

            /// Runs an operation of the caller's own on the socket until it returns anything but
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
