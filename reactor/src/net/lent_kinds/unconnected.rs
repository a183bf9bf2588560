//! A TCP socket that neither listens nor is connected.

use super::{MaybeLent, TcpListener, TcpStream, bystander, network};
use crate::descriptor;
use crate::lent::Place;
use socket2::{Domain, Protocol, Socket, Type};
use std::io;
use std::net::SocketAddr;
use std::sync::OnceLock;

/// A TCP socket that neither listens nor is connected; in a simulation the address it is bound to
/// is noted, and nothing else done.
#[derive(Debug)]
pub(crate) struct Unconnected {
    system: Socket,
    bound: OnceLock<SocketAddr>,
}

impl Unconnected {
    pub(crate) fn tcp(domain: Domain) -> io::Result<Self> {
        bystander(domain, Type::STREAM, Some(Protocol::TCP)).map(Self::of_system)
    }

    pub(crate) fn of_system(system: Socket) -> Self {
        Self { system, bound: OnceLock::new() }
    }

    pub(crate) fn system(&self) -> &Socket {
        &self.system
    }

    pub(crate) fn into_system(self) -> Socket {
        self.system
    }

    pub(crate) fn bind(&self, address: SocketAddr) -> io::Result<()> {
        if network().is_none() {
            return self.system.bind(&address.into());
        }
        self.bound.set(address).map_err(|_| io::ErrorKind::InvalidInput.into())
    }

    pub(crate) fn local_addr(&self) -> io::Result<SocketAddr> {
        if let Some(address) = self.bound.get() {
            return Ok(*address);
        }
        let address = self.system.local_addr()?;
        address.as_socket().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "not an internet socket"))
    }

    pub(crate) fn connect(self, address: SocketAddr) -> io::Result<TcpStream> {
        if let Some(network) = network() {
            let lent = network.connect(self.bound.get().copied().map(Place::Ip), Place::Ip(address))?;
            return Ok(MaybeLent::lent(mio::net::TcpStream::from_std(self.system.into()), lent));
        }
        match self.system.connect(&address.into()) {
            Err(error) if !descriptor::is_in_progress(&error) => Err(error),
            _ => Ok(TcpStream::from_std(self.system.into())),
        }
    }

    pub(crate) fn listen(self, backlog: u32) -> io::Result<TcpListener> {
        if let Some(network) = network() {
            let at = Place::Ip(self.local_addr()?);
            let lent = network.listen(at, backlog as usize)?;
            return Ok(MaybeLent::lent(mio::net::TcpListener::from_std(self.system.into()), lent));
        }
        self.system.listen(i32::try_from(backlog).unwrap_or(i32::MAX))?;
        Ok(TcpListener::from_std(self.system.into()))
    }
}
