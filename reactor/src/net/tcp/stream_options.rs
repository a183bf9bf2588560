//! The options of a connected TCP socket.

use super::keepalive::TcpKeepalive;
use super::stream::TcpStream;
use std::io;
use std::time::Duration;

impl TcpStream {
    /// Returns whether small writes are sent at once.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[doc = example!("tcp_stream", "nodelay")]
    pub fn nodelay(&self) -> io::Result<bool> {
        self.options().tcp_nodelay()
    }

    /// Sends small writes at once (`true`) instead of collecting them while earlier data is in
    /// flight (`TCP_NODELAY`).
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[doc = example!("tcp_stream", "nodelay")]
    pub fn set_nodelay(&self, nodelay: bool) -> io::Result<()> {
        self.options().set_tcp_nodelay(nodelay)
    }

    /// Returns whether an idle connection is probed.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[doc = example!("tcp_stream", "keepalive")]
    pub fn keepalive(&self) -> io::Result<bool> {
        self.options().keepalive()
    }

    /// Enables probes of an idle connection, so that a vanished peer is noticed (`SO_KEEPALIVE`),
    /// at the times that the OS is set to, on Linux first after two hours;
    /// [`set_tcp_keepalive`](Self::set_tcp_keepalive) sets other times.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[doc = example!("tcp_stream", "keepalive")]
    pub fn set_keepalive(&self, keepalive: bool) -> io::Result<()> {
        self.options().set_keepalive(keepalive)
    }

    /// Enables probes of an idle connection at the given times.
    ///
    /// # Errors
    ///
    /// Returns the OS error, for a time of zero among others.
    #[doc = example!("tcp_stream", "tcp_keepalive")]
    pub fn set_tcp_keepalive(&self, keepalive: &TcpKeepalive) -> io::Result<()> {
        self.options().set_tcp_keepalive(&keepalive.of_system())
    }

    /// Returns how long closing waits for unsent data; `None` means that the OS sends it in the
    /// background.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[doc = example!("tcp_stream", "linger")]
    pub fn linger(&self) -> io::Result<Option<Duration>> {
        self.options().linger()
    }

    /// Sets how long closing waits for unsent data (`SO_LINGER`), in whole seconds.
    ///
    /// `Some(Duration::ZERO)` discards unsent data and resets the connection. Any longer time makes
    /// the drop of the stream **block its thread** while data is unsent.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[doc = example!("tcp_stream", "linger")]
    pub fn set_linger(&self, linger: Option<Duration>) -> io::Result<()> {
        self.options().set_linger(linger)
    }

    /// Makes closing the socket discard unsent data and reset the connection: the one linger time
    /// that never blocks a thread.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[doc = example!("tcp_stream", "zero_linger")]
    pub fn set_zero_linger(&self) -> io::Result<()> {
        self.set_linger(Some(Duration::ZERO))
    }

    /// Takes the error that is pending on the socket, if any.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the pending error cannot be asked for.
    #[doc = example!("tcp_stream", "take_error")]
    pub fn take_error(&self) -> io::Result<Option<io::Error>> {
        self.options().take_error()
    }

    /// Returns the size of the send buffer, in bytes. Linux returns twice the size that was set,
    /// because it counts its own bookkeeping.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[doc = example!("tcp_stream", "send_buffer_size")]
    pub fn send_buffer_size(&self) -> io::Result<u32> {
        self.options().send_buffer_size().map(|size| u32::try_from(size).unwrap_or(u32::MAX))
    }

    /// Asks for a send buffer of `size` bytes (`SO_SNDBUF`). The OS takes the size as a hint,
    /// within its own limits. On Linux this ends the buffer's automatic growth.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[doc = example!("tcp_stream", "send_buffer_size")]
    pub fn set_send_buffer_size(&self, size: u32) -> io::Result<()> {
        self.options().set_send_buffer_size(size as usize)
    }

    /// Returns the size of the receive buffer, in bytes. Linux returns twice the size that was set,
    /// because it counts its own bookkeeping.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[doc = example!("tcp_stream", "recv_buffer_size")]
    pub fn recv_buffer_size(&self) -> io::Result<u32> {
        self.options().recv_buffer_size().map(|size| u32::try_from(size).unwrap_or(u32::MAX))
    }

    /// Asks for a receive buffer of `size` bytes (`SO_RCVBUF`). The OS takes the size as a hint,
    /// within its own limits. Ask for a TCP window larger
    /// than 64 KiB before the connection is made.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[doc = example!("tcp_stream", "recv_buffer_size")]
    pub fn set_recv_buffer_size(&self, size: u32) -> io::Result<()> {
        self.options().set_recv_buffer_size(size as usize)
    }

    /// Returns the time to live of the IPv4 packets it sends, in hops.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[doc = example!("tcp_stream", "ttl")]
    pub fn ttl(&self) -> io::Result<u32> {
        self.options().ttl_v4()
    }

    /// Sets the time to live of the IPv4 packets it sends, in hops (`IP_TTL`).
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[doc = example!("tcp_stream", "ttl")]
    pub fn set_ttl(&self, ttl: u32) -> io::Result<()> {
        self.options().set_ttl_v4(ttl)
    }

    /// Returns the type-of-service byte of the IPv4 packets it sends.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[doc = example!("tcp_stream", "tos_v4")]
    pub fn tos_v4(&self) -> io::Result<u32> {
        self.options().tos_v4()
    }

    /// Sets the type-of-service byte of the IPv4 packets it sends (`IP_TOS`): the
    /// differentiated-services class in the upper six bits. TCP keeps the lower two for itself.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[doc = example!("tcp_stream", "tos_v4")]
    pub fn set_tos_v4(&self, tos: u32) -> io::Result<()> {
        self.options().set_tos_v4(tos)
    }
}

#[cfg(any(
    target_os = "android",
    target_os = "dragonfly",
    target_os = "freebsd",
    target_os = "fuchsia",
    target_os = "linux",
    target_os = "macos",
    target_os = "netbsd",
    target_os = "openbsd",
))]
impl TcpStream {
    /// Returns the traffic class of the IPv6 packets it sends.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    pub fn tclass_v6(&self) -> io::Result<u32> {
        self.options().tclass_v6()
    }

    /// Sets the traffic class of the IPv6 packets it sends (`IPV6_TCLASS`).
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    pub fn set_tclass_v6(&self, tclass: u32) -> io::Result<()> {
        self.options().set_tclass_v6(tclass)
    }
}

#[cfg(any(target_os = "linux", target_os = "android", target_os = "fuchsia"))]
impl TcpStream {
    /// Returns whether received data is acknowledged at once at the moment.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[doc = example!("tcp_stream", "quickack")]
    pub fn quickack(&self) -> io::Result<bool> {
        self.options().tcp_quickack()
    }

    /// Makes the system acknowledge received data at once (`true`), or together with sent data
    /// (`TCP_QUICKACK`). It does not last: the OS switches between the two by its own rules as the
    /// connection continues.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[doc = example!("tcp_stream", "quickack")]
    pub fn set_quickack(&self, quickack: bool) -> io::Result<()> {
        self.options().set_tcp_quickack(quickack)
    }
}
