//! The Unix datagram socket.

use super::{SocketAddr, address};
use crate::context;
use crate::evented::Evented;
use crate::net::datagram::Datagrams;
use socket2::{SockAddr, SockRef};
use std::io;
use std::net::Shutdown;
use std::path::Path;
use std::task::{Context, Poll};

/// Sends and receives datagrams within this machine, which are neither lost nor reordered.
///
/// Everything works through a shared reference, and any number of tasks may wait in each direction.
///
/// A receiver's queue is short (ten datagrams on Linux), and when it is full those who send to it
/// wait. Linux wakes a sender that is connected to the receiver or has datagrams of its own in the
/// queue. One that is neither tries again by itself, after 64 ms at the latest; with
/// [`poll_send_to`](UnixDatagram::poll_send_to) it does so at once and all the time. Where many
/// send to one, let each connect. A receiver that is full holds up nobody who sends to another.
///
/// # Examples
///
/// ```
/// use wsrt_reactor::net::UnixDatagram;
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
#[derive(Debug)]
pub struct UnixDatagram {
    pub(in crate::net) io: Evented<mio::net::UnixDatagram>,
}

impl UnixDatagram {
    /// Binds to a path, where a file appears that stays when the socket is dropped. On Linux a path
    /// that begins with a zero byte is an abstract name.
    ///
    /// # Panics
    ///
    /// Outside a runtime.
    ///
    /// # Errors
    ///
    /// The system's, as it is. Of kind `InvalidInput` when the path cannot be an address, as when
    /// it is too long.
    #[track_caller]
    pub fn bind<P: AsRef<Path>>(path: P) -> io::Result<UnixDatagram> {
        let context = context::required("UnixDatagram::bind");
        Self::bind_in(&address::of_path(path.as_ref(), "bind")?, &context)
    }

    /// Binds to an address, which may be an abstract name.
    ///
    /// # Panics
    ///
    /// Outside a runtime.
    ///
    /// # Errors
    ///
    /// As [`bind`](UnixDatagram::bind).
    #[track_caller]
    pub fn bind_addr(address: &SocketAddr) -> io::Result<UnixDatagram> {
        Self::bind_in(address, &context::required("UnixDatagram::bind_addr"))
    }

    fn bind_in(address: &SocketAddr, context: &context::ReactorContext) -> io::Result<UnixDatagram> {
        Self::registered(mio::net::UnixDatagram::bind_addr(address)?, context.handle())
    }

    /// Makes a socket without an address: it can send, and be sent to by nobody but a peer in a
    /// pair.
    ///
    /// # Panics
    ///
    /// Outside a runtime.
    ///
    /// # Errors
    ///
    /// The system's, when descriptors have run out for example; or that the runtime was shut down.
    #[track_caller]
    pub fn unbound() -> io::Result<UnixDatagram> {
        let context = context::required("UnixDatagram::unbound");
        Self::registered(mio::net::UnixDatagram::unbound()?, context.handle())
    }

    /// Makes two connected sockets, without any address.
    ///
    /// # Panics
    ///
    /// Outside a runtime.
    ///
    /// # Errors
    ///
    /// As [`unbound`](UnixDatagram::unbound).
    #[track_caller]
    pub fn pair() -> io::Result<(UnixDatagram, UnixDatagram)> {
        let context = context::required("UnixDatagram::pair");
        let (one, other) = mio::net::UnixDatagram::pair()?;
        Ok((Self::registered(one, context.handle())?, Self::registered(other, context.handle())?))
    }

    /// Connects it to the socket at a path: [`send`](UnixDatagram::send) sends there, and nothing
    /// from elsewhere is received.
    ///
    /// # Errors
    ///
    /// The system's, as it is. Of kind `InvalidInput` when the path cannot be an address, as when
    /// it is too long.
    pub fn connect<P: AsRef<Path>>(&self, path: P) -> io::Result<()> {
        self.connect_addr(&address::of_path(path.as_ref(), "connect to")?)
    }

    /// Connects it to the socket at an address, which may be an abstract name.
    ///
    /// # Errors
    ///
    /// As [`connect`](UnixDatagram::connect).
    pub fn connect_addr(&self, address: &SocketAddr) -> io::Result<()> {
        self.options().connect(&address::to_system(address)?)
    }

    /// Returns the address it is bound to.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket().local_addr()
    }

    /// Returns the address it is connected to.
    ///
    /// # Errors
    ///
    /// The system's: `NotConnected` when it is not.
    pub fn peer_addr(&self) -> io::Result<SocketAddr> {
        self.socket().peer_addr()
    }

    /// Sends a datagram to the socket at a path and returns its length.
    ///
    /// # Errors
    ///
    /// The system's, as it is; that `target` cannot be an address; or that the runtime was shut
    /// down.
    ///
    /// # Cancel safety
    ///
    /// Dropped before it is ready, nothing was sent.
    pub async fn send_to<P: AsRef<Path>>(&self, buf: &[u8], target: P) -> io::Result<usize> {
        self.send_to_addr(buf, &address::of_path(target.as_ref(), "send to")?).await
    }

    /// Sends a datagram to the socket at an address, which may be an abstract name, and returns its
    /// length.
    ///
    /// # Errors
    ///
    /// As [`send_to`](UnixDatagram::send_to).
    ///
    /// # Cancel safety
    ///
    /// Dropped before it is ready, nothing was sent.
    pub async fn send_to_addr(&self, buf: &[u8], target: &SocketAddr) -> io::Result<usize> {
        let target = address::to_system(target)?;
        self.evented().send_to(buf, &target).await
    }

    /// Polls a [`send_to`](UnixDatagram::send_to). Any number of tasks may poll.
    ///
    /// # Errors
    ///
    /// As [`send_to`](UnixDatagram::send_to).
    pub fn poll_send_to<P: AsRef<Path>>(&self, cx: &mut Context<'_>, buf: &[u8], target: P) -> Poll<io::Result<usize>> {
        let target = address::to_system(&address::of_path(target.as_ref(), "send to")?)?;
        self.evented().poll_send_to(cx, buf, &target)
    }

    /// As [`send_to`](UnixDatagram::send_to), without waiting.
    ///
    /// # Errors
    ///
    /// `WouldBlock` when the system takes nothing; otherwise as [`send_to`](UnixDatagram::send_to).
    pub fn try_send_to<P: AsRef<Path>>(&self, buf: &[u8], target: P) -> io::Result<usize> {
        let target = address::to_system(&address::of_path(target.as_ref(), "send to")?)?;
        self.evented().try_send_to(buf, &target)
    }

    /// Ends one or both directions.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        self.socket().shutdown(how)
    }
}

wraps!(UnixDatagram, "UnixDatagram", mio::net::UnixDatagram, std::os::unix::net::UnixDatagram);

impl Datagrams for mio::net::UnixDatagram {
    type Address = SocketAddr;

    fn attempt<R>(&self, call: impl FnOnce(SockRef<'_>) -> io::Result<R>) -> io::Result<R> {
        self.try_io(|| call(SockRef::from(self)))
    }

    fn address(of_system: &SockAddr) -> io::Result<SocketAddr> {
        address::of_system(of_system)
    }
}
