//! Socket options that several kinds of sockets share. They are macros for the reason given in
//! `stream/methods.rs`.

/// Gives `$kind`, whose `options` are a `SockRef`, its pending error and the sizes of its buffers.
/// `$window` is more about the latter.
macro_rules! buffer_methods {
    ($kind:ty, $socket:literal, $window:literal) => {
        impl $kind {
            /// Returns the pending error of the socket (`SO_ERROR`) and clears it, or returns
            /// `None` if there is no pending error.
            ///
            /// # Errors
            ///
            /// Returns the OS error if the pending error cannot be retrieved.
            #[doc = example!($socket, "take_error")]
            pub fn take_error(&self) -> std::io::Result<Option<std::io::Error>> {
                self.options().take_error()
            }

            /// Returns the size of this socket's send buffer (`SO_SNDBUF`), in bytes. Linux returns
            /// twice the size that was set, because it counts its own bookkeeping.
            ///
            /// # Errors
            ///
            /// Returns the OS error if the option cannot be read.
            #[doc = example!($socket, "send_buffer_size")]
            pub fn send_buffer_size(&self) -> std::io::Result<u32> {
                self.options().send_buffer_size().map(|size| u32::try_from(size).unwrap_or(u32::MAX))
            }

            /// Sets the size of this socket's send buffer (`SO_SNDBUF`), in bytes. The OS treats
            /// the size as a hint, within its own limits. On Linux, setting the size disables the
            /// automatic growth of the buffer.
            ///
            /// # Errors
            ///
            /// Returns the OS error if the option cannot be set.
            #[doc = example!($socket, "send_buffer_size")]
            pub fn set_send_buffer_size(&self, size: u32) -> std::io::Result<()> {
                self.options().set_send_buffer_size(size as usize)
            }

            /// Returns the size of this socket's receive buffer (`SO_RCVBUF`), in bytes. Linux
            /// returns twice the size that was set, because it counts its own bookkeeping.
            ///
            /// # Errors
            ///
            /// Returns the OS error if the option cannot be read.
            #[doc = example!($socket, "recv_buffer_size")]
            pub fn recv_buffer_size(&self) -> std::io::Result<u32> {
                self.options().recv_buffer_size().map(|size| u32::try_from(size).unwrap_or(u32::MAX))
            }

            /// Sets the size of this socket's receive buffer (`SO_RCVBUF`), in bytes. The OS treats
            /// the size as a hint,
            #[doc = concat!("within its own limits.", $window)]
            ///
            /// # Errors
            ///
            /// Returns the OS error if the option cannot be set.
            #[doc = example!($socket, "recv_buffer_size")]
            pub fn set_recv_buffer_size(&self, size: u32) -> std::io::Result<()> {
                self.options().set_recv_buffer_size(size as usize)
            }
        }
    };
}

/// Gives `$kind` what is written on its packets. `$lower` tells of the lower bits of the service.
macro_rules! packet_methods {
    ($kind:ty, $socket:literal, $lower:literal) => {
        impl $kind {
            /// Returns the time to live of the IPv4 packets that this socket sends, in hops
            /// (`IP_TTL`).
            ///
            /// # Errors
            ///
            /// Returns the OS error if the option cannot be read.
            #[doc = example!($socket, "ttl")]
            pub fn ttl(&self) -> std::io::Result<u32> {
                self.options().ttl_v4()
            }

            /// Sets the time to live of the IPv4 packets that this socket sends, in hops
            /// (`IP_TTL`).
            ///
            /// # Errors
            ///
            /// Returns the OS error if the option cannot be set.
            #[doc = example!($socket, "ttl")]
            pub fn set_ttl(&self, ttl: u32) -> std::io::Result<()> {
                self.options().set_ttl_v4(ttl)
            }

            /// Returns the type-of-service byte of the IPv4 packets that this socket sends
            /// (`IP_TOS`).
            ///
            /// # Errors
            ///
            /// Returns the OS error if the option cannot be read.
            #[doc = example!($socket, "tos_v4")]
            pub fn tos_v4(&self) -> std::io::Result<u32> {
                self.options().tos_v4()
            }

            /// Sets the type-of-service byte of the IPv4 packets that this socket sends (`IP_TOS`):
            /// the
            #[doc = concat!("differentiated-services class in the upper six bits.", $lower)]
            ///
            /// # Errors
            ///
            /// Returns the OS error if the option cannot be set.
            #[doc = example!($socket, "tos_v4")]
            pub fn set_tos_v4(&self, tos: u32) -> std::io::Result<()> {
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
        impl $kind {
            /// Returns the traffic class of the IPv6 packets that this socket sends
            /// (`IPV6_TCLASS`).
            ///
            /// # Errors
            ///
            /// Returns the OS error if the option cannot be read.
            pub fn tclass_v6(&self) -> std::io::Result<u32> {
                self.options().tclass_v6()
            }

            /// Sets the traffic class of the IPv6 packets that this socket sends (`IPV6_TCLASS`).
            ///
            /// # Errors
            ///
            /// Returns the OS error if the option cannot be set.
            pub fn set_tclass_v6(&self, tclass: u32) -> std::io::Result<()> {
                self.options().set_tclass_v6(tclass)
            }
        }
    };
}

/// Gives `$kind` the options of connections by TCP.
macro_rules! connection_methods {
    ($kind:ty, $socket:literal) => {
        impl $kind {
            /// Returns whether Nagle's algorithm is disabled (`TCP_NODELAY`), so that small writes
            /// are sent immediately.
            ///
            /// # Errors
            ///
            /// Returns the OS error if the option cannot be read.
            #[doc = example!($socket, "nodelay")]
            pub fn nodelay(&self) -> std::io::Result<bool> {
                self.options().tcp_nodelay()
            }

            /// Sets `TCP_NODELAY`. With `true`, Nagle's algorithm is disabled: small writes are
            /// sent immediately. With `false`, the OS collects small writes while earlier data has
            /// not been acknowledged.
            ///
            /// # Errors
            ///
            /// Returns the OS error if the option cannot be set.
            #[doc = example!($socket, "nodelay")]
            pub fn set_nodelay(&self, nodelay: bool) -> std::io::Result<()> {
                self.options().set_tcp_nodelay(nodelay)
            }

            /// Returns whether the OS probes the connection while it is idle (`SO_KEEPALIVE`).
            ///
            /// # Errors
            ///
            /// Returns the OS error if the option cannot be read.
            #[doc = example!($socket, "keepalive")]
            pub fn keepalive(&self) -> std::io::Result<bool> {
                self.options().keepalive()
            }

            /// Sets whether the OS probes the connection while it is idle, so that a vanished peer
            /// is noticed (`SO_KEEPALIVE`). The OS's default times apply; on Linux, the first probe
            /// is sent after two hours. Use [`set_tcp_keepalive`](Self::set_tcp_keepalive) to set
            /// other times.
            ///
            /// # Errors
            ///
            /// Returns the OS error if the option cannot be set.
            #[doc = example!($socket, "keepalive")]
            pub fn set_keepalive(&self, keepalive: bool) -> std::io::Result<()> {
                self.options().set_keepalive(keepalive)
            }

            /// Enables keepalive probes at the times given by `keepalive`.
            ///
            /// # Errors
            ///
            /// Returns the OS error if the option cannot be set, for example if a time is zero.
            #[doc = example!($socket, "tcp_keepalive")]
            pub fn set_tcp_keepalive(&self, keepalive: &$crate::net::TcpKeepalive) -> std::io::Result<()> {
                self.options().set_tcp_keepalive(&keepalive.of_system())
            }

            /// Returns how long closing the socket waits for unsent data (`SO_LINGER`), or `None`
            /// if the OS sends the remaining data in the background.
            ///
            /// # Errors
            ///
            /// Returns the OS error if the option cannot be read.
            #[doc = example!($socket, "linger")]
            pub fn linger(&self) -> std::io::Result<Option<std::time::Duration>> {
                self.options().linger()
            }

            /// Sets how long closing the socket waits for unsent data (`SO_LINGER`), in whole
            /// seconds. With `None`, the OS sends the remaining data in the background.
            ///
            /// With `Some(Duration::ZERO)`, closing the socket discards unsent data and resets the
            /// connection. With any longer time, dropping the stream **blocks the thread** while
            /// data is unsent.
            ///
            /// # Errors
            ///
            /// Returns the OS error if the option cannot be set.
            #[doc = example!($socket, "linger")]
            pub fn set_linger(&self, linger: Option<std::time::Duration>) -> std::io::Result<()> {
                self.options().set_linger(linger)
            }

            /// Sets the linger time to zero: closing the socket discards unsent data and resets the
            /// connection. Zero is the only linger time with which closing never blocks the thread.
            ///
            /// # Errors
            ///
            /// Returns the OS error if the option cannot be set.
            #[doc = example!($socket, "zero_linger")]
            pub fn set_zero_linger(&self) -> std::io::Result<()> {
                self.set_linger(Some(std::time::Duration::ZERO))
            }
        }
    };
}

/// Gives `$kind`, a socket that may be bound to a network interface, that option, and the older
/// names of others.
macro_rules! device_methods {
    ($kind:ty) => {
        impl $kind {
            /// Returns the type-of-service byte of the IPv4 packets that this socket sends. This is
            /// the older name of [`tos_v4`](Self::tos_v4).
            ///
            /// # Errors
            ///
            /// Returns the OS error if the option cannot be read.
            #[doc(hidden)]
            #[deprecated(note = "renamed to `tos_v4`")]
            pub fn tos(&self) -> std::io::Result<u32> {
                self.tos_v4()
            }

            /// Sets the type-of-service byte of the IPv4 packets that this socket sends. This is
            /// the older name of [`set_tos_v4`](Self::set_tos_v4).
            ///
            /// # Errors
            ///
            /// Returns the OS error if the option cannot be set.
            #[doc(hidden)]
            #[deprecated(note = "renamed to `set_tos_v4`")]
            pub fn set_tos(&self, tos: u32) -> std::io::Result<()> {
                self.set_tos_v4(tos)
            }
        }

        #[cfg(any(target_os = "linux", target_os = "android", target_os = "fuchsia"))]
        impl $kind {
            /// Returns the name of the network interface that this socket is bound to
            /// (`SO_BINDTODEVICE`), or `None` if it is not bound to one.
            ///
            /// # Errors
            ///
            /// Returns the OS error if the option cannot be read.
            pub fn device(&self) -> std::io::Result<Option<Vec<u8>>> {
                self.options().device()
            }

            /// Binds this socket to the network interface with the given name, such as `eth0`
            /// (`SO_BINDTODEVICE`). The socket then receives packets only from this interface and
            /// sends only through it. `None` removes the binding.
            ///
            /// # Errors
            ///
            /// Returns the OS error, for example `NotFound` if there is no such interface, or
            /// `PermissionDenied` if the OS requires a privilege (on Linux, for changing an
            /// existing binding).
            pub fn bind_device(&self, interface: Option<&[u8]>) -> std::io::Result<()> {
                self.options().bind_device(interface)
            }
        }
    };
}

pub(in crate::net) use {buffer_methods, connection_methods, device_methods, packet_methods};
