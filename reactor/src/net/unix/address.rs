//! Conversions between paths, addresses, and socket2's addresses.

use super::SocketAddr;
use crate::error;
use socket2::SockAddr;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Returns the address of a path. On Linux, a path that begins with a zero byte is an abstract
/// name, as it is for tokio.
pub(super) fn of_path(path: &Path, action: &'static str) -> io::Result<SocketAddr> {
    without_naming(path).map_err(|original| error::naming(action, format_args!("{path:?}"), original))
}

fn without_naming(path: &Path) -> io::Result<SocketAddr> {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    if let Some(name) = path.as_os_str().as_bytes().strip_prefix(b"\0") {
        return SocketAddr::from_abstract_name(name);
    }
    SocketAddr::from_pathname(path)
}

pub(in crate::net) fn to_system(address: &SocketAddr) -> io::Result<SockAddr> {
    if address.is_unnamed() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "a Unix socket without a name has no address to send to",
        ));
    }
    SockAddr::unix(OsStr::from_bytes(&bytes_of(address)))
}

/// Returns the bytes of the path, or of the abstract name after a zero byte; empty if the address
/// is unnamed.
pub(in crate::net) fn bytes_of(address: &SocketAddr) -> Vec<u8> {
    if let Some(path) = address.as_pathname() {
        return path.as_os_str().as_bytes().to_vec();
    }
    #[cfg(any(target_os = "linux", target_os = "android"))]
    if let Some(name) = address.as_abstract_name() {
        return [b"\0", name].concat();
    }
    Vec::new()
}

/// The address that the system has given. It has one more byte for a path than std's addresses: a
/// socket whose path takes all of them counts as unnamed, for what came from it is there, and must
/// not be lost.
pub(in crate::net) fn of_system(address: &SockAddr) -> SocketAddr {
    let named = named_of_system(address);
    // An empty path is the address of a socket without a name.
    named.unwrap_or_else(|_| SocketAddr::from_pathname("").expect("an empty path is not too long"))
}

fn named_of_system(address: &SockAddr) -> io::Result<SocketAddr> {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    if let Some(name) = address.as_abstract_namespace() {
        return SocketAddr::from_abstract_name(name);
    }
    SocketAddr::from_pathname(address.as_pathname().unwrap_or(Path::new("")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_survive_the_way_there_and_back() {
        let path = of_path(Path::new("/tmp/a socket"), "bind").unwrap();
        let back = of_system(&to_system(&path).unwrap());
        assert_eq!(back.as_pathname(), Some(Path::new("/tmp/a socket")));

        let unnamed = of_system(&SockAddr::unix("").unwrap());
        assert!(unnamed.is_unnamed());
        assert_eq!(to_system(&unnamed).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn abstract_names_survive_the_way_there_and_back() {
        let name = of_path(Path::new("\0a name"), "bind").unwrap();
        assert_eq!(name.as_abstract_name(), Some(&b"a name"[..]));
        let back = of_system(&to_system(&name).unwrap());
        assert_eq!(back.as_abstract_name(), Some(&b"a name"[..]));
    }

    #[test]
    fn a_path_that_cannot_be_an_address_is_named() {
        let long = "x".repeat(200);
        let error = of_path(Path::new(&long), "bind").unwrap_err();
        assert!(error.to_string().contains(&long), "{error}");
    }

    #[test]
    fn any_path_comes_back_or_is_refused() {
        let inputs = [&b"/a/socket"[..], b"\0a name", b"", &[b'x'; 107], &[b'x'; 108], b"a\0b"];
        let corpus = wsrt_fuzz::Corpus { inputs: inputs.map(<[u8]>::to_vec).to_vec(), words: vec![vec![0]] };
        wsrt_fuzz::check(&corpus, 20_000, |bytes| {
            let Ok(address) = of_path(Path::new(OsStr::from_bytes(bytes)), "bind") else { return };
            if !address.is_unnamed() {
                let back = of_system(&to_system(&address).expect("it has a name"));
                assert_eq!(bytes_of(&back), bytes_of(&address));
            }
        });
    }
}
