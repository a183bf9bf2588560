//! The UDP socket: how it is made and connected, sends, and waits.

mod multicast;
mod options;
mod receive;

use super::ToSocketAddrs;
use super::datagram::Datagrams;
use super::lookup::{resolve, resolve_one};
use crate::context;
use crate::error;
use crate::evented::Evented;
use crate::interest::Interest;
use crate::net::kinds;
use crate::net::plumbing::socket_plumbing;
use crate::net::system::as_descriptor;
use crate::ready::Ready;
use std::io;
use std::net::{self, SocketAddr};
use std::task::{Context, Poll};

/// Sends and receives UDP datagrams.
///
/// Everything works through a shared reference, and any number of tasks may wait in each direction:
/// put it into an `Arc` to send and receive in different tasks. (tokio's poll methods keep the last
/// waker only; here each is kept.)
///
/// # Examples
///
/// ```
/// # use wsrt_reactor as wsrt;
/// use wsrt::net::UdpSocket;
///
/// # wsrt_reactor_testing::run(async {
/// let server = UdpSocket::bind("127.0.0.1:0").await?;
/// let client = UdpSocket::bind("127.0.0.1:0").await?;
///
/// client.connect(server.local_addr()?).await?;
/// client.send(b"hello").await?;
///
/// let mut buf = [0; 1500];
/// let (length, from) = server.recv_from(&mut buf).await?;
/// assert_eq!(&buf[..length], b"hello");
/// server.send_to(&buf[..length], from).await?;
/// assert_eq!(client.recv(&mut buf).await?, 5);
/// # std::io::Result::Ok(()) }).unwrap();
/// ```
pub struct UdpSocket {
    pub(super) io: Evented<kinds::UdpSocket>,
}

impl UdpSocket {
    /// Binds to the first of the addresses that can be bound. Port 0 asks the system for a free
    /// port.
    ///
    /// # Panics
    ///
    /// Panics outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the error of the lookup; or, if no address can be bound, the unchanged OS error of
    /// the last one.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, nothing stays bound.
    #[doc = example!("udp", "udp_bind")]
    pub async fn bind<A: ToSocketAddrs>(addr: A) -> io::Result<UdpSocket> {
        let context = context::required("UdpSocket::bind");
        let addresses = resolve(addr.target()?, "UdpSocket::bind").await?;
        error::first_that_works(addresses, |address| {
            UdpSocket::registered(kinds::UdpSocket::bind(address)?, context.handle())
        })
    }

    /// Connects it to the first of the addresses that it can be connected to:
    /// [`send`](UdpSocket::send) sends there, and nothing from elsewhere is received. Nothing is
    /// sent by this.
    ///
    /// # Panics
    ///
    /// Panics outside a runtime, when a lookup is needed.
    ///
    /// # Errors
    ///
    /// Returns the error of the lookup; or, if it can be connected to no address, the unchanged OS
    /// error of the last one.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, it is connected to the same peer as before.
    #[doc = example!("udp_pair", "udp_addresses")]
    pub async fn connect<A: ToSocketAddrs>(&self, addr: A) -> io::Result<()> {
        let addresses = resolve(addr.target()?, "UdpSocket::connect").await?;
        error::first_that_works(addresses, |address| self.socket().connect(address))
    }

    /// Returns the address it is bound to.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[doc = example!("udp_pair", "udp_addresses")]
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket().local_addr()
    }

    /// Returns the address it is connected to.
    ///
    /// # Errors
    ///
    /// Returns the OS error: `NotConnected` if it is not connected.
    #[doc = example!("udp_pair", "udp_addresses")]
    pub fn peer_addr(&self) -> io::Result<SocketAddr> {
        self.socket().peer_addr()
    }

    /// Sends a datagram to `target` and returns its length.
    ///
    /// Of several addresses it takes the first of the socket's own family. Sent means handed to the
    /// OS, not received.
    ///
    /// # Panics
    ///
    /// Panics outside a runtime, when a lookup is needed.
    ///
    /// # Errors
    ///
    /// Returns the unchanged OS error, the error of the lookup, or an error if the runtime was shut
    /// down.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, nothing was sent.
    #[doc = example!("udp", "udp_send_to")]
    pub async fn send_to<A: ToSocketAddrs>(&self, buf: &[u8], target: A) -> io::Result<usize> {
        let address = resolve_one(target.target()?, "UdpSocket::send_to", || self.local_addr()).await?;
        let address = address.into();
        self.evented().io(Interest::WRITABLE, |socket| socket.transmit_to(buf, &address)).await
    }

    /// Polls a [`send_to`](UdpSocket::send_to). Any number of tasks may poll.
    ///
    /// # Errors
    ///
    /// Returns the OS error, or an error if the runtime was shut down.
    pub fn poll_send_to(&self, cx: &mut Context<'_>, buf: &[u8], target: SocketAddr) -> Poll<io::Result<usize>> {
        let target = target.into();
        self.evented().poll_io(Interest::WRITABLE, cx, |socket| socket.transmit_to(buf, &target))
    }

    /// Sends like [`send_to`](UdpSocket::send_to), without waiting.
    ///
    /// # Errors
    ///
    /// Returns `WouldBlock` if the OS takes no datagram, or the OS error.
    #[doc = example!("udp", "udp_try_send_to")]
    pub fn try_send_to(&self, buf: &[u8], target: SocketAddr) -> io::Result<usize> {
        let target = target.into();
        self.evented().try_io(Interest::WRITABLE, |socket| socket.transmit_to(buf, &target))
    }

    /// Takes over the standard library's socket and makes it non-blocking.
    ///
    /// # Panics
    ///
    /// Panics outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the OS error if it cannot be made non-blocking or cannot be polled, or an error if
    /// the runtime was shut down.
    #[doc = example!("udp", "udp_from_std")]
    #[track_caller]
    pub fn from_std(socket: net::UdpSocket) -> io::Result<UdpSocket> {
        let context = context::required("UdpSocket::from_std");
        socket.set_nonblocking(true)?;
        Self::registered(kinds::UdpSocket::from_std(socket), context.handle())
    }

    /// Returns the standard library's socket, still non-blocking.
    ///
    /// # Errors
    ///
    /// Returns the OS error if it cannot be taken out of the poll; it is closed then.
    #[doc = example!("udp", "udp_from_std")]
    pub fn into_std(self) -> io::Result<net::UdpSocket> {
        self.io.into_inner().map(net::UdpSocket::from)
    }

    /// Sends a datagram to the peer that the socket is connected to, and returns its length.
    ///
    /// Sent means handed to the OS, not received by the peer.
    ///
    /// # Errors
    ///
    /// Returns the OS error, also if the socket is not connected; or an error if the runtime was
    /// shut down.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, nothing was sent.
    #[doc = example!("udp_pair", "send")]
    pub async fn send(&self, buf: &[u8]) -> io::Result<usize> {
        self.evented().io(Interest::WRITABLE, |socket| socket.transmit(buf)).await
    }

    /// Polls a [`send`](Self::send). Any number of tasks may poll.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`send`](Self::send).
    pub fn poll_send(&self, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.evented().poll_io(Interest::WRITABLE, cx, |socket| socket.transmit(buf))
    }

    /// Sends like [`send`](Self::send), without waiting.
    ///
    /// # Errors
    ///
    /// Returns `WouldBlock` if the OS takes no datagram, or the OS error.
    #[doc = example!("udp_pair", "try_send")]
    pub fn try_send(&self, buf: &[u8]) -> io::Result<usize> {
        self.evented().try_io(Interest::WRITABLE, |socket| socket.transmit(buf))
    }

    /// Waits until a receive is worth trying. The receive may still return `WouldBlock`.
    ///
    /// # Errors
    ///
    /// Returns an error if the runtime was shut down.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, nothing is lost.
    #[doc = example!("udp_pair", "datagram_readable")]
    pub async fn readable(&self) -> io::Result<()> {
        self.evented().ready(Interest::READABLE).await.map(drop)
    }

    /// Waits until a send is worth trying. The send may still return `WouldBlock`.
    ///
    /// # Errors
    ///
    /// Returns an error if the runtime was shut down.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, nothing is lost.
    #[doc = example!("udp_pair", "try_send")]
    pub async fn writable(&self) -> io::Result<()> {
        self.evented().ready(Interest::WRITABLE).await.map(drop)
    }

    /// Polls [`readable`](Self::readable). Any number of tasks may poll.
    ///
    /// # Errors
    ///
    /// Returns an error if the runtime was shut down.
    pub fn poll_recv_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.evented().poll_ready(Interest::READABLE, cx).map_ok(drop)
    }

    /// Polls [`writable`](Self::writable). Any number of tasks may poll.
    ///
    /// # Errors
    ///
    /// Returns an error if the runtime was shut down.
    pub fn poll_send_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.evented().poll_ready(Interest::WRITABLE, cx).map_ok(drop)
    }

    /// Waits until one of the directions in `interest` is worth trying, and returns the conditions
    /// that hold.
    ///
    /// # Errors
    ///
    /// Returns an error if the runtime was shut down.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, nothing is lost.
    #[doc = example!("udp_pair", "datagram_ready")]
    pub async fn ready(&self, interest: Interest) -> io::Result<Ready> {
        self.evented().ready(interest).await
    }

    /// Runs the caller's operation on the socket, once, if it is worth trying; otherwise
    /// returns `WouldBlock` without running it.
    ///
    /// If `operation` returns `WouldBlock`, the directions in `interest` count as drained until the
    /// next event. So it must return that only if the OS did.
    ///
    /// # Errors
    ///
    /// Returns the error of `operation`, `WouldBlock`, or an error if the runtime was shut down.
    pub fn try_io<R>(&self, interest: Interest, operation: impl FnOnce() -> io::Result<R>) -> io::Result<R> {
        self.evented().try_io(interest, |socket| socket.try_io(operation))
    }

    /// Runs the caller's operation on the socket until it returns anything but
    /// `WouldBlock`, waiting in between.
    ///
    /// `operation` must keep to the rule of [`try_io`](Self::try_io).
    ///
    /// # Errors
    ///
    /// Returns the error of `operation`, or an error if the runtime was shut down.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, `operation` has not succeeded: nothing is lost.
    pub async fn async_io<R>(&self, interest: Interest, mut operation: impl FnMut() -> io::Result<R>) -> io::Result<R> {
        self.evented().io(interest, |socket| socket.try_io(&mut operation)).await
    }
}

impl TryFrom<net::UdpSocket> for UdpSocket {
    type Error = io::Error;

    /// Converts like [`UdpSocket::from_std`].
    #[track_caller]
    fn try_from(socket: net::UdpSocket) -> io::Result<UdpSocket> {
        Self::from_std(socket)
    }
}

socket_plumbing!(UdpSocket, "UdpSocket", kinds::UdpSocket);
as_descriptor!(UdpSocket);
