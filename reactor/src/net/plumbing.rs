//! The part of a socket type that no user sees: registering it, and reaching the socket inside.

/// Gives `$kind`, a struct with the one field `io: Evented<$socket>`, the crate's own methods.
/// `$name` is its name in dumps.
///
/// A macro, because the methods reach a private field of each type, and a trait would show up in
/// the public signatures that mention the type. It makes no public method.
macro_rules! socket_plumbing {
    ($kind:ident, $name:literal, $socket:ty) => {
        impl $kind {
            /// Registers a fresh socket, which is tried before it is waited on although the OS has
            /// not reported it ready yet.
            pub(in crate::net) fn registered(
                socket: $socket,
                handle: &$crate::handle::Handle,
            ) -> std::io::Result<$kind> {
                let label = $crate::walk::Label::of_socket($name, $crate::descriptor::raw(&socket));
                let both = $crate::Interest::READABLE | $crate::Interest::WRITABLE;
                Ok($kind { io: $crate::evented::Evented::fresh(socket, handle, both, label)? })
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
    };
}

pub(in crate::net) use socket_plumbing;
