//! The name server dnsmasq, started for one test.

use std::net::{SocketAddr, TcpStream};

use super::{Running, free_address, peer};

/// A running name server with five records in the domain `test`. Dropping this value kills the
/// server.
///
/// `one.test` has the addresses 10.1.2.3 and fd00::1, and `two.test` has 10.1.2.4. `long.test` has
/// the address 10.1.2.5 and a text record of 2000 bytes, which is too long for UDP, so that a
/// client asks again over TCP.
#[derive(Debug)]
pub struct NameServer {
    _server: Running,
    address: SocketAddr,
}

impl NameServer {
    /// Starts a name server, or returns `None` if dnsmasq is not installed.
    ///
    /// # Panics
    ///
    /// Panics if the server does not start, or if dnsmasq is not installed in CI.
    #[must_use]
    pub fn start() -> Option<Self> {
        let mut dnsmasq = peer("dnsmasq")?;
        let address = free_address();
        dnsmasq.args(["--keep-in-foreground", "--conf-file=/dev/null", "--pid-file=", "--user=", "--group="]);
        dnsmasq.args(["--no-resolv", "--no-hosts", "--bind-interfaces", "--listen-address=127.0.0.1"]);
        dnsmasq.arg(format!("--port={}", address.port()));
        dnsmasq.args(["--address=/one.test/10.1.2.3", "--address=/one.test/fd00::1", "--address=/two.test/10.1.2.4"]);
        let text = vec!["x".repeat(250); 8].join(",");
        dnsmasq
            .arg(format!("--txt-record=long.test,{text}"))
            .arg("--address=/long.test/10.1.2.5")
            .arg("--local=/test/");
        let mut server = Running::start(dnsmasq);
        server.wait_until(|| TcpStream::connect(address).is_ok());
        Some(Self { _server: server, address })
    }

    /// Returns the address on which the server listens, for both UDP and TCP.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}
