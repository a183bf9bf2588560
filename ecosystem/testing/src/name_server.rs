//! dnsmasq, for one test.

use std::net::{SocketAddr, TcpStream};

use super::{Running, free_address, peer};

/// A name server that knows five records of the domain `test`. Killed when dropped.
///
/// `one.test` has the addresses 10.1.2.3 and fd00::1, `two.test` 10.1.2.4, and `long.test` 10.1.2.5
/// and a text of 2000 bytes: too long for UDP, so that a client asks again over TCP.
#[derive(Debug)]
pub struct NameServer {
    _server: Running,
    address: SocketAddr,
}

impl NameServer {
    /// Starts it, or returns `None` where dnsmasq is not installed.
    ///
    /// # Panics
    ///
    /// Panics if it does not start, and in CI if it is not installed.
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

    /// Returns where it listens, for UDP and for TCP.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}
