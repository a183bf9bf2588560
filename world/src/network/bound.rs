//! Sockets that a program has bound with plain system calls, through std or socket2.
//!
//! The operating system holds the socket itself, unbound, and the simulated network holds its
//! address. When the program closes such a socket before a runtime has taken it over, the network
//! is not told. So the network checks for closed sockets where they matter: when a packet arrives,
//! and when an address is requested.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::sync::Arc;

use wsrt_reactor::simulated_net::{RawDescriptor, SimulatedSocket};

use super::socket::{SocketHandle, SocketKind};
use super::{Net, Network};
use crate::bound_sockets::{BoundSockets, Sort};
use crate::system_calls::number;

/// The real sockets that accompany sockets of the network, by the number of the real socket.
#[derive(Default)]
pub(super) struct Bound {
    /// Sockets that no runtime has taken over, so that the network has to close them.
    kept: BTreeMap<u64, Known>,
    /// Sockets that a runtime has taken over, and that the runtime closes.
    lent: BTreeMap<u64, Known>,
}

#[derive(Clone, Copy)]
struct Known {
    descriptor: RawDescriptor,
    kind: SocketKind,
    id: usize,
}

impl Bound {
    fn find(&self, descriptor: RawDescriptor) -> Option<Known> {
        if self.kept.is_empty() && self.lent.is_empty() {
            return None;
        }
        let number = number(descriptor)?;
        self.kept.get(&number).or_else(|| self.lent.get(&number)).copied()
    }

    fn find_kept(&self, descriptor: RawDescriptor, kind: SocketKind) -> Option<Known> {
        self.kept.get(&number(descriptor)?).copied().filter(|known| known.kind == kind)
    }

    /// Marks a socket as taken over by a runtime.
    fn lend(&mut self, descriptor: RawDescriptor) {
        let Some(number) = number(descriptor) else { return };
        let known = self.kept.remove(&number);
        self.lent.extend(known.map(|known| (number, known)));
    }

    /// Forgets a socket that its runtime has closed.
    pub(super) fn forget(&mut self, kind: SocketKind, id: usize) {
        self.lent.retain(|_, known| (known.kind, known.id) != (kind, id));
    }

    /// Removes and returns the sockets that the program has closed.
    fn take_closed(&mut self) -> Vec<Known> {
        let is_closed = |(of, known): &(&u64, &Known)| number(known.descriptor) != Some(**of);
        let closed: Vec<u64> = self.kept.iter().filter(is_closed).map(|(of, _)| *of).collect();
        closed.iter().filter_map(|of| self.kept.remove(of)).collect()
    }
}

impl Net {
    /// Closes the network's side of all sockets that the program has closed.
    pub(super) fn close_those_behind(&mut self) {
        for known in self.bound.take_closed() {
            match known.kind {
                SocketKind::Listener => self.close_listener(known.id),
                SocketKind::Datagrams => self.close_datagrams(known.id),
                SocketKind::End | SocketKind::UnixDatagrams => {}
            }
        }
    }
}

impl Network {
    /// Records that a real socket's descriptor accompanies a simulated socket.
    pub(super) fn note_beside(&self, descriptor: RawDescriptor, kind: SocketKind, id: usize) {
        let Some(number) = number(descriptor) else { return };
        self.lock().bound.lent.insert(number, Known { descriptor, kind, id });
    }

    /// Lends the listener that a descriptor is bound to, if the listener is listening or `backlog`
    /// makes it start.
    pub(super) fn lend_listener(
        &self,
        descriptor: RawDescriptor,
        backlog: Option<usize>,
    ) -> Option<Arc<dyn SimulatedSocket>> {
        let mut net = self.lock();
        let id = net.bound.find_kept(descriptor, SocketKind::Listener)?.id;
        let listener = net.listener(id).ok()?;
        listener.backlog = backlog.map_or(listener.backlog, |backlog| backlog.max(1));
        if listener.backlog == 0 {
            return None;
        }
        net.bound.lend(descriptor);
        drop(net);
        Some(SocketHandle::of(self.counted(), SocketKind::Listener, id))
    }

    /// Lends the datagram socket that a descriptor is bound to.
    pub(super) fn lend_datagrams(&self, descriptor: RawDescriptor) -> Option<Arc<dyn SimulatedSocket>> {
        let mut net = self.lock();
        let id = net.bound.find_kept(descriptor, SocketKind::Datagrams)?.id;
        net.bound.lend(descriptor);
        drop(net);
        Some(SocketHandle::of(self.counted(), SocketKind::Datagrams, id))
    }
}

/// The calls of a thread that drives the simulation.
impl BoundSockets for Arc<Network> {
    fn bind(&self, descriptor: RawDescriptor, at: SocketAddr, sort: Sort) -> io::Result<()> {
        let mut net = self.lock();
        let number = number(descriptor).ok_or(ErrorKind::InvalidInput)?;
        if net.bound.find(descriptor).is_some() {
            return Err(ErrorKind::InvalidInput.into());
        }
        let (kind, id) = match sort {
            Sort::Streams => (SocketKind::Listener, net.bind_stream(at)?),
            Sort::Datagrams => (SocketKind::Datagrams, net.bind(at)?),
        };
        net.bound.kept.insert(number, Known { descriptor, kind, id });
        Ok(())
    }

    fn listen(&self, descriptor: RawDescriptor, backlog: usize) -> Option<io::Result<()>> {
        let mut net = self.lock();
        let known = net.bound.find(descriptor).filter(|known| known.kind == SocketKind::Listener)?;
        Some(net.listener(known.id).map(|listener| listener.backlog = backlog.max(1)))
    }

    fn behind(&self, descriptor: RawDescriptor) -> Option<Arc<dyn SimulatedSocket>> {
        let known = self.lock().bound.find(descriptor)?;
        Some(SocketHandle::borrowed(Arc::clone(self), known.kind, known.id))
    }
}
