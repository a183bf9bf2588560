//! Linux and its kin: binding to a network interface by its name.

macro_rules! bind_to_device {
    ($kind:ty) => {
        impl $kind {
            /// Returns the name of the network interface it is bound to, if it is to one.
            ///
            /// # Errors
            ///
            /// The system's.
            pub fn device(&self) -> std::io::Result<Option<Vec<u8>>> {
                self.options().device()
            }

            /// Binds it to the network interface of that name, such as `eth0` (`SO_BINDTODEVICE`):
            /// it receives nothing from others and sends through this one. `None` undoes it.
            ///
            /// # Errors
            ///
            /// `NotFound` or the like when there is no such interface; `PermissionDenied` where the
            /// system asks for a privilege (Linux for changing it once it is set).
            pub fn bind_device(&self, interface: Option<&[u8]>) -> std::io::Result<()> {
                self.options().bind_device(interface)
            }
        }
    };
}

bind_to_device!(crate::net::TcpSocket);
bind_to_device!(crate::net::UdpSocket);

impl crate::net::TcpStream {
    /// Tells whether received data is acknowledged at once just now.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn quickack(&self) -> std::io::Result<bool> {
        self.options().tcp_quickack()
    }

    /// Has received data acknowledged at once (`true`), or together with what is sent
    /// (`TCP_QUICKACK`). It does not last: the system goes back and forth by its own rules as the
    /// connection goes on.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn set_quickack(&self, quickack: bool) -> std::io::Result<()> {
        self.options().set_tcp_quickack(quickack)
    }
}
