//! Redis, for one test.

use std::net::{SocketAddr, TcpStream};

use super::{Running, Scratch, free_address, peer};

/// A redis-server that answers, empty, and that writes nothing to a disk. Killed when dropped.
#[derive(Debug)]
pub struct Redis {
    _server: Running,
    address: SocketAddr,
    _folder: Scratch,
}

impl Redis {
    /// Starts it, or returns `None` where it is not installed.
    ///
    /// # Panics
    ///
    /// Panics if it does not start, and in CI if it is not installed.
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

    /// Returns where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}
