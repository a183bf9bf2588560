//! What is written into IPv6 packets where the system lets it be chosen.

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

traffic_class!(crate::net::TcpSocket);
traffic_class!(crate::net::TcpStream);
traffic_class!(crate::net::UdpSocket);
