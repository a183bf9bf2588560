//! What is written into the packets.

macro_rules! time_to_live {
    ($kind:ty) => {
        impl $kind {
            /// Returns the time to live of the IPv4 packets it sends, in hops.
            ///
            /// # Errors
            ///
            /// The system's.
            pub fn ttl(&self) -> std::io::Result<u32> {
                self.options().ttl_v4()
            }

            /// Sets the time to live of the IPv4 packets it sends, in hops (`IP_TTL`).
            ///
            /// # Errors
            ///
            /// The system's.
            pub fn set_ttl(&self, ttl: u32) -> std::io::Result<()> {
                self.options().set_ttl_v4(ttl)
            }
        }
    };
}

macro_rules! type_of_service {
    ($kind:ty) => {
        impl $kind {
            /// Returns the type-of-service byte of the IPv4 packets it sends.
            ///
            /// # Errors
            ///
            /// The system's.
            pub fn tos_v4(&self) -> std::io::Result<u32> {
                self.options().tos_v4()
            }

            /// Sets the type-of-service byte of the IPv4 packets it sends (`IP_TOS`): the differentiated-services class in
            /// the upper six bits. TCP keeps the lower two for itself.
            ///
            /// # Errors
            ///
            /// The system's.
            pub fn set_tos_v4(&self, tos: u32) -> std::io::Result<()> {
                self.options().set_tos_v4(tos)
            }
        }
    };
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
macro_rules! traffic_class {
    ($kind:ty) => {
        impl $kind {
            /// Returns the traffic class of the IPv6 packets it sends.
            ///
            /// # Errors
            ///
            /// The system's.
            pub fn tclass_v6(&self) -> std::io::Result<u32> {
                self.options().tclass_v6()
            }

            /// Sets the traffic class of the IPv6 packets it sends (`IPV6_TCLASS`).
            ///
            /// # Errors
            ///
            /// The system's.
            pub fn set_tclass_v6(&self, tclass: u32) -> std::io::Result<()> {
                self.options().set_tclass_v6(tclass)
            }
        }
    };
}

/// Where the system has no such option there are no such methods.
#[cfg(not(any(
    target_os = "android",
    target_os = "dragonfly",
    target_os = "freebsd",
    target_os = "fuchsia",
    target_os = "linux",
    target_os = "macos",
    target_os = "netbsd",
    target_os = "openbsd",
)))]
macro_rules! traffic_class {
    ($kind:ty) => {};
}

time_to_live!(crate::net::TcpListener);
time_to_live!(crate::net::TcpSocket);
time_to_live!(crate::net::TcpStream);
time_to_live!(crate::net::UdpSocket);
type_of_service!(crate::net::TcpSocket);
type_of_service!(crate::net::TcpStream);
type_of_service!(crate::net::UdpSocket);
traffic_class!(crate::net::TcpSocket);
traffic_class!(crate::net::TcpStream);
traffic_class!(crate::net::UdpSocket);
