//! The kinds of sockets that the types of this module are made of: mio's. With feature `sim` these
//! are in `kinds/`.

use crate::descriptor;
use crate::net::stream;
use crate::walk::Label;
use socket2::{Domain, Protocol, SockRef, Socket, Type};
use std::io;
use std::net::SocketAddr;

#[cfg(unix)]
pub(crate) use crate::net::unix::accept as accept_unix;
#[cfg(unix)]
use crate::net::unix::{SocketAddr as Named, address::to_system};
pub(crate) use mio::net::{TcpListener, TcpStream, UdpSocket};
#[cfg(unix)]
pub(crate) use mio::net::{UnixDatagram, UnixListener, UnixStream};

/// The outcome of a connect, with `WouldBlock` while there is none.
pub(crate) fn outcome_of_connect<S>(socket: &S) -> io::Result<()>
where
    for<'a> SockRef<'a>: From<&'a S>,
{
    stream::outcome_of_connect(SockRef::from(socket))
}

/// Returns whether a socket is simulated: none is.
#[cfg(unix)]
pub(crate) fn is_simulated<S>(_: &S) -> bool {
    false
}

/// How a walk shows a socket.
#[cfg(unix)]
pub(crate) fn label(name: &'static str, socket: &impl std::os::fd::AsRawFd) -> Label {
    Label::of_socket(name, descriptor::raw(socket))
}

/// How a walk shows a socket.
#[cfg(windows)]
pub(crate) fn label(name: &'static str, socket: &impl std::os::windows::io::AsRawSocket) -> Label {
    Label::of_socket(name, descriptor::raw(socket))
}

/// A TCP socket that neither listens nor is connected.
#[derive(Debug)]
pub(crate) struct UnconnectedTcp(Socket);

impl UnconnectedTcp {
    pub(crate) fn tcp(domain: Domain) -> io::Result<Self> {
        let socket = Socket::new(domain, Type::STREAM, Some(Protocol::TCP))?;
        socket.set_nonblocking(true)?;
        Ok(Self(socket))
    }

    pub(crate) fn of_system(socket: Socket) -> Self {
        Self(socket)
    }

    pub(crate) fn system(&self) -> &Socket {
        &self.0
    }

    pub(crate) fn into_system(self) -> Socket {
        self.0
    }

    pub(crate) fn bind(&self, address: SocketAddr) -> io::Result<()> {
        self.0.bind(&address.into())
    }

    pub(crate) fn local_addr(&self) -> io::Result<SocketAddr> {
        let address = self.0.local_addr()?;
        address.as_socket().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "not an internet socket"))
    }

    pub(crate) fn connect(self, address: SocketAddr) -> io::Result<TcpStream> {
        match self.0.connect(&address.into()) {
            Err(error) if !descriptor::is_in_progress(&error) => Err(error),
            _ => Ok(TcpStream::from_std(self.0.into())),
        }
    }

    pub(crate) fn listen(self, backlog: u32) -> io::Result<TcpListener> {
        self.0.listen(i32::try_from(backlog).unwrap_or(i32::MAX))?;
        Ok(TcpListener::from_std(self.0.into()))
    }
}

/// A Unix socket that neither listens nor is connected.
#[cfg(unix)]
#[derive(Debug)]
pub(crate) struct UnconnectedUnix(Socket);

#[cfg(unix)]
impl UnconnectedUnix {
    pub(crate) fn of_kind(kind: Type) -> io::Result<Self> {
        let socket = Socket::new(Domain::UNIX, kind, None)?;
        socket.set_nonblocking(true)?;
        Ok(Self(socket))
    }

    pub(crate) fn of_system(socket: Socket) -> Self {
        Self(socket)
    }

    pub(crate) fn system(&self) -> &Socket {
        &self.0
    }

    pub(crate) fn into_system(self) -> Socket {
        self.0
    }

    pub(crate) fn bind(&self, address: &Named) -> io::Result<()> {
        self.0.bind(&to_system(address)?)
    }

    pub(crate) fn connect(self, address: &Named) -> io::Result<UnixStream> {
        match self.0.connect(&to_system(address)?) {
            Err(error) if !descriptor::is_in_progress(&error) => Err(error),
            _ => Ok(UnixStream::from_std(self.0.into())),
        }
    }

    pub(crate) fn listen(self, backlog: u32) -> io::Result<UnixListener> {
        self.0.listen(i32::try_from(backlog).unwrap_or(i32::MAX))?;
        Ok(UnixListener::from_std(self.0.into()))
    }

    pub(crate) fn datagram(self) -> io::Result<UnixDatagram> {
        Ok(UnixDatagram::from_std(self.0.into()))
    }
}
