//! Unix: several sockets on one port.

impl crate::net::TcpSocket {
    /// Tells whether other sockets may listen on the same address.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn reuseport(&self) -> std::io::Result<bool> {
        self.options().reuse_port()
    }

    /// Lets other sockets of the same user listen on the same address, if they ask for it too
    /// (`SO_REUSEPORT`). Linux deals connections out among them.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn set_reuseport(&self, reuseport: bool) -> std::io::Result<()> {
        self.options().set_reuse_port(reuseport)
    }
}
