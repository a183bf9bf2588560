//! The options of a UDP socket, except for broadcast and multicast, which are in `multicast.rs`.

use super::UdpSocket;
use std::io;

impl UdpSocket {
    /// Takes the error that is pending on the socket, if any.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the pending error cannot be asked for.
    #[doc = example!("udp_socket", "take_error")]
    pub fn take_error(&self) -> io::Result<Option<io::Error>> {
        self.options().take_error()
    }

    /// Returns the size of the send buffer, in bytes. Linux returns twice the size that was set,
    /// because it counts its own bookkeeping.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[doc = example!("udp_socket", "send_buffer_size")]
    pub fn send_buffer_size(&self) -> io::Result<u32> {
        self.options().send_buffer_size().map(|size| u32::try_from(size).unwrap_or(u32::MAX))
    }

    /// Asks for a send buffer of `size` bytes (`SO_SNDBUF`). The OS takes the size as a hint,
    /// within its own limits. On Linux this ends the buffer's automatic growth.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[doc = example!("udp_socket", "send_buffer_size")]
    pub fn set_send_buffer_size(&self, size: u32) -> io::Result<()> {
        self.options().set_send_buffer_size(size as usize)
    }

    /// Returns the size of the receive buffer, in bytes. Linux returns twice the size that was set,
    /// because it counts its own bookkeeping.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[doc = example!("udp_socket", "recv_buffer_size")]
    pub fn recv_buffer_size(&self) -> io::Result<u32> {
        self.options().recv_buffer_size().map(|size| u32::try_from(size).unwrap_or(u32::MAX))
    }

    /// Asks for a receive buffer of `size` bytes (`SO_RCVBUF`). The OS takes the size as a hint,
    /// within its own limits.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[doc = example!("udp_socket", "recv_buffer_size")]
    pub fn set_recv_buffer_size(&self, size: u32) -> io::Result<()> {
        self.options().set_recv_buffer_size(size as usize)
    }

    /// Returns the time to live of the IPv4 packets it sends, in hops.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[doc = example!("udp_socket", "ttl")]
    pub fn ttl(&self) -> io::Result<u32> {
        self.options().ttl_v4()
    }

    /// Sets the time to live of the IPv4 packets it sends, in hops (`IP_TTL`).
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[doc = example!("udp_socket", "ttl")]
    pub fn set_ttl(&self, ttl: u32) -> io::Result<()> {
        self.options().set_ttl_v4(ttl)
    }

    /// Returns the type-of-service byte of the IPv4 packets it sends.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[doc = example!("udp_socket", "tos_v4")]
    pub fn tos_v4(&self) -> io::Result<u32> {
        self.options().tos_v4()
    }

    /// Sets the type-of-service byte of the IPv4 packets it sends (`IP_TOS`): the
    /// differentiated-services class in the upper six bits.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[doc = example!("udp_socket", "tos_v4")]
    pub fn set_tos_v4(&self, tos: u32) -> io::Result<()> {
        self.options().set_tos_v4(tos)
    }

    /// Returns [`tos_v4`](Self::tos_v4), by its older name.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[doc(hidden)]
    #[deprecated(note = "renamed to `tos_v4`")]
    pub fn tos(&self) -> io::Result<u32> {
        self.tos_v4()
    }

    /// Does [`set_tos_v4`](Self::set_tos_v4), by its older name.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[doc(hidden)]
    #[deprecated(note = "renamed to `set_tos_v4`")]
    pub fn set_tos(&self, tos: u32) -> io::Result<()> {
        self.set_tos_v4(tos)
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
impl UdpSocket {
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
impl UdpSocket {
    /// Returns the name of the network interface that it is bound to, if any.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    pub fn device(&self) -> io::Result<Option<Vec<u8>>> {
        self.options().device()
    }

    /// Binds it to the network interface of that name, such as `eth0` (`SO_BINDTODEVICE`): it
    /// receives only from this interface and sends only through it. `None` undoes it.
    ///
    /// # Errors
    ///
    /// Returns the OS error: `NotFound` or the like if there is no such interface,
    /// `PermissionDenied` where the OS asks for a privilege (Linux for changing it once it is set).
    pub fn bind_device(&self, interface: Option<&[u8]>) -> io::Result<()> {
        self.options().bind_device(interface)
    }
}
