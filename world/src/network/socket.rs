//! A simulated socket, as the reactor has it, identified by its kind and number.

use std::fmt;
use std::io::{self, ErrorKind, IoSlice};
use std::net::Shutdown;
use std::sync::Arc;

use wsrt_reactor::simulated_net::{SimulatedAddress, SimulatedSocket};

use super::Network;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SocketKind {
    End,
    Listener,
    Datagrams,
    UnixDatagrams,
}

/// A simulated socket, with its kind and number. Dropping the owner closes the socket.
pub(super) struct SocketHandle {
    network: Arc<Network>,
    kind: SocketKind,
    id: usize,
    is_owner: bool,
}

impl SocketHandle {
    pub(super) fn of(network: Arc<Network>, kind: SocketKind, id: usize) -> Arc<dyn SimulatedSocket> {
        Arc::new(Self { network, kind, id, is_owner: true })
    }

    /// Returns a handle to a socket that has another owner.
    pub(super) fn borrowed(network: Arc<Network>, kind: SocketKind, id: usize) -> Arc<dyn SimulatedSocket> {
        Arc::new(Self { network, kind, id, is_owner: false })
    }

    fn end(&self) -> io::Result<usize> {
        match self.kind {
            SocketKind::End => Ok(self.id),
            SocketKind::Listener | SocketKind::Datagrams | SocketKind::UnixDatagrams => {
                Err(ErrorKind::NotConnected.into())
            }
        }
    }
}

/// Joins the buffers into one datagram.
fn joined(bufs: &[IoSlice<'_>]) -> Vec<u8> {
    bufs.iter().flat_map(|buf| buf.iter().copied()).collect()
}

impl SimulatedSocket for SocketHandle {
    fn attach(&self, token: usize) {
        let mut net = self.network.lock();
        let net = &mut *net;
        let ready = match self.kind {
            SocketKind::End => net.end(self.id).map(|end| {
                end.token = Some(token);
                end.conditions()
            }),
            SocketKind::Listener => net.listener(self.id).map(|listener| {
                listener.token = Some(token);
                if listener.waiting.is_empty() { wsrt_reactor::Ready::EMPTY } else { wsrt_reactor::Ready::READABLE }
            }),
            SocketKind::Datagrams => net.datagram_socket(self.id).map(|socket| {
                socket.token = Some(token);
                socket.conditions()
            }),
            SocketKind::UnixDatagrams => net.unix_datagram_socket(self.id).map(|socket| {
                socket.token = Some(token);
                socket.conditions()
            }),
        };
        if let Ok(ready) = ready {
            net.report(Some(token), ready);
        }
    }

    fn detach(&self) {
        let mut net = self.network.lock();
        match self.kind {
            SocketKind::End => _ = net.end(self.id).map(|end| end.token = None),
            SocketKind::Listener => _ = net.listener(self.id).map(|listener| listener.token = None),
            SocketKind::Datagrams => _ = net.datagram_socket(self.id).map(|socket| socket.token = None),
            SocketKind::UnixDatagrams => _ = net.unix_datagram_socket(self.id).map(|socket| socket.token = None),
        }
    }

    fn local(&self) -> io::Result<SimulatedAddress> {
        let mut net = self.network.lock();
        match self.kind {
            SocketKind::End => net.end(self.id).map(|end| end.local.clone()),
            SocketKind::Listener => net.listener(self.id).map(|listener| listener.local.clone()),
            SocketKind::Datagrams => net.datagram_socket(self.id).map(|socket| SimulatedAddress::Ip(socket.local)),
            SocketKind::UnixDatagrams => {
                net.unix_datagram_socket(self.id).map(|socket| SimulatedAddress::Unix(socket.local.clone()))
            }
        }
    }

    fn peer(&self) -> io::Result<SimulatedAddress> {
        let mut net = self.network.lock();
        match self.kind {
            SocketKind::End => net.end(self.id).map(|end| end.peer.clone()),
            SocketKind::Listener => Err(ErrorKind::NotConnected.into()),
            SocketKind::Datagrams => {
                net.datagram_socket(self.id)?.peer.map(SimulatedAddress::Ip).ok_or(ErrorKind::NotConnected.into())
            }
            SocketKind::UnixDatagrams => match &net.unix_datagram_socket(self.id)?.peer {
                Some((_, name)) => Ok(SimulatedAddress::Unix(name.clone())),
                None => Err(ErrorKind::NotConnected.into()),
            },
        }
    }

    fn accept(&self) -> io::Result<(Arc<dyn SimulatedSocket>, SimulatedAddress)> {
        let (end, peer) = self.network.lock_for_call().accept(self.id)?;
        Ok((Self::of(Arc::clone(&self.network), SocketKind::End, end), peer))
    }

    fn outcome(&self) -> io::Result<()> {
        self.network.lock().end(self.end()?)?.outcome()
    }

    fn connect(&self, to: SimulatedAddress) -> io::Result<()> {
        let mut net = self.network.lock_for_call();
        match (self.kind, to) {
            (SocketKind::Datagrams, SimulatedAddress::Ip(to)) => net.connect_datagrams(self.id, to)?,
            (SocketKind::UnixDatagrams, SimulatedAddress::Unix(to)) => net.connect_unix_datagrams(self.id, to)?,
            _ => return Err(ErrorKind::InvalidInput.into()),
        }
        Ok(())
    }

    fn receive(
        &self,
        room: usize,
        peeks: bool,
        into: &mut dyn FnMut(&[u8]),
    ) -> io::Result<(usize, Option<SimulatedAddress>)> {
        let mut net = self.network.lock_for_call();
        match self.kind {
            SocketKind::Datagrams => {
                let (count, from) = net.receive_datagram(self.id, room, peeks, into)?;
                Ok((count, Some(SimulatedAddress::Ip(from))))
            }
            SocketKind::UnixDatagrams => {
                let (count, from) = net.receive_unix_datagram(self.id, room, peeks, into)?;
                Ok((count, Some(SimulatedAddress::Unix(from))))
            }
            SocketKind::End | SocketKind::Listener => Ok((net.receive(self.end()?, room, peeks, into)?, None)),
        }
    }

    fn send(&self, bufs: &[IoSlice<'_>], to: Option<SimulatedAddress>) -> io::Result<usize> {
        let mut net = self.network.lock_for_call();
        match (self.kind, to) {
            (SocketKind::Datagrams, None) => net.send_datagrams(self.id, vec![joined(bufs)], None),
            (SocketKind::Datagrams, Some(SimulatedAddress::Ip(to))) => {
                net.send_datagrams(self.id, vec![joined(bufs)], Some(to))
            }
            (SocketKind::UnixDatagrams, None) => net.send_unix_datagram(self.id, bufs, None),
            (SocketKind::UnixDatagrams, Some(SimulatedAddress::Unix(to))) => {
                net.send_unix_datagram(self.id, bufs, Some(to))
            }
            (SocketKind::Datagrams | SocketKind::UnixDatagrams, Some(_)) => Err(ErrorKind::InvalidInput.into()),
            (SocketKind::End | SocketKind::Listener, _) => net.send(self.end()?, bufs),
        }
    }

    fn send_segments(&self, bytes: &[u8], length: usize, to: Option<SimulatedAddress>) -> io::Result<usize> {
        let to = match to {
            Some(SimulatedAddress::Ip(to)) => Some(to),
            None => None,
            Some(SimulatedAddress::Unix(_)) => return Err(ErrorKind::InvalidInput.into()),
        };
        match self.kind {
            SocketKind::Datagrams => {
                let segments = bytes.chunks(length).map(<[u8]>::to_vec).collect();
                self.network.lock_for_call().send_datagrams(self.id, segments, to)
            }
            SocketKind::UnixDatagrams | SocketKind::End | SocketKind::Listener => Err(ErrorKind::InvalidInput.into()),
        }
    }

    fn shut_down(&self, how: Shutdown) -> io::Result<()> {
        let mut net = self.network.lock_for_call();
        match self.kind {
            SocketKind::UnixDatagrams => net.shut_down_unix_datagrams(self.id, how),
            SocketKind::End | SocketKind::Listener | SocketKind::Datagrams => net.shut_down(self.end()?, how),
        }
    }
}

impl Drop for SocketHandle {
    fn drop(&mut self) {
        if !self.is_owner {
            return;
        }
        let mut net = self.network.lock_for_call();
        match self.kind {
            SocketKind::End => return net.close_end(self.id),
            SocketKind::Listener => net.close_listener(self.id),
            SocketKind::Datagrams => net.close_datagrams(self.id),
            SocketKind::UnixDatagrams => return net.close_unix_datagrams(self.id),
        }
        net.bound.forget(self.kind, self.id);
    }
}

impl fmt::Debug for SocketHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SocketHandle")
            .field("kind", &self.kind)
            .field("local", &self.local().ok())
            .finish_non_exhaustive()
    }
}
