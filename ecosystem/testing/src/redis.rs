//! A Redis server, started for one test.

use std::net::{SocketAddr, TcpStream};

use super::{Running, Scratch, free_address, peer};

/// A running redis-server that accepts commands, is empty, and writes nothing to disk. Dropping
/// this value kills the server.
#[derive(Debug)]
pub struct Redis {
    _server: Running,
    address: SocketAddr,
    _folder: Scratch,
}

impl Redis {
    /// Starts a server, or returns `None` if redis-server is not installed.
    ///
    /// # Panics
    ///
    /// Panics if the server does not start, or if it is not installed in CI.
    #[must_use]
    pub fn start() -> Option<Self> {
        let mut redis = peer("redis-server")?;
        let (folder, address) = (Scratch::new(), free_address());
        redis.args(["--bind", "127.0.0.1", "--port", &address.port().to_string(), "--save", "", "--appendonly", "no"]);
        redis.args(["--dir", folder.path().to_str().expect("a readable name")]);
        let mut server = Running::start(redis);
        server.wait_until(|| TcpStream::connect(address).is_ok());
        Some(Self { _server: server, address, _folder: folder })
    }

    /// Returns the address on which the server listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}
