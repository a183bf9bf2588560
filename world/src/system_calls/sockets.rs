//! Replacements for the C library's socket calls: a TCP or UDP socket that is bound on a thread
//! that drives a simulation belongs to the simulation.
//!
//! Such a socket is never bound in the operating system, where two hosts could not use the same
//! port and no host could have an address of its own. The simulation keeps the socket under its
//! descriptor, from which a runtime's `from_std` takes it over. [Datagrams](datagrams) are sent and
//! received through the descriptor, too. Accepting a stream is not supported, because the call
//! would block, and the simulation with it.

mod address;
pub(super) mod datagrams;

use std::cell::RefCell;
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;

use libc::{c_int, sockaddr, socklen_t};
use wsrt_reactor::simulated_net::{RawDescriptor, SimulatedAddress, SimulatedSocket};

use super::report::report;
use super::{contained, fail, own};
use crate::bound_sockets::{BoundSockets, Sort};
use crate::virtual_time;

thread_local! {
    /// The simulation that takes over the sockets bound by this thread.
    static SOCKETS: RefCell<Option<Rc<dyn BoundSockets>>> = const { RefCell::new(None) };
}

/// A guard that lets a simulation take over the sockets that the current thread binds.
#[must_use = "it lasts until the guard is dropped"]
pub(crate) struct SocketsOverride {
    before: Option<Rc<dyn BoundSockets>>,
}

/// Lets `sockets` take over the sockets that this thread binds, until the returned guard is
/// dropped.
pub(crate) fn override_sockets(sockets: impl BoundSockets + 'static) -> SocketsOverride {
    SocketsOverride { before: SOCKETS.replace(Some(Rc::new(sockets))) }
}

impl Drop for SocketsOverride {
    fn drop(&mut self) {
        drop(SOCKETS.replace(self.before.take()));
    }
}

/// Returns the simulation's sockets for this thread, or `None` if there are none or the thread is
/// exiting.
fn given() -> Option<Rc<dyn BoundSockets>> {
    // Asked first, since a signal handler may ask it: the first look at `SOCKETS` has a destructor
    // registered, which allocates. One that is given sockets is given the time.
    virtual_time::shown()?;
    SOCKETS.try_with(|sockets| sockets.borrow().clone()).ok().flatten()
}

/// Returns the simulated socket that stands in for `descriptor`, or `None` if the descriptor was
/// not bound in a simulation.
fn behind(descriptor: c_int) -> Option<Arc<dyn SimulatedSocket>> {
    contained(|| given()?.behind(descriptor))
}

/// Returns whether a simulation has taken over the socket.
fn is_kept(descriptor: c_int) -> bool {
    contained(|| behind(descriptor).is_some())
}

/// Returns a number that identifies an open socket under all of its descriptors. The number is
/// reused only after the socket has been closed.
pub(crate) fn number(descriptor: RawDescriptor) -> Option<u64> {
    // SAFETY: all of it may be zero: it is numbers.
    let mut status: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: there is room for the answer.
    let known = unsafe { libc::fstat(descriptor, &raw mut status) } == 0;
    (known && status.st_mode & libc::S_IFMT == libc::S_IFSOCK).then_some(status.st_ino)
}

/// Returns the protocol of a socket, or `None` if it is neither TCP nor UDP.
fn sort(descriptor: c_int) -> Option<Sort> {
    let (mut protocol, mut length): (c_int, _) = (0, size_of::<c_int>() as socklen_t);
    let room = (&raw mut protocol).cast();
    // SAFETY: there is room for a number, and for its length.
    let known = unsafe { libc::getsockopt(descriptor, libc::SOL_SOCKET, libc::SO_PROTOCOL, room, &raw mut length) };
    match protocol {
        libc::IPPROTO_TCP if known == 0 => Some(Sort::Streams),
        libc::IPPROTO_UDP if known == 0 => Some(Sort::Datagrams),
        _ => None,
    }
}

/// Converts the result of a call to the conventions of the C library.
fn answer(call: impl FnOnce() -> io::Result<usize>) -> isize {
    contained(|| match call() {
        Ok(count) => count as isize,
        Err(error) => fail(errno(&error)) as isize,
    })
}

/// Returns the number that the C library uses for a simulated error.
fn errno(error: &io::Error) -> c_int {
    error.raw_os_error().unwrap_or(match error.kind() {
        ErrorKind::AddrInUse => libc::EADDRINUSE,
        ErrorKind::ConnectionRefused => libc::ECONNREFUSED,
        ErrorKind::AddrNotAvailable => libc::EADDRNOTAVAIL,
        ErrorKind::NetworkDown => libc::ENETDOWN,
        ErrorKind::NetworkUnreachable => libc::ENETUNREACH,
        ErrorKind::NotConnected => libc::ENOTCONN,
        ErrorKind::WouldBlock => libc::EAGAIN,
        ErrorKind::Unsupported => libc::EOPNOTSUPP,
        _ => libc::EINVAL,
    })
}

/// Binds a socket, if a simulation takes over this thread's sockets.
///
/// # Safety
///
/// `at` must be null, or there must be `length` bytes at `at`.
unsafe fn try_bind(descriptor: c_int, at: *const sockaddr, length: socklen_t) -> Option<io::Result<()>> {
    let sockets = given()?;
    // SAFETY: as the caller says.
    let at = unsafe { address::read(at, length) }?;
    Some(sockets.bind(descriptor, at, sort(descriptor)?))
}

/// Connects a socket that a simulation has taken over. If a simulation takes over this thread's
/// sockets, connecting a stream of the operating system is refused: the call would wait for a
/// machine outside the simulation, and block the simulation.
///
/// # Safety
///
/// `to` must be null, or there must be `length` bytes at `to`.
unsafe fn try_connect(descriptor: c_int, to: *const sockaddr, length: socklen_t) -> Option<io::Result<()>> {
    let sockets = given()?;
    // SAFETY: as the caller says.
    let to = unsafe { address::read(to, length) }?;
    match sockets.behind(descriptor) {
        Some(socket) => Some(socket.connect(SimulatedAddress::Ip(to))),
        None if sort(descriptor)? == Sort::Streams => {
            report(format_args!(
                "a stream of std's, or of another library, was to connect to {to} on the thread of a simulation, where it \
                 would reach the system's network and no host: it is refused; use `wsrt::net` or `tokio::net`"
            ));
            Some(Err(ErrorKind::Unsupported.into()))
        }
        None => None,
    }
}

/// Replaces the C library's `bind`: binds a socket. On a thread that drives a simulation, the
/// simulation takes over TCP and UDP sockets.
///
/// # Safety
///
/// There must be `length` bytes at `at`.
pub unsafe extern "C" fn bind(descriptor: c_int, at: *const sockaddr, length: socklen_t) -> c_int {
    // SAFETY: as the caller says.
    match unsafe { try_bind(descriptor, at, length) } {
        Some(outcome) => answer(|| outcome.map(|()| 0)) as c_int,
        // SAFETY: the arguments are the caller's.
        None => unsafe { own::bind(descriptor, at, length) },
    }
}

/// Replaces the C library's `connect`: connects a socket. A socket that a simulation has taken
/// over is connected within the simulation.
///
/// # Safety
///
/// There must be `length` bytes at `to`.
pub unsafe extern "C-unwind" fn connect(descriptor: c_int, to: *const sockaddr, length: socklen_t) -> c_int {
    // SAFETY: as the caller says.
    let Some(outcome) = contained(|| unsafe { try_connect(descriptor, to, length) }) else {
        // SAFETY: the arguments are the caller's.
        return unsafe { own::connect(descriptor, to, length) };
    };
    answer(|| outcome.map(|()| 0)) as c_int
}

/// Replaces the C library's `listen`: makes a socket listen. A socket that a simulation has
/// taken over listens within the simulation.
///
/// # Safety
///
/// The same requirements apply as for the C library's function.
pub unsafe extern "C" fn listen(descriptor: c_int, backlog: c_int) -> c_int {
    // A negative one stands for the most, as in Linux.
    let most = usize::try_from(backlog).unwrap_or(usize::MAX);
    match given().and_then(|sockets| sockets.listen(descriptor, most)) {
        Some(outcome) => answer(|| outcome.map(|()| 0)) as c_int,
        // SAFETY: the arguments are the caller's.
        None => unsafe { own::listen(descriptor, backlog) },
    }
}

/// Replaces the C library's `getsockname`: returns the local address of a socket. A socket that
/// a simulation has taken over has a simulated address.
///
/// # Safety
///
/// `length` must point to a length, and `room` must have room for as many bytes.
pub unsafe extern "C" fn getsockname(descriptor: c_int, room: *mut sockaddr, length: *mut socklen_t) -> c_int {
    match behind(descriptor) {
        // SAFETY: the room is as the caller says.
        Some(socket) => unsafe { write(socket.local(), room, length) },
        // SAFETY: the arguments are the caller's.
        None => unsafe { own::getsockname(descriptor, room, length) },
    }
}

/// Replaces the C library's `getpeername`: returns the peer's address of a socket. A socket that
/// a simulation has taken over has a simulated peer.
///
/// # Safety
///
/// `length` must point to a length, and `room` must have room for as many bytes.
pub unsafe extern "C" fn getpeername(descriptor: c_int, room: *mut sockaddr, length: *mut socklen_t) -> c_int {
    match behind(descriptor) {
        // SAFETY: the room is as the caller says.
        Some(socket) => unsafe { write(socket.peer(), room, length) },
        // SAFETY: the arguments are the caller's.
        None => unsafe { own::getpeername(descriptor, room, length) },
    }
}

/// Writes as much of an address as there is room for, and the address's length.
///
/// # Safety
///
/// `length` must point to a length, and `room` must have room for as many bytes.
unsafe fn write(shown: io::Result<SimulatedAddress>, room: *mut sockaddr, length: *mut socklen_t) -> c_int {
    match shown.and_then(internet) {
        Ok(shown) => {
            // SAFETY: the caller lends it.
            let length = unsafe { &mut *length };
            // SAFETY: so much room is there.
            *length = unsafe { address::write(shown, room, *length) };
            0
        }
        Err(error) => fail(errno(&error)),
    }
}

fn internet(place: SimulatedAddress) -> io::Result<SocketAddr> {
    match place {
        SimulatedAddress::Ip(address) => Ok(address),
        SimulatedAddress::Unix(_) => Err(ErrorKind::InvalidInput.into()),
    }
}
