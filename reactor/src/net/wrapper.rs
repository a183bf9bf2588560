//! What every socket type is: a registered socket of mio's, to be had from the standard library's
//! and turned into it.

/// Gives `$kind`, a struct with the one field `io: Evented<$socket>`, what all of them have.
/// `$name` is its name in texts.
macro_rules! wraps {
    ($kind:ident, $name:literal, $socket:ty, $standard:ty) => {
        impl $kind {
            /// Takes over the standard library's socket and makes it non-blocking.
            ///
            /// # Panics
            ///
            /// Outside a runtime.
            ///
            /// # Errors
            ///
            /// When the system refuses to make it non-blocking or to poll it, or the runtime was
            /// shut down.
            #[track_caller]
            pub fn from_std(socket: $standard) -> std::io::Result<$kind> {
                let context = $crate::context::required(concat!($name, "::from_std"));
                socket.set_nonblocking(true)?;
                Self::registered(<$socket>::from_std(socket), context.handle())
            }

            /// Turns it into the standard library's socket, still non-blocking.
            ///
            /// # Errors
            ///
            /// When the system refuses to let go of it; it is closed then.
            pub fn into_std(self) -> std::io::Result<$standard> {
                self.io.into_inner().map(<$standard>::from)
            }

            /// A fresh socket is tried before it is waited on, though nothing says yet that it is
            /// ready.
            pub(in crate::net) fn registered(
                socket: $socket,
                handle: &$crate::handle::Handle,
            ) -> std::io::Result<$kind> {
                let label = $crate::walk::Label::of_socket($name, $crate::descriptor::raw(&socket));
                let both = $crate::Interest::READABLE | $crate::Interest::WRITABLE;
                Ok($kind { io: $crate::evented::Evented::fresh(socket, handle, both, label)? })
            }

            pub(crate) fn evented(&self) -> &$crate::evented::Evented<$socket> {
                &self.io
            }

            pub(in crate::net) fn socket(&self) -> &$socket {
                self.io.get_ref()
            }

            pub(crate) fn options(&self) -> socket2::SockRef<'_> {
                socket2::SockRef::from(self.socket())
            }
        }

        impl TryFrom<$standard> for $kind {
            type Error = std::io::Error;

            #[doc = concat!("As [`", $name, "::from_std`].")]
            #[track_caller]
            fn try_from(socket: $standard) -> std::io::Result<$kind> {
                Self::from_std(socket)
            }
        }
    };
}
