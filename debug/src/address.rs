//! Where a server listens, and who can reach it there.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

/// Before the path of a Unix socket.
const UNIX: &str = "unix:";

/// The address of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Address {
    Ip(SocketAddr),
    Path(PathBuf),
}

/// The clients that a server lets in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clients {
    OfThisMachine,
    Anyone,
}

impl Address {
    /// Returns an error that names `text` and says what an address looks like, or who would get in.
    pub(crate) fn parse(text: &str, clients: Clients) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix(UNIX) {
            return match path {
                "" => Err(format!("`{text}` has no path: write `{UNIX}` and the path of a socket")),
                _ if cfg!(unix) => Ok(Self::Path(path.into())),
                _ => Err(format!("`{text}`: this system has no Unix sockets")),
            };
        }
        let address = parse_ip(text).ok_or_else(|| {
            format!(
                "`{text}` is no address: write an IP address and a port, such as 127.0.0.1:6670, or `{UNIX}` and the path \
                 of a socket"
            )
        })?;
        if clients == Clients::OfThisMachine && !address.ip().to_canonical().is_loopback() {
            return Err(format!(
                "`{text}` lets in anyone who can reach this machine: write a loopback address, such as 127.0.0.1:{}, or if \
                 that is meant, call `serve_anyone`, or write `anyone:{text}` in the variable",
                address.port()
            ));
        }
        Ok(Self::Ip(address))
    }
}

fn parse_ip(text: &str) -> Option<SocketAddr> {
    match text.strip_prefix("localhost:") {
        Some(port) => Some(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port.parse().ok()?)),
        None => text.parse().ok(),
    }
}

/// Ports of other protocols near the ones that people choose. Browsers refuse them.
const REFUSED_BY_BROWSERS: [u16; 8] = [6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697];

impl Address {
    /// Returns whether browsers refuse to open the address, for its port alone.
    pub(crate) fn is_refused_by_browsers(&self) -> bool {
        matches!(self, Self::Ip(address) if REFUSED_BY_BROWSERS.contains(&address.port()))
    }
}

/// The address as a URL, or as the words that `curl` takes.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ip(address) => write!(f, "http://{address}/"),
            Self::Path(path) => write!(f, "{UNIX}{}", path.display()),
        }
    }
}

/// Returns whether a server for this machine may answer a request with this `Host`. A site whose
/// name suddenly means 127.0.0.1 sends its own name, and gets no answer that it could read.
pub(crate) fn is_host_of_this_machine(host: &str) -> bool {
    if let Ok(address) = host.parse::<SocketAddr>() {
        return address.ip().to_canonical().is_loopback();
    }
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    let ip = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    name.eq_ignore_ascii_case("localhost") || ip.is_ok_and(|ip| ip.to_canonical().is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_addresses_and_paths_are_taken() {
        for (text, shown) in [
            ("127.0.0.1:6670", "http://127.0.0.1:6670/"),
            ("127.1.2.3:1", "http://127.1.2.3:1/"),
            ("[::1]:6670", "http://[::1]:6670/"),
            ("localhost:80", "http://127.0.0.1:80/"),
            ("unix:/run/a b.sock", "unix:/run/a b.sock"),
        ] {
            let parsed = Address::parse(text, Clients::OfThisMachine);
            assert_eq!(parsed.map(|address| address.to_string()).as_deref(), Ok(shown));
        }
    }

    #[test]
    fn other_addresses_are_taken_only_by_name() {
        for text in ["0.0.0.0:6670", "[::]:6670", "192.168.1.7:80", "[::ffff:10.0.0.1]:80"] {
            let refused = Address::parse(text, Clients::OfThisMachine).expect_err(text);
            assert!(refused.starts_with(&format!("`{text}` lets in anyone")), "{refused}");
            assert!(Address::parse(text, Clients::Anyone).is_ok());
        }
    }

    #[test]
    fn what_is_no_address_is_named() {
        for text in ["", "6670", ":6670", "127.0.0.1", "localhost:", "localhost:x", "example.org:80", "1.2.3.4:99999"] {
            let refused = Address::parse(text, Clients::Anyone).expect_err(text);
            assert!(refused.starts_with(&format!("`{text}` is no address: write ")), "{refused}");
        }
        assert!(Address::parse("unix:", Clients::Anyone).is_err());
    }

    #[test]
    fn a_host_is_of_this_machine_or_not() {
        for host in ["127.0.0.1:6670", "localhost:6670", "LOCALHOST", "[::1]:80", "[::1]", "127.0.0.1"] {
            assert!(is_host_of_this_machine(host), "{host}");
        }
        for host in
            ["example.org", "example.org:6670", "localhost.example.org", "", "10.0.0.1:6670", "127.0.0.1.nip.io:1"]
        {
            assert!(!is_host_of_this_machine(host), "{host}");
        }
    }
}
