//! A Unix socket that neither listens nor is connected.

use super::{MaybeSimulated, UnixDatagram, UnixListener, UnixStream, network, unbound_os_socket};
use crate::descriptor;
use crate::net::unix::SocketAddr;
use crate::net::unix::address::{bytes_of, to_system};
use crate::simulated_net::SimulatedAddress;
use socket2::{Domain, Socket, Type};
use std::io;
use std::sync::OnceLock;

/// In a simulation the name that it is bound to is noted, and nothing else done.
#[derive(Debug)]
pub(crate) struct UnconnectedUnix {
    system: Socket,
    bound: OnceLock<Vec<u8>>,
}

impl UnconnectedUnix {
    pub(crate) fn of_kind(kind: Type) -> io::Result<Self> {
        unbound_os_socket(Domain::UNIX, kind, None).map(Self::of_system)
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

    pub(crate) fn bind(&self, address: &SocketAddr) -> io::Result<()> {
        let system = to_system(address)?;
        match network() {
            Some(_) => self.bound.set(bytes_of(address)).map_err(|_| io::ErrorKind::InvalidInput.into()),
            None => self.system.bind(&system),
        }
    }

    /// The name, empty if there is none.
    fn name(&self) -> Vec<u8> {
        self.bound.get().cloned().unwrap_or_default()
    }

    pub(crate) fn connect(self, address: &SocketAddr) -> io::Result<UnixStream> {
        let to = to_system(address)?;
        if let Some(network) = network() {
            let simulated = network
                .connect(Some(SimulatedAddress::Unix(self.name())), SimulatedAddress::Unix(bytes_of(address)))?;
            return Ok(MaybeSimulated::simulated(mio::net::UnixStream::from_std(self.system.into()), simulated));
        }
        match self.system.connect(&to) {
            Err(error) if !descriptor::is_in_progress(&error) => Err(error),
            _ => Ok(UnixStream::from_std(self.system.into())),
        }
    }

    pub(crate) fn listen(self, backlog: u32) -> io::Result<UnixListener> {
        if let (Some(network), Some(name)) = (network(), self.bound.get().cloned()) {
            let simulated = network.listen(SimulatedAddress::Unix(name), backlog as usize)?;
            return Ok(MaybeSimulated::simulated(mio::net::UnixListener::from_std(self.system.into()), simulated));
        }
        self.system.listen(i32::try_from(backlog).unwrap_or(i32::MAX))?;
        Ok(UnixListener::from_std(self.system.into()))
    }

    pub(crate) fn datagram(self) -> io::Result<UnixDatagram> {
        let simulated = network().map(|network| network.bind_within(self.name())).transpose()?;
        Ok(MaybeSimulated { system: mio::net::UnixDatagram::from_std(self.system.into()), simulated })
    }
}
