//! The internal part of a socket type: registration, and access to the inner socket.

/// Gives `$kind`, a struct with the one field `io: Evented<$socket>`, the crate's own methods.
/// `$name` is its name in dumps.
///
/// A macro, because the methods reach a private field of each type, and a trait would show up in
/// the public signatures that mention the type. It makes no public method.
macro_rules! socket_plumbing {
    ($kind:ident, $name:literal, $socket:ty) => {
        impl $kind {
            /// Registers a fresh socket, which is tried before it is waited on although the OS has
            /// not reported it ready yet; in tokio's place it is waited on.
            pub(in crate::net) fn registered(
                socket: $socket,
                handle: &$crate::handle::Handle,
            ) -> std::io::Result<$kind> {
                let label = $crate::net::kinds::label($name, &socket);
                let untried = $crate::drop_in::UNTRIED;
                Ok($kind { io: $crate::evented::Evented::fresh(socket, handle, untried, label)? })
            }

            pub(in crate::net) fn evented(&self) -> &$crate::evented::Evented<$socket> {
                &self.io
            }

            pub(in crate::net) fn socket(&self) -> &$socket {
                self.io.get_ref()
            }

            pub(in crate::net) fn options(&self) -> socket2::SockRef<'_> {
                socket2::SockRef::from(self.socket())
            }
        }

        impl std::fmt::Debug for $kind {
            /// Shows the socket: its addresses and its descriptor.
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.socket().fmt(f)
            }
        }
    };
}

/// Gives `$kind`, which has `socket_plumbing!`, a way into being for sockets that are connected
/// from the start: those that are accepted, and pairs.
macro_rules! born_connected {
    ($kind:ident, $name:literal, $socket:ty) => {
        impl $kind {
            /// Registers a socket that is connected, and counts as ready in these directions until
            /// an operation finds otherwise: code that asks before it tries need not wait for an
            /// event.
            pub(in crate::net) fn connected(
                socket: $socket,
                handle: &$crate::handle::Handle,
                ready: $crate::Interest,
            ) -> std::io::Result<$kind> {
                let label = $crate::net::kinds::label($name, &socket);
                let untried = $crate::drop_in::UNTRIED;
                Ok($kind { io: $crate::evented::Evented::connected(socket, handle, untried, ready, label)? })
            }
        }
    };
}

pub(in crate::net) use {born_connected, socket_plumbing};
