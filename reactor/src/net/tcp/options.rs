//! The options of a connection.

use super::stream::TcpStream;
use socket2::SockRef;
use std::io;
use std::time::Duration;

impl TcpStream {
    /// Tells whether small writes are sent at once.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn nodelay(&self) -> io::Result<bool> {
        self.socket().nodelay()
    }

    /// Sends small writes at once (`true`) instead of collecting them while data is under way (`TCP_NODELAY`).
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn set_nodelay(&self, nodelay: bool) -> io::Result<()> {
        self.socket().set_nodelay(nodelay)
    }

    /// Tells whether an idle connection is probed.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn keepalive(&self) -> io::Result<bool> {
        self.options().keepalive()
    }

    /// Has an idle connection probed, so that a peer that vanished is noticed (`SO_KEEPALIVE`). When and how often is
    /// the system's setting, on Linux first after two hours.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn set_keepalive(&self, keepalive: bool) -> io::Result<()> {
        self.options().set_keepalive(keepalive)
    }

    /// Returns how long closing waits for unsent data; `None` is the system's way, in the background.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn linger(&self) -> io::Result<Option<Duration>> {
        self.options().linger()
    }

    /// Sets how long closing waits for unsent data (`SO_LINGER`), in whole seconds.
    ///
    /// `Some(Duration::ZERO)` throws unsent data away and resets the connection. Any longer time makes the drop of the
    /// stream **block its thread** while data is unsent.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn set_linger(&self, linger: Option<Duration>) -> io::Result<()> {
        self.options().set_linger(linger)
    }

    /// Returns the time to live of the packets it sends.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn ttl(&self) -> io::Result<u32> {
        self.socket().ttl()
    }

    /// Sets the time to live of the packets it sends, in hops.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn set_ttl(&self, ttl: u32) -> io::Result<()> {
        self.socket().set_ttl(ttl)
    }

    /// Takes the error that is pending on the socket, if any.
    ///
    /// # Errors
    ///
    /// When it cannot be asked for.
    pub fn take_error(&self) -> io::Result<Option<io::Error>> {
        self.socket().take_error()
    }

    fn options(&self) -> SockRef<'_> {
        SockRef::from(self.socket())
    }
}
