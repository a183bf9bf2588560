//! `Handle`: the registration side of the netpoller, of which each socket holds a clone.

use crate::interest::Interest;
use crate::registry::{Registry, SourceToken};
use crate::simulated_net::NetworkSlot;
use crate::source::SourceState;
use crate::sync::Arc;
use crate::walk::Label;
use std::io;

/// A handle to a netpoller, with which sockets are registered. Cloning a handle increments a
/// reference count.
///
/// Each socket keeps a clone of the handle, so operations on the socket work on any thread, inside
/// or outside a runtime. After the netpoller has been shut down, operations that would have to wait
/// fail instead.
#[derive(Clone, Debug)]
pub struct Handle(Arc<ReactorState>);

/// Two handles are equal if they refer to the same netpoller.
impl PartialEq for Handle {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Handle {}

#[derive(Debug)]
struct ReactorState {
    system: mio::Registry,
    registry: Registry,
    /// The network that provides the sockets of a simulated runtime.
    network: NetworkSlot,
}

impl Handle {
    pub(crate) fn new(system: mio::Registry) -> Self {
        Self(Arc::new(ReactorState { system, registry: Registry::new(), network: NetworkSlot::new() }))
    }

    pub(crate) fn network(&self) -> &NetworkSlot {
        &self.0.network
    }

    /// Returns an error if this netpoller, which belongs to a simulated runtime, does not accept
    /// sources of the OS. Call this before starting something of the given `kind` that cannot be
    /// undone.
    #[doc(hidden)]
    pub fn check_accepts(&self, kind: &str) -> io::Result<()> {
        self.registry().check_accepts(kind)
    }

    pub(crate) fn registry(&self) -> &Registry {
        &self.0.registry
    }

    /// Registers the directions of `watched`, edge-triggered, until [`Registration::end`]. The
    /// source counts as untried in the directions of `untried`; a walk shows `label`.
    pub(crate) fn register<S: mio::event::Source + ?Sized>(
        &self,
        source: &mut S,
        watched: Interest,
        untried: Interest,
        label: Label,
    ) -> io::Result<Registration> {
        let (token, entry) = self.0.registry.insert(untried, label)?;
        if let Err(error) = self.0.system.register(source, token.into(), watched.into()) {
            self.0.registry.remove(token);
            return Err(error);
        }
        Ok(Registration { handle: self.clone(), token, source: entry })
    }
}

/// One socket's entry in the netpoller. The owner of the socket ends it before it closes the
/// descriptor.
#[derive(Debug)]
pub(crate) struct Registration {
    handle: Handle,
    token: SourceToken,
    source: Arc<SourceState>,
}

impl Registration {
    pub(crate) fn source(&self) -> &SourceState {
        &self.source
    }

    pub(crate) fn handle(&self) -> &Handle {
        &self.handle
    }

    /// Takes the socket out of the poll and its key out of the slab, in this order: a key must not
    /// get a new entry while the OS still reports events for the old one under its old token. (Such
    /// an event would be ignored; the order saves the check.)
    pub(crate) fn end<S: mio::event::Source + ?Sized>(&self, source: &mut S) -> io::Result<()> {
        let outcome = self.handle.0.system.deregister(source);
        self.handle.0.registry.remove(self.token);
        outcome
    }
}
