//! A TCP socket that neither listens nor is connected.

use super::{MaybeSimulated, TcpListener, TcpStream, network, unbound_os_socket};
use crate::descriptor;
use crate::simulated_net::SimulatedAddress;
use socket2::{Domain, Protocol, Socket, Type};
use std::io;
use std::net::SocketAddr;
use std::sync::OnceLock;

/// A TCP socket that neither listens nor is connected; in a simulation the address it is bound to
/// is noted, and nothing else done. The network knows the address already if the program has bound
/// the socket before it handed that over.
#[derive(Debug)]
pub(crate) struct UnconnectedTcp {
    system: Socket,
    bound: OnceLock<SocketAddr>,
}

impl UnconnectedTcp {
    pub(crate) fn tcp(domain: Domain) -> io::Result<Self> {
        let system = unbound_os_socket(domain, Type::STREAM, Some(Protocol::TCP))?;
        Ok(Self { system, bound: OnceLock::new() })
    }

    pub(crate) fn of_system(system: Socket) -> Self {
        let address = network().and_then(|_| system.local_addr().ok()?.as_socket());
        let bound = address.filter(|address| address.port() != 0).map_or_else(OnceLock::new, OnceLock::from);
        Self { system, bound }
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
            let simulated =
                network.connect(self.bound.get().copied().map(SimulatedAddress::Ip), SimulatedAddress::Ip(address))?;
            return Ok(MaybeSimulated::simulated(mio::net::TcpStream::from_std(self.system.into()), simulated));
        }
        match self.system.connect(&address.into()) {
            Err(error) if !descriptor::is_in_progress(&error) => Err(error),
            _ => Ok(TcpStream::from_std(self.system.into())),
        }
    }

    pub(crate) fn listen(self, backlog: u32) -> io::Result<TcpListener> {
        if let Some(network) = network() {
            let (known, backlog) = (descriptor::raw(&self.system), backlog as usize);
            let simulated = match network.listener_of(known, Some(backlog)) {
                Some(simulated) => simulated,
                None => network.listen(SimulatedAddress::Ip(self.local_addr()?), backlog)?,
            };
            return Ok(MaybeSimulated::simulated(mio::net::TcpListener::from_std(self.system.into()), simulated));
        }
        self.system.listen(i32::try_from(backlog).unwrap_or(i32::MAX))?;
        Ok(TcpListener::from_std(self.system.into()))
    }
}
