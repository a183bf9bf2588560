//! The Unix datagram socket: how it is created, connected, and used to send to an address.

use super::{SocketAddr, address};
use crate::context;
use crate::evented::Evented;
use crate::interest::Interest;
use crate::net::datagram::Datagrams;
use crate::net::datagram::methods::{datagram_receive_methods, datagram_send_methods};
use crate::net::kinds;
use crate::net::options::buffer_methods;
use crate::net::plumbing::{born_connected, socket_plumbing};
use crate::net::system::as_descriptor;
use crate::net::waits::{operation_methods, wait_methods};
use socket2::{SockAddr, SockRef};
use std::io;
use std::net::Shutdown;
use std::os::unix::net;
use std::path::Path;
use std::task::{Context, Poll};

/// A Unix datagram socket, which exchanges datagrams with other sockets on the same machine.
/// Datagrams are neither lost nor reordered.
///
/// All operations take a shared reference, and any number of tasks may wait in each direction.
///
/// The queue of a receiver is short (ten datagrams on Linux), and senders wait while it is full. A
/// full receiver delays only the datagrams sent to this receiver, not those sent to others.
///
/// Linux notifies a waiting sender only if the sender is connected to the receiver or has datagrams
/// in the receiver's queue. Any other sender retries at intervals of at most 64 ms; with
/// [`poll_send_to`](UnixDatagram::poll_send_to), such a sender retries continuously. If many
/// sockets send to one receiver, connect each of them.
///
/// # Examples
///
/// ```
/// # use wsrt_reactor as wsrt;
/// use wsrt::net::UnixDatagram;
///
/// # let folder = std::env::temp_dir().join(format!("wsrt-doc-datagram-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).unwrap();
/// # let path = folder.join("socket");
/// # let outcome = wsrt_reactor_testing::run(async {
/// let server = UnixDatagram::bind(&path)?;
/// let client = UnixDatagram::unbound()?;
/// client.send_to(b"hello", &path).await?;
///
/// let mut buf = [0; 16];
/// let (length, from) = server.recv_from(&mut buf).await?;
/// assert_eq!(&buf[..length], b"hello");
/// assert!(from.is_unnamed());
/// # std::io::Result::Ok(()) });
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # outcome.unwrap();
/// ```
pub struct UnixDatagram {
    pub(in crate::net) io: Evented<kinds::UnixDatagram>,
}

impl UnixDatagram {
    /// Creates a socket bound to `path`, where a socket file is created. The file remains when the
    /// socket is dropped. On Linux, a path that begins with a zero byte is a name in the abstract
    /// namespace, and no file is created.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the unchanged OS error, or `InvalidInput` if `path` cannot be an address, for
    /// example because it is too long.
    #[track_caller]
    pub fn bind<P: AsRef<Path>>(path: P) -> io::Result<UnixDatagram> {
        let context = context::required("UnixDatagram::bind");
        Self::bind_in(&address::of_path(path.as_ref(), "bind")?, &context)
    }

    /// Creates a socket bound to `address`, which may be a name in Linux's abstract namespace.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`bind`](UnixDatagram::bind).
    #[track_caller]
    pub fn bind_addr(address: &SocketAddr) -> io::Result<UnixDatagram> {
        Self::bind_in(address, &context::required("UnixDatagram::bind_addr"))
    }

    fn bind_in(address: &SocketAddr, context: &context::ReactorContext) -> io::Result<UnixDatagram> {
        Self::registered(kinds::UnixDatagram::bind_addr(address.as_std())?, context.handle())
    }

    /// Creates a socket that is not bound to an address. Such a socket can send, but no other
    /// socket can address a datagram to it.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the OS error, for example if the process has run out of file descriptors, or an
    /// error if the runtime has been shut down.
    #[track_caller]
    pub fn unbound() -> io::Result<UnixDatagram> {
        let context = context::required("UnixDatagram::unbound");
        Self::registered(kinds::UnixDatagram::unbound()?, context.handle())
    }

    /// Creates a pair of sockets that are connected to each other. Neither socket is bound to an
    /// address.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`unbound`](UnixDatagram::unbound).
    #[doc = example!("datagram_pair", "datagram_pair")]
    #[track_caller]
    pub fn pair() -> io::Result<(UnixDatagram, UnixDatagram)> {
        let context = context::required("UnixDatagram::pair");
        let (one, other) = kinds::UnixDatagram::pair()?;
        let [one, other] = [one, other].map(|end| Self::connected(end, context.handle(), Interest::WRITABLE));
        Ok((one?, other?))
    }

    /// Connects this socket to the socket bound to `path`. Afterwards, [`send`](UnixDatagram::send)
    /// sends to this peer, and only datagrams from this peer are received.
    ///
    /// # Errors
    ///
    /// Returns the unchanged OS error, or `InvalidInput` if `path` cannot be an address, for
    /// example because it is too long.
    pub fn connect<P: AsRef<Path>>(&self, path: P) -> io::Result<()> {
        self.connect_addr(&address::of_path(path.as_ref(), "connect to")?)
    }

    /// Connects this socket to the socket bound to `address`, which may be a name in Linux's
    /// abstract namespace.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`connect`](UnixDatagram::connect).
    pub fn connect_addr(&self, address: &SocketAddr) -> io::Result<()> {
        self.socket().direct_to(&address::to_system(address)?)
    }

    /// Returns the local address that this socket is bound to.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the address cannot be retrieved.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket().local_addr().map(SocketAddr::from)
    }

    /// Returns the address of the peer that this socket is connected to.
    ///
    /// # Errors
    ///
    /// Returns the OS error, which is `NotConnected` if the socket is not connected.
    pub fn peer_addr(&self) -> io::Result<SocketAddr> {
        self.socket().peer_addr().map(SocketAddr::from)
    }

    /// Sends `buf` as one datagram to the socket bound to the path `target`, and returns the number
    /// of bytes sent. Waits while the receiver's queue is full.
    ///
    /// # Errors
    ///
    /// Returns the unchanged OS error, `InvalidInput` if `target` cannot be an address, or an error
    /// if the runtime has been shut down.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before completion, no datagram has been sent.
    pub async fn send_to<P: AsRef<Path>>(&self, buf: &[u8], target: P) -> io::Result<usize> {
        self.send_to_addr(buf, &address::of_path(target.as_ref(), "send to")?).await
    }

    /// Sends `buf` as one datagram to the socket bound to the address `target`, which may be a name
    /// in Linux's abstract namespace, and returns the number of bytes sent.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`send_to`](UnixDatagram::send_to).
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before completion, no datagram has been sent.
    pub async fn send_to_addr(&self, buf: &[u8], target: &SocketAddr) -> io::Result<usize> {
        let target = address::to_system(target)?;
        self.evented().send_to(buf, &target).await
    }

    /// Attempts to send `buf` to `target`, as [`send_to`](UnixDatagram::send_to) does. If the
    /// datagram cannot be sent yet, returns `Poll::Pending` and registers the current task to be
    /// woken. Any number of tasks may poll concurrently.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`send_to`](UnixDatagram::send_to).
    pub fn poll_send_to<P: AsRef<Path>>(&self, cx: &mut Context<'_>, buf: &[u8], target: P) -> Poll<io::Result<usize>> {
        let target = address::to_system(&address::of_path(target.as_ref(), "send to")?)?;
        self.evented().poll_send_to(cx, buf, &target)
    }

    /// Tries to send `buf` as one datagram to the socket bound to the path `target` without
    /// waiting, and returns the number of bytes sent.
    ///
    /// # Errors
    ///
    /// Returns `WouldBlock` if the OS cannot take the datagram at the moment, or the errors of
    /// [`send_to`](UnixDatagram::send_to).
    pub fn try_send_to<P: AsRef<Path>>(&self, buf: &[u8], target: P) -> io::Result<usize> {
        let target = address::to_system(&address::of_path(target.as_ref(), "send to")?)?;
        self.evented().try_send_to(buf, &target)
    }

    /// Shuts down the receiving direction, the sending direction, or both.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the shutdown fails.
    #[doc = example!("unix_datagram", "datagram_shutdown")]
    pub fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        self.socket().shutdown(how)
    }

    /// Creates a socket from a standard library socket, and sets it to non-blocking mode.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the socket cannot be made non-blocking or cannot be registered with
    /// the netpoller, or an error if the runtime has been shut down.
    #[track_caller]
    pub fn from_std(socket: net::UnixDatagram) -> io::Result<UnixDatagram> {
        let context = context::required("UnixDatagram::from_std");
        socket.set_nonblocking(true)?;
        Self::registered(kinds::UnixDatagram::from_std(socket), context.handle())
    }

    /// Deregisters the socket from the netpoller and returns it as a standard library socket, which
    /// remains in non-blocking mode.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the socket cannot be deregistered from the netpoller. The socket is
    /// then closed.
    pub fn into_std(self) -> io::Result<net::UnixDatagram> {
        self.io.into_inner().map(net::UnixDatagram::from)
    }
}

impl TryFrom<net::UnixDatagram> for UnixDatagram {
    type Error = io::Error;

    /// Creates a socket from a standard library socket, as [`UnixDatagram::from_std`] does.
    #[track_caller]
    fn try_from(socket: net::UnixDatagram) -> io::Result<UnixDatagram> {
        Self::from_std(socket)
    }
}

socket_plumbing!(UnixDatagram, "UnixDatagram", kinds::UnixDatagram);
born_connected!(UnixDatagram, "UnixDatagram", kinds::UnixDatagram);
datagram_send_methods!(UnixDatagram, "datagram_pair");
datagram_receive_methods!(UnixDatagram, SocketAddr, "datagram_pair");
wait_methods!(UnixDatagram, readable, poll_recv_ready, READABLE, "receive", "datagram_pair", "datagram_readable");
wait_methods!(UnixDatagram, writable, poll_send_ready, WRITABLE, "send", "datagram_pair", "try_send");
operation_methods!(UnixDatagram, "datagram_pair", "datagram_ready");
buffer_methods!(UnixDatagram, "unix_datagram", "");
as_descriptor!(UnixDatagram);

impl Datagrams for mio::net::UnixDatagram {
    type Address = SocketAddr;

    fn attempt<R>(&self, call: impl FnOnce(SockRef<'_>) -> io::Result<R>) -> io::Result<R> {
        self.try_io(|| call(SockRef::from(self)))
    }

    fn address(of_system: &SockAddr) -> io::Result<SocketAddr> {
        Ok(address::of_system(of_system))
    }
}
