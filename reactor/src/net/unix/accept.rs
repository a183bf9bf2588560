//! Accepting a connection on a Unix listener.

use super::address;
use socket2::SockRef;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net;

/// Accepts a connection. mio's own `accept` fails if the peer's path has the maximum length, and
/// closes the connection.
pub(crate) fn accept(listener: &mio::net::UnixListener) -> io::Result<(mio::net::UnixStream, net::SocketAddr)> {
    let (socket, peer) = SockRef::from(listener).accept()?;
    let stream = net::UnixStream::from(OwnedFd::from(socket));
    stream.set_nonblocking(true)?;
    Ok((mio::net::UnixStream::from_std(stream), address::of_system(&peer).into()))
}
