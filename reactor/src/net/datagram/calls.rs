//! The system calls of each kind of datagram socket, each tried once.

use socket2::{SockAddr, SockRef};
use std::io;
use std::mem::MaybeUninit;

/// A socket that receives and sends datagrams.
///
/// Receiving takes memory that need not be initialised, writes initialised bytes only, and has
/// initialised the first `count` bytes when it returns `count`. A datagram longer than the memory
/// is cut off.
pub(crate) trait Datagrams: mio::event::Source {
    type Address;

    fn receive(&self, buf: &mut [MaybeUninit<u8>]) -> io::Result<(usize, ())> {
        self.attempt(|socket| socket.recv(buf)).map(|count| (count, ()))
    }

    fn receive_from(&self, buf: &mut [MaybeUninit<u8>]) -> io::Result<(usize, Self::Address)> {
        let (count, from) = self.attempt(|socket| socket.recv_from(buf))?;
        Ok((count, Self::address(&from)?))
    }

    fn peek(&self, buf: &mut [MaybeUninit<u8>]) -> io::Result<(usize, ())> {
        self.attempt(|socket| socket.peek(buf)).map(|count| (count, ()))
    }

    fn peek_from(&self, buf: &mut [MaybeUninit<u8>]) -> io::Result<(usize, Self::Address)> {
        let (count, from) = self.attempt(|socket| socket.peek_from(buf))?;
        Ok((count, Self::address(&from)?))
    }

    fn peek_sender(&self) -> io::Result<Self::Address> {
        Self::address(&self.attempt(|socket| socket.peek_sender())?)
    }

    fn transmit(&self, datagram: &[u8]) -> io::Result<usize> {
        self.attempt(|socket| socket.send(datagram))
    }

    fn transmit_to(&self, datagram: &[u8], target: &SockAddr) -> io::Result<usize> {
        self.attempt(|socket| socket.send_to(datagram, target))
    }

    /// Connects the socket: datagrams go to `target`, and come from nowhere else.
    #[cfg(unix)]
    fn direct_to(&self, target: &SockAddr) -> io::Result<()> {
        self.attempt(|socket| socket.connect(target))
    }

    /// Runs a system call the way mio requires.
    fn attempt<R>(&self, call: impl FnOnce(SockRef<'_>) -> io::Result<R>) -> io::Result<R>;

    fn address(of_system: &SockAddr) -> io::Result<Self::Address>;
}

impl Datagrams for mio::net::UdpSocket {
    type Address = std::net::SocketAddr;

    fn attempt<R>(&self, call: impl FnOnce(SockRef<'_>) -> io::Result<R>) -> io::Result<R> {
        self.try_io(|| call(SockRef::from(self)))
    }

    fn address(of_system: &SockAddr) -> io::Result<std::net::SocketAddr> {
        of_system
            .as_socket()
            .ok_or_else(|| io::Error::other("a datagram came from an address that is not IPv4 or IPv6"))
    }
}
