//! UDP sockets.

use super::ToSocketAddrs;
use super::datagram::Datagrams;
use super::lookup::{resolve, resolve_one};
use crate::context;
use crate::error;
use crate::evented::Evented;
use crate::interest::Interest;
use std::io;
use std::net::SocketAddr;
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
/// use wsrt_reactor::net::UdpSocket;
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
#[derive(Debug)]
pub struct UdpSocket {
    pub(super) io: Evented<mio::net::UdpSocket>,
}

impl UdpSocket {
    /// Binds to the first of the addresses that can be bound. Port 0 asks the system for a free
    /// port.
    ///
    /// # Panics
    ///
    /// Outside a runtime.
    ///
    /// # Errors
    ///
    /// When no address can be bound: the system's error for the last one, as it is. Otherwise the
    /// lookup's.
    ///
    /// # Cancel safety
    ///
    /// Dropped before it is ready, nothing stays bound.
    pub async fn bind<A: ToSocketAddrs>(addr: A) -> io::Result<UdpSocket> {
        let context = context::required("UdpSocket::bind");
        let addresses = resolve(addr.target()?, "UdpSocket::bind").await?;
        error::first_that_works(addresses, |address| {
            UdpSocket::registered(mio::net::UdpSocket::bind(address)?, context.handle())
        })
    }

    /// Connects it to the first of the addresses that it can be connected to:
    /// [`send`](UdpSocket::send) sends there, and nothing from elsewhere is received. Nothing is
    /// sent by this.
    ///
    /// # Panics
    ///
    /// Outside a runtime, when a lookup is needed.
    ///
    /// # Errors
    ///
    /// When it can be connected to none: the system's error for the last one, as it is. Otherwise
    /// the lookup's.
    ///
    /// # Cancel safety
    ///
    /// Dropped before it is ready, it is connected to what it was before.
    pub async fn connect<A: ToSocketAddrs>(&self, addr: A) -> io::Result<()> {
        let addresses = resolve(addr.target()?, "UdpSocket::connect").await?;
        error::first_that_works(addresses, |address| self.socket().connect(address))
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

    /// Sends a datagram to `target` and returns its length.
    ///
    /// Of several addresses it takes the first of the socket's own family. Sent means handed to the
    /// system, not received.
    ///
    /// # Panics
    ///
    /// Outside a runtime, when a lookup is needed.
    ///
    /// # Errors
    ///
    /// The system's, as it is; the lookup's; or that the runtime was shut down.
    ///
    /// # Cancel safety
    ///
    /// Dropped before it is ready, nothing was sent.
    pub async fn send_to<A: ToSocketAddrs>(&self, buf: &[u8], target: A) -> io::Result<usize> {
        let address = resolve_one(target.target()?, "UdpSocket::send_to", || self.local_addr()).await?;
        let address = address.into();
        self.evented().io(Interest::WRITABLE, |socket| socket.transmit_to(buf, &address)).await
    }

    /// Polls a [`send_to`](UdpSocket::send_to). Any number of tasks may poll.
    ///
    /// # Errors
    ///
    /// The system's, or that the runtime was shut down.
    pub fn poll_send_to(&self, cx: &mut Context<'_>, buf: &[u8], target: SocketAddr) -> Poll<io::Result<usize>> {
        let target = target.into();
        self.evented().poll_io(Interest::WRITABLE, cx, |socket| socket.transmit_to(buf, &target))
    }

    /// As [`send_to`](UdpSocket::send_to), without waiting.
    ///
    /// # Errors
    ///
    /// `WouldBlock` when the system takes nothing; the system's.
    pub fn try_send_to(&self, buf: &[u8], target: SocketAddr) -> io::Result<usize> {
        let target = target.into();
        self.evented().try_io(Interest::WRITABLE, |socket| socket.transmit_to(buf, &target))
    }
}

wraps!(UdpSocket, "UdpSocket", mio::net::UdpSocket, std::net::UdpSocket);
