//! The types that can be given as an address, and which of them need a lookup.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};

/// A value that can be resolved to one or more socket addresses, for functions that bind, connect
/// or send.
///
/// This trait is implemented for [`SocketAddr`], `SocketAddrV4` and `SocketAddrV6`; for pairs of an
/// IP address and a port; for `(&str, u16)` and `(String, u16)`; for `str` and `String` in the form
/// `host:port`; for slices, arrays and vectors of [`SocketAddr`]; and for references to all of
/// these. Numeric addresses are used directly. Any other host is a name, which is looked up on a
/// thread that may block.
///
/// This trait is sealed and cannot be implemented outside this crate.
pub trait ToSocketAddrs: sealed::ToTarget {}

/// Seals the trait. The module's items are public in name, because a supertrait must be, but cannot
/// be reached, because the module is private.
pub(super) mod sealed {
    use std::io;
    use std::net::SocketAddr;

    /// The addresses or the host name that an argument stands for.
    #[derive(Debug, PartialEq, Eq)]
    pub enum LookupTarget {
        /// A single address, with nothing to look up. Separate from `Known`, so that a datagram's
        /// address need not be allocated.
        One(SocketAddr),
        /// Any number of addresses, with nothing to look up.
        Known(Vec<SocketAddr>),
        /// A host name that the resolver must look up.
        Named {
            /// The host name, as the caller wrote it.
            host: String,
            /// The port to combine with each address found.
            port: u16,
        },
    }

    /// Converts an argument to its target.
    pub trait ToTarget {
        /// Parses the argument, without a lookup.
        fn target(&self) -> io::Result<LookupTarget>;
    }
}

pub(super) use self::sealed::LookupTarget;

use self::sealed::ToTarget;

fn one(address: impl Into<SocketAddr>) -> io::Result<LookupTarget> {
    Ok(LookupTarget::One(address.into()))
}

fn host_and_port(host: &str, port: u16) -> LookupTarget {
    match host.parse::<IpAddr>() {
        Ok(ip) => LookupTarget::One(SocketAddr::new(ip, port)),
        Err(_) => LookupTarget::Named { host: host.to_owned(), port },
    }
}

fn parse(text: &str) -> io::Result<LookupTarget> {
    if let Ok(address) = text.parse::<SocketAddr>() {
        return one(address);
    }
    let invalid =
        |why: &str| io::Error::new(io::ErrorKind::InvalidInput, format!("`{text}` is not a socket address: {why}"));
    let (host, port) = text.rsplit_once(':').ok_or_else(|| invalid("expected `host:port`"))?;
    let port = port.parse().map_err(|_| invalid("the port is not a number from 0 to 65535"))?;
    if host.is_empty() {
        return Err(invalid("the host is missing"));
    }
    Ok(host_and_port(host, port))
}

macro_rules! to_socket_addrs {
    ($($kind:ty => |$it:ident| $target:expr;)*) => {$(
        impl ToSocketAddrs for $kind {}
        impl ToTarget for $kind {
            fn target(&self) -> io::Result<LookupTarget> {
                let $it = self;
                $target
            }
        }
    )*};
}

to_socket_addrs! {
    SocketAddr => |it| one(*it);
    SocketAddrV4 => |it| one(*it);
    SocketAddrV6 => |it| one(*it);
    (IpAddr, u16) => |it| one(*it);
    (Ipv4Addr, u16) => |it| one(*it);
    (Ipv6Addr, u16) => |it| one(*it);
    (&str, u16) => |it| Ok(host_and_port(it.0, it.1));
    (String, u16) => |it| Ok(host_and_port(&it.0, it.1));
    str => |it| parse(it);
    String => |it| parse(it);
    [SocketAddr] => |it| Ok(LookupTarget::Known(it.to_vec()));
    Vec<SocketAddr> => |it| Ok(LookupTarget::Known(it.clone()));
}

impl<const N: usize> ToSocketAddrs for [SocketAddr; N] {}

impl<const N: usize> ToTarget for [SocketAddr; N] {
    fn target(&self) -> io::Result<LookupTarget> {
        Ok(LookupTarget::Known(self.to_vec()))
    }
}

impl<T: ToSocketAddrs + ?Sized> ToSocketAddrs for &T {}

impl<T: ToTarget + ?Sized> ToTarget for &T {
    fn target(&self) -> io::Result<LookupTarget> {
        (**self).target()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(address: &str) -> LookupTarget {
        LookupTarget::One(address.parse().expect("a literal"))
    }

    #[test]
    fn numbers_need_no_lookup_in_any_form() {
        let expected = one("127.0.0.1:80");
        assert_eq!("127.0.0.1:80".target().unwrap(), expected);
        assert_eq!(String::from("127.0.0.1:80").target().unwrap(), expected);
        assert_eq!(("127.0.0.1", 80).target().unwrap(), expected);
        assert_eq!((String::from("127.0.0.1"), 80).target().unwrap(), expected);
        assert_eq!((Ipv4Addr::LOCALHOST, 80).target().unwrap(), expected);
        assert_eq!((&&(IpAddr::V4(Ipv4Addr::LOCALHOST), 80)).target().unwrap(), expected);
        assert_eq!("[::1]:80".target().unwrap(), one("[::1]:80"));
        assert_eq!(("::1", 80).target().unwrap(), one("[::1]:80"));
    }

    #[test]
    fn a_name_is_left_for_the_lookup() {
        let expected = LookupTarget::Named { host: "example.com".into(), port: 443 };
        assert_eq!("example.com:443".target().unwrap(), expected);
        assert_eq!(("example.com", 443).target().unwrap(), expected);
    }

    #[test]
    fn what_cannot_be_an_address_is_named_in_the_error() {
        for (text, why) in
            [("localhost", "host:port"), ("localhost:http", "port"), ("localhost:65536", "port"), (":80", "host")]
        {
            let error = text.target().unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
            assert!(error.to_string().contains(&format!("`{text}`")) && error.to_string().contains(why), "{error}");
        }
    }

    #[test]
    fn any_text_is_an_address_a_name_or_an_error() {
        let corpus = wsrt_fuzz::corpus("addresses", &[":", "::", "[", "]", "%", ".", "80"]);
        wsrt_fuzz::check(&corpus, 50_000, |bytes| {
            let text = String::from_utf8_lossy(bytes);
            match (text.as_ref().target(), text.parse::<SocketAddr>()) {
                (Ok(target), Ok(address)) => assert_eq!(target, LookupTarget::One(address)),
                // In numbers that the standard library reads apart, too: `::1:80`.
                (Ok(LookupTarget::One(address)), Err(_)) => {
                    let (host, port) = text.rsplit_once(':').expect("a port is behind a colon");
                    assert_eq!((host.parse(), port.parse()), (Ok(address.ip()), Ok(address.port())));
                }
                (Ok(LookupTarget::Named { host, port }), Err(_)) => {
                    assert!(!host.is_empty() && text.starts_with(&host) && text.parse::<SocketAddr>().is_err());
                    let spelled = text.rsplit_once(':').map(|(_, port)| port.parse());
                    assert_eq!(spelled, Some(Ok(port)));
                }
                (Ok(LookupTarget::Known(addresses)), _) => panic!("a text is no list: {addresses:?}"),
                (Err(error), parsed) => {
                    assert!(parsed.is_err());
                    assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
                }
            }
        });
    }
}
