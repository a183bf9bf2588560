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

            /// Sets the type-of-service byte of the IPv4 packets it sends (`IP_TOS`): the
            /// differentiated-services class in the upper six bits. TCP keeps the lower two for
            /// itself.
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

time_to_live!(crate::net::TcpListener);
time_to_live!(crate::net::TcpSocket);
time_to_live!(crate::net::TcpStream);
time_to_live!(crate::net::UdpSocket);
type_of_service!(crate::net::TcpSocket);
type_of_service!(crate::net::TcpStream);
type_of_service!(crate::net::UdpSocket);
