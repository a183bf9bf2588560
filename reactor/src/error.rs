//! The errors this crate makes itself, in one place so that they read alike.

use std::error::Error;
use std::fmt;
use std::io;
use std::net::SocketAddr;

/// What an operation is told that would have to wait for a netpoller that is no more.
pub(crate) fn shut_down_error() -> io::Error {
    io::Error::other("the wsrt runtime this socket belongs to was shut down")
}

/// Says what went wrong with each address that was tried: what is inside the [`io::Error`] of an operation that takes
/// several, such as [`TcpStream::connect`](crate::net::TcpStream::connect).
///
/// The [`io::Error`] around it has the kind that the failures agree on. Where they differ, it is the kind of the last
/// one that came from the other side, as `ConnectionRefused` does, rather than from this machine's lack of a way there;
/// and where none did, the last one's.
///
/// # Examples
///
/// The system's error numbers:
///
/// ```
/// use std::io;
/// use wsrt_reactor::net::{AddressErrors, TcpStream};
///
/// fn codes(error: &io::Error) -> Vec<Option<i32>> {
///     match error.get_ref().and_then(|inner| inner.downcast_ref::<AddressErrors>()) {
///         Some(each) => each.iter().map(|(_address, error)| error.raw_os_error()).collect(),
///         None => vec![error.raw_os_error()],
///     }
/// }
///
/// # wsrt_reactor_testing::run(async {
/// # let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
/// let error = TcpStream::connect([closed, closed]).await.unwrap_err();
/// assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
/// assert!(codes(&error).iter().all(Option::is_some));
/// # });
/// ```
#[derive(Debug)]
pub struct AddressErrors {
    action: &'static str,
    failures: Vec<(SocketAddr, io::Error)>,
}

impl AddressErrors {
    /// Returns the addresses that were tried, each with its failure, in the order in which they failed.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (SocketAddr, &io::Error)> {
        self.failures.iter().map(|(address, error)| (*address, error))
    }

    fn kind(&self) -> io::ErrorKind {
        let kinds = || self.failures.iter().rev().map(|(_, error)| error.kind());
        let remote = kinds().find(|kind| !is_about_this_machine(*kind));
        remote.or_else(|| kinds().next()).unwrap_or(io::ErrorKind::InvalidInput)
    }
}

/// Whether the failure says that there is no way to the address from here, and nothing of the address itself.
fn is_about_this_machine(kind: io::ErrorKind) -> bool {
    use io::ErrorKind::{AddrNotAvailable, HostUnreachable, NetworkDown, NetworkUnreachable, Unsupported};
    matches!(kind, AddrNotAvailable | HostUnreachable | NetworkDown | NetworkUnreachable | Unsupported)
}

impl fmt::Display for AddressErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot {} ", self.action)?;
        if self.failures.len() > 1 {
            write!(f, "any of {} addresses: ", self.failures.len())?;
        }
        for (index, (address, error)) in self.failures.iter().enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            write!(f, "{separator}{address}: {error}")?;
        }
        Ok(())
    }
}

// No `source`: the text above already contains the originals', and a report of the whole chain would say them twice.
impl Error for AddressErrors {}

/// The error of an operation, `action`, that failed for each address it was tried with.
pub(crate) fn all_failed(action: &'static str, failures: Vec<(SocketAddr, io::Error)>) -> io::Error {
    let errors = AddressErrors { action, failures };
    io::Error::new(errors.kind(), errors)
}

/// An error of the system with what it is about. The kind stays that of the original; the text carries its number.
#[cfg(unix)]
pub(crate) fn naming(action: &'static str, what: &impl fmt::Debug, original: io::Error) -> io::Error {
    io::Error::new(original.kind(), format!("cannot {action} {what:?}: {original}"))
}

/// What `attempt` makes of the first address it succeeds with; if there is none, the error says why for each.
pub(crate) fn first_that_works<T>(
    action: &'static str,
    addresses: Vec<SocketAddr>,
    mut attempt: impl FnMut(SocketAddr) -> io::Result<T>,
) -> io::Result<T> {
    let mut failures = Vec::new();
    for address in addresses {
        match attempt(address) {
            Ok(success) => return Ok(success),
            Err(error) => failures.push((address, error)),
        }
    }
    Err(all_failed(action, failures))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::ErrorKind;

    fn kind_of(kinds: &[ErrorKind]) -> ErrorKind {
        let address = "127.0.0.1:1".parse().expect("a literal");
        all_failed("connect to", kinds.iter().map(|kind| (address, (*kind).into())).collect()).kind()
    }

    #[test]
    fn the_kind_is_of_the_last_failure_that_came_from_the_other_side() {
        use ErrorKind::{ConnectionRefused, NetworkUnreachable, TimedOut};
        assert_eq!(kind_of(&[ConnectionRefused, TimedOut, NetworkUnreachable]), TimedOut);
        assert_eq!(kind_of(&[NetworkUnreachable, ConnectionRefused]), ConnectionRefused);
        assert_eq!(kind_of(&[ErrorKind::AddrNotAvailable, NetworkUnreachable]), NetworkUnreachable);
    }
}
