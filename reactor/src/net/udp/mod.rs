//! The UDP socket: how it is created, connected, and used to send to an address.

mod multicast;

use super::ToSocketAddrs;
use super::datagram::Datagrams;
use super::datagram::methods::{datagram_receive_methods, datagram_send_methods};
use super::lookup::{resolve, resolve_one};
use crate::context;
use crate::error;
use crate::evented::Evented;
use crate::interest::Interest;
use crate::net::kinds;
use crate::net::options::{buffer_methods, device_methods, packet_methods};
use crate::net::plumbing::socket_plumbing;
use crate::net::system::as_descriptor;
use crate::net::waits::{operation_methods, wait_methods};
use std::io;
use std::net::{self, SocketAddr};
use std::task::{Context, Poll};

/// A UDP socket, which sends and receives datagrams.
///
/// A `UdpSocket` can be used in two ways: unconnected, with [`send_to`](UdpSocket::send_to) and
/// [`recv_from`](UdpSocket::recv_from) to communicate with any number of peers; or connected to one
/// peer by [`connect`](UdpSocket::connect), with [`send`](UdpSocket::send) and
/// [`recv`](UdpSocket::recv).
///
/// All operations take a shared reference, and any number of tasks may wait in each direction: put
/// the socket into an `Arc` to send and receive in different tasks. Unlike tokio's poll methods,
/// which keep only the last waker, the poll methods of this type keep the waker of every task.
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
    /// Creates a socket bound to the first address in `addr` that can be bound. Port 0 makes the OS
    /// choose a free port.
    ///
    /// # Panics
    ///
    /// Panics if polled outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the lookup's error if `addr` cannot be resolved. If no address can be bound, returns
    /// the unchanged OS error for the last address tried.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before completion, no socket stays bound.
    #[doc = example!("udp", "udp_bind")]
    pub async fn bind<A: ToSocketAddrs>(addr: A) -> io::Result<UdpSocket> {
        let context = context::required("UdpSocket::bind");
        let addresses = resolve(addr.target()?, "UdpSocket::bind").await?;
        error::first_that_works(addresses, |address| {
            UdpSocket::registered(kinds::UdpSocket::bind(address)?, context.handle())
        })
    }

    /// Connects this socket to the first address in `addr` that the OS accepts. Afterwards,
    /// [`send`](UdpSocket::send) sends to this address, and only datagrams from this address are
    /// received. Connecting sends nothing over the network.
    ///
    /// # Panics
    ///
    /// Panics if a host name has to be resolved and the future is polled outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the lookup's error if `addr` cannot be resolved. If the socket cannot be connected
    /// to any address, returns the unchanged OS error for the last address tried.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before completion, the socket's peer has not changed.
    #[doc = example!("udp_pair", "udp_addresses")]
    pub async fn connect<A: ToSocketAddrs>(&self, addr: A) -> io::Result<()> {
        let addresses = resolve(addr.target()?, "UdpSocket::connect").await?;
        error::first_that_works(addresses, |address| self.socket().connect(address))
    }

    /// Returns the local address that this socket is bound to.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the address cannot be retrieved.
    #[doc = example!("udp_pair", "udp_addresses")]
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket().local_addr()
    }

    /// Returns the address of the peer that this socket is connected to.
    ///
    /// # Errors
    ///
    /// Returns the OS error, which is `NotConnected` if the socket is not connected.
    #[doc = example!("udp_pair", "udp_addresses")]
    pub fn peer_addr(&self) -> io::Result<SocketAddr> {
        self.socket().peer_addr()
    }

    /// Sends `buf` as one datagram to `target`, and returns the number of bytes sent.
    ///
    /// If `target` resolves to several addresses, the first one of the socket's own address family
    /// is used. A successful return means that the OS has taken the datagram, not that the peer has
    /// received it.
    ///
    /// # Panics
    ///
    /// Panics if a host name has to be resolved and the future is polled outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the unchanged OS error, the lookup's error if `target` cannot be resolved, or an
    /// error if the runtime has been shut down.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before completion, no datagram has been sent.
    #[doc = example!("udp", "udp_send_to")]
    pub async fn send_to<A: ToSocketAddrs>(&self, buf: &[u8], target: A) -> io::Result<usize> {
        let address = resolve_one(target.target()?, "UdpSocket::send_to", || self.local_addr()).await?;
        let address = address.into();
        self.evented().io(Interest::WRITABLE, |socket| socket.transmit_to(buf, &address)).await
    }

    /// Attempts to send `buf` to `target`, as [`send_to`](UdpSocket::send_to) does. If the send
    /// buffer is full, returns `Poll::Pending` and registers the current task to be woken. Any
    /// number of tasks may poll concurrently.
    ///
    /// # Errors
    ///
    /// Returns the OS error, or an error if the runtime has been shut down.
    pub fn poll_send_to(&self, cx: &mut Context<'_>, buf: &[u8], target: SocketAddr) -> Poll<io::Result<usize>> {
        let target = target.into();
        self.evented().poll_io(Interest::WRITABLE, cx, |socket| socket.transmit_to(buf, &target))
    }

    /// Tries to send `buf` as one datagram to `target` without waiting, and returns the number of
    /// bytes sent.
    ///
    /// # Errors
    ///
    /// Returns `WouldBlock` if the OS cannot take a datagram at the moment, or the OS error.
    #[doc = example!("udp", "udp_try_send_to")]
    pub fn try_send_to(&self, buf: &[u8], target: SocketAddr) -> io::Result<usize> {
        let target = target.into();
        self.evented().try_io(Interest::WRITABLE, |socket| socket.transmit_to(buf, &target))
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
    #[doc = example!("udp", "udp_from_std")]
    #[track_caller]
    pub fn from_std(socket: net::UdpSocket) -> io::Result<UdpSocket> {
        let context = context::required("UdpSocket::from_std");
        socket.set_nonblocking(true)?;
        Self::registered(kinds::UdpSocket::from_std(socket), context.handle())
    }

    /// Deregisters the socket from the netpoller and returns it as a standard library socket, which
    /// remains in non-blocking mode.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the socket cannot be deregistered from the netpoller. The socket is
    /// then closed.
    #[doc = example!("udp", "udp_from_std")]
    pub fn into_std(self) -> io::Result<net::UdpSocket> {
        self.io.into_inner().map(net::UdpSocket::from)
    }
}

impl TryFrom<net::UdpSocket> for UdpSocket {
    type Error = io::Error;

    /// Creates a socket from a standard library socket, as [`UdpSocket::from_std`] does.
    #[track_caller]
    fn try_from(socket: net::UdpSocket) -> io::Result<UdpSocket> {
        Self::from_std(socket)
    }
}

socket_plumbing!(UdpSocket, "UdpSocket", kinds::UdpSocket);
datagram_send_methods!(UdpSocket, "udp_pair");
datagram_receive_methods!(UdpSocket, SocketAddr, "udp_pair");
wait_methods!(UdpSocket, readable, poll_recv_ready, READABLE, "receive", "udp_pair", "datagram_readable");
wait_methods!(UdpSocket, writable, poll_send_ready, WRITABLE, "send", "udp_pair", "try_send");
operation_methods!(UdpSocket, "udp_pair", "datagram_ready");
buffer_methods!(UdpSocket, "udp_socket", "");
packet_methods!(UdpSocket, "udp_socket", "");
device_methods!(UdpSocket);
as_descriptor!(UdpSocket);
