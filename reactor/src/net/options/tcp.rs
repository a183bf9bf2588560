//! What a TCP connection has, and a socket that is to become one.

use super::TcpKeepalive;
use std::time::Duration;

macro_rules! connection_options {
    ($kind:ty) => {
        impl $kind {
            /// Tells whether small writes are sent at once.
            ///
            /// # Errors
            ///
            /// The system's.
            pub fn nodelay(&self) -> std::io::Result<bool> {
                self.options().tcp_nodelay()
            }

            /// Sends small writes at once (`true`) instead of collecting them while data is under
            /// way (`TCP_NODELAY`).
            ///
            /// # Errors
            ///
            /// The system's.
            pub fn set_nodelay(&self, nodelay: bool) -> std::io::Result<()> {
                self.options().set_tcp_nodelay(nodelay)
            }

            /// Tells whether an idle connection is probed.
            ///
            /// # Errors
            ///
            /// The system's.
            pub fn keepalive(&self) -> std::io::Result<bool> {
                self.options().keepalive()
            }

            /// Has an idle connection probed, so that a peer that vanished is noticed
            /// (`SO_KEEPALIVE`). When and how often is the system's setting, on Linux first after
            /// two hours; [`set_tcp_keepalive`](Self::set_tcp_keepalive) says otherwise.
            ///
            /// # Errors
            ///
            /// The system's.
            pub fn set_keepalive(&self, keepalive: bool) -> std::io::Result<()> {
                self.options().set_keepalive(keepalive)
            }

            /// Has an idle connection probed at the times given.
            ///
            /// # Errors
            ///
            /// The system's, for a time of zero among others.
            pub fn set_tcp_keepalive(&self, keepalive: &TcpKeepalive) -> std::io::Result<()> {
                self.options().set_tcp_keepalive(&keepalive.of_system())
            }

            /// Returns how long closing waits for unsent data; `None` is the system's way, in the
            /// background.
            ///
            /// # Errors
            ///
            /// The system's.
            pub fn linger(&self) -> std::io::Result<Option<Duration>> {
                self.options().linger()
            }

            /// Sets how long closing waits for unsent data (`SO_LINGER`), in whole seconds.
            ///
            /// `Some(Duration::ZERO)` throws unsent data away and resets the connection. Any longer
            /// time makes the drop of the stream **block its thread** while data is unsent.
            ///
            /// # Errors
            ///
            /// The system's.
            pub fn set_linger(&self, linger: Option<Duration>) -> std::io::Result<()> {
                self.options().set_linger(linger)
            }

            /// Has closing throw unsent data away and reset the connection: the linger time that
            /// blocks nobody.
            ///
            /// # Errors
            ///
            /// The system's.
            pub fn set_zero_linger(&self) -> std::io::Result<()> {
                self.set_linger(Some(Duration::ZERO))
            }
        }
    };
}

connection_options!(crate::net::TcpSocket);
connection_options!(crate::net::TcpStream);
