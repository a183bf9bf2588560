//! The network of a simulation: hosts, the links between them, and the reactor's simulated
//! sockets.
//!
//! Each packet is an [`Arrival`] on the wire, due after a randomly drawn latency. The simulated
//! scheduler delivers arrivals in the same way as it gives turns to machines. An arrival marks its
//! socket, and the next machine that polls the netpoller wakes that socket's waiters. Whether a
//! link is cut or a host is down is checked when a packet arrives.

mod bound;
mod buffers;
mod connecting;
mod datagrams;
mod events;
mod hosts;
mod latency;
mod links;
mod set_by;
mod socket;
mod socket_table;
mod streams;
mod unix_datagrams;
mod wire;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::panic::{AssertUnwindSafe, RefUnwindSafe, UnwindSafe, catch_unwind};
use std::sync::{Arc, Weak};

use wsrt_reactor::simulated_net::{self, RawDescriptor, SimulatedAddress, SimulatedEvent, SimulatedSocket};

use self::bound::Bound;
use self::buffers::Buffers;
use self::connecting::{ListeningSocket, Taken};
use self::datagrams::DatagramSocket;
use self::events::Events;
pub use self::hosts::HostLife;
use self::hosts::Hosts;
pub use self::hosts::OUTSIDE;
pub use self::latency::LatencyModel;
pub use self::links::LinkProperties;
use self::links::LinkTable;
pub use self::set_by::SetBy;
use self::socket::{SocketHandle, SocketKind};
use self::socket_table::SocketTable;
use self::streams::StreamEnd;
use self::unix_datagrams::UnixDatagramSocket;
use self::wire::{Arrival, Wire};
use super::driving_thread::DrivingThread;
use crate::system_calls::{NamesOverride, SocketsOverride, override_names, override_sockets};
use crate::task_hosts::TaskHosts;
use parking_lot::{Mutex, MutexGuard};

/// The simulated network of one run. Its sockets keep the network alive.
pub struct Network {
    me: Weak<Self>,
    driver: Arc<DrivingThread>,
    net: Mutex<Net>,
}

/// A function that spawns the first task of a host's life.
type Start = dyn Fn() + Send + Sync;

// No foreign code runs while the lock is held, so a panic never leaves the state half changed.
impl UnwindSafe for Network {}
impl RefUnwindSafe for Network {}

/// The state of the network.
struct Net {
    /// The time at which the current turn began.
    now: u64,
    hosts: Hosts,
    links: LinkTable,
    wire: Wire,
    buffers: Buffers,
    taken: BTreeMap<(usize, Taken), usize>,
    ends: SocketTable<StreamEnd>,
    listeners: SocketTable<ListeningSocket>,
    datagrams: SocketTable<DatagramSocket>,
    unix_datagrams: SocketTable<UnixDatagramSocket>,
    bound: Bound,
    /// The functions that start the lives of hosts.
    starts: BTreeMap<usize, Arc<Start>>,
    events: Events,
}

impl Net {
    /// Delivers an arrival, and returns the kind and the number of the socket for the record.
    fn deliver(&mut self, arrival: Arrival) -> (u64, u64) {
        match arrival {
            Arrival::Call { from } => {
                self.deliver_call(from);
                (0, from as u64)
            }
            Arrival::Parcels { from } => {
                self.deliver_parcels(from);
                (1, from as u64)
            }
            Arrival::Refusal { to, why, tries } => {
                self.deliver_refusal(to, why, tries);
                (2, to as u64)
            }
            Arrival::CallUnanswered { from, tries } => {
                self.call_again(from, tries);
                (6, from as u64)
            }
            Arrival::Datagram { from, to, bytes } => {
                let port = u64::from(to.1.port());
                self.deliver_datagram(from, to, bytes);
                (3, port)
            }
            Arrival::NoReceiver { sender, receiver } => {
                self.deliver_no_receiver(sender, receiver);
                (5, u64::from(sender.1.port()))
            }
            Arrival::BufferSpace { kind, id } => {
                self.deliver_room(kind, id);
                (4, id as u64)
            }
        }
    }

    /// Closes the sockets of a host without notifying their peers. Packets in flight still arrive.
    fn silence(&mut self, host: usize) {
        self.orphan_ends(host);
        self.listeners.retain(|listener| listener.host != host);
        self.datagrams.retain(|socket| !socket.is_of(host));
        self.unix_datagrams.retain(|socket| !socket.is_of(host));
        self.taken.retain(|(of, _), _| *of != host);
    }
}

/// Methods for the simulated scheduler.
impl Network {
    pub(super) fn new(seed: u64, driver: Arc<DrivingThread>) -> Arc<Self> {
        let net = Net {
            now: 0,
            hosts: Hosts::new(),
            links: LinkTable::new(seed),
            wire: Wire::default(),
            buffers: Buffers::new(seed),
            taken: BTreeMap::new(),
            ends: SocketTable::default(),
            listeners: SocketTable::default(),
            datagrams: SocketTable::default(),
            unix_datagrams: SocketTable::default(),
            bound: Bound::default(),
            starts: BTreeMap::new(),
            events: Events::new(seed),
        };
        Arc::new_cyclic(|me| Self { me: Weak::clone(me), driver, net: Mutex::new(net) })
    }

    fn lock(&self) -> MutexGuard<'_, Net> {
        self.net.lock()
    }

    /// Locks the network for a call of the program. If a thread other than the driver makes the
    /// call, the run is marked as disturbed.
    fn lock_for_call(&self) -> MutexGuard<'_, Net> {
        self.driver.note_caller();
        self.lock()
    }

    fn counted(&self) -> Arc<Self> {
        self.me.upgrade().expect("the caller borrows it")
    }

    /// Begins a turn of the scheduler at the time `now`, in nanoseconds.
    pub fn move_to(&self, now: u64) {
        self.lock().now = now;
    }

    /// Returns when the next packet arrives, in nanoseconds, or `None` if no packet is in flight.
    pub fn next_at(&self) -> Option<u64> {
        self.lock().wire.next_at()
    }

    /// Delivers the next packet, and returns the kind and the number of the socket for the record.
    pub fn deliver_next(&self) -> (u64, u64) {
        let mut net = self.lock();
        net.close_those_behind();
        let arrival = net.wire.take_next().expect("one was chosen");
        net.deliver(arrival)
    }

    /// Returns whether there are readiness events that no machine has seen.
    pub fn has_events(&self) -> bool {
        self.lock().events.are_there()
    }

    /// Makes the C library resolve the names of simulated hosts on this thread, until the guard is
    /// dropped.
    pub(super) fn override_names(&self) -> NamesOverride {
        let network = Weak::clone(&self.me);
        override_names(move |name| {
            let found = network.upgrade()?.lock().hosts.resolve(name).ok()?;
            found.first().copied()
        })
    }

    /// Makes the C library bind simulated sockets on this thread, until the guard is dropped.
    pub(super) fn override_sockets(&self) -> SocketsOverride {
        override_sockets(self.counted())
    }

    /// Records that a task is being spawned, and assigns the task to a host.
    pub fn note_task(&self, id: u64) {
        self.lock().hosts.note_task(id);
    }

    /// Returns the host, and the life of that host, to which the current task belongs.
    pub fn current_member(&self) -> HostLife {
        self.lock().hosts.current_member()
    }

    /// Returns whether the member's life is over because the host has crashed since.
    pub fn is_over(&self, member: HostLife) -> bool {
        self.lock().hosts.is_over(member)
    }

    /// Returns whether tasks of crashed hosts have spawned other tasks since the last call.
    pub(super) fn take_stillborn(&self) -> bool {
        self.lock().hosts.take_stillborn()
    }

    /// Drops the functions that start the lives of hosts, together with everything that they
    /// capture from the program.
    pub fn forget_starts(&self) {
        let starts = std::mem::take(&mut self.lock().starts);
        starts.into_values().for_each(drop_quietly);
    }

    /// Returns whether so many tasks have been spawned that the table of tasks should be swept.
    pub fn wants_sweep(&self) -> bool {
        self.lock().hosts.wants_sweep()
    }

    /// Removes all tasks from the table except those in `listed`, which are still alive.
    pub fn sweep(&self, listed: &BTreeSet<u64>) {
        self.lock().hosts.sweep(listed);
    }
}

impl TaskHosts for Network {
    fn host_of(&self, task: u64) -> u32 {
        self.lock().hosts.of_task(task) as u32
    }

    fn name_of(&self, host: u32) -> String {
        self.host_name(host as usize)
    }
}

/// Methods for the program that describes the network.
impl Network {
    /// Adds a host, which is down at first, and returns the host's index. Returns `None` if the
    /// name is already taken.
    pub fn add_host(&self, name: &str) -> Option<usize> {
        self.lock().hosts.add(name)
    }

    /// Returns the index of the host with this name, or `None` if there is no such host.
    pub fn find_host(&self, name: &str) -> Option<usize> {
        self.lock().hosts.find(name)
    }

    /// Returns the name of a host.
    pub fn host_name(&self, host: usize) -> String {
        self.lock().hosts.name(host).to_owned()
    }

    /// Returns the number of hosts, including the one outside all others, on which the test runs.
    pub fn host_count(&self) -> usize {
        self.lock().hosts.count()
    }

    /// Returns the IP address of a host.
    pub fn address(&self, host: usize) -> IpAddr {
        Hosts::address(host).into()
    }

    /// Returns whether a host is up.
    pub fn is_up(&self, host: usize) -> bool {
        self.lock().hosts.is_up(host)
    }

    /// Records that the program has crashed a host. The host may already be down.
    pub fn note_crash_by_program(&self, host: usize) {
        self.lock().hosts.note_crash_by_program(host);
    }

    /// Returns whether `host` is down because the program crashed it and has not restarted it yet.
    pub fn was_crashed_by_program(&self, host: usize) -> bool {
        self.lock().hosts.was_crashed_by_program(host)
    }

    /// Sets the function that spawns the first task in each life of a host.
    pub fn set_start(&self, host: usize, start: Arc<dyn Fn() + Send + Sync>) {
        self.lock().starts.insert(host, start);
    }

    /// Begins a new life of a host.
    pub fn begin_life(&self, host: usize) {
        let mut net = self.lock();
        let Some(start) = net.starts.get(&host).cloned() else { return };
        net.hosts.begin_life(host);
        drop(net);
        start();
        self.lock().hosts.born();
    }

    /// Ends the current life of a host, and closes the host's sockets without notifying their
    /// peers.
    pub fn end_life(&self, host: usize) {
        let mut net = self.lock();
        net.hosts.end_life(host);
        net.silence(host);
    }

    /// Returns the index of the current task's host, which must be up.
    ///
    /// # Errors
    ///
    /// Returns an error if the host has crashed since the task was spawned.
    pub fn current_host(&self) -> io::Result<usize> {
        self.lock().hosts.current()
    }

    /// Returns the host of the current task, whether the host is up or not. Returns `None` if the
    /// network's lock is held.
    pub fn try_current_host(&self) -> Option<usize> {
        Some(self.net.try_lock()?.hosts.of_current_task())
    }

    /// Returns the host of a task, whether the host is up or not.
    pub fn host_of_task(&self, task: u64) -> usize {
        self.lock().hosts.of_task(task)
    }

    /// Returns whether a task belongs to a past life of a host.
    pub fn is_remnant(&self, task: u64) -> bool {
        self.lock().hosts.is_remnant(task)
    }

    /// Sets the properties of the link between two hosts, in both directions. If `between` is
    /// `None`, sets the link that all other pairs of hosts use.
    pub fn set_link(&self, between: Option<(usize, usize)>, link: LinkProperties) {
        let links = &mut self.lock().links;
        match between {
            Some((one, other)) => {
                links.set(one, other, link.clone());
                links.set(other, one, link);
            }
            None => links.set_common(link),
        }
    }

    /// Cuts the link in one direction, on behalf of `by`.
    pub fn cut(&self, from: usize, to: usize, by: SetBy) {
        self.lock().links.cut(from, to, by);
    }

    /// Ends the cut that `by` has made in one direction. A cut that the other party has made
    /// remains.
    pub fn heal(&self, from: usize, to: usize, by: SetBy) {
        self.lock().links.heal(from, to, by);
    }

    /// Ends all cuts of all links.
    pub fn heal_all(&self) {
        self.lock().links.heal_all();
    }

    /// Slows down packets between two hosts by `factor`, in both directions.
    pub fn slow(&self, one: usize, other: usize, factor: u32) {
        let links = &mut self.lock().links;
        links.slow(one, other, factor);
        links.slow(other, one, factor);
    }

    /// Resets all streams between two hosts.
    pub fn reset_between(&self, one: usize, other: usize) {
        self.lock().reset_between(one, other);
    }
}

impl simulated_net::SimulatedNetwork for Network {
    fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        self.lock().hosts.resolve(host)
    }

    fn connect(&self, from: Option<SimulatedAddress>, to: SimulatedAddress) -> io::Result<Arc<dyn SimulatedSocket>> {
        let end = self.lock_for_call().connect(from, to)?;
        Ok(SocketHandle::of(self.counted(), SocketKind::End, end))
    }

    fn listen(&self, at: SimulatedAddress, backlog: usize) -> io::Result<Arc<dyn SimulatedSocket>> {
        let listener = self.lock_for_call().listen(at, backlog)?;
        Ok(SocketHandle::of(self.counted(), SocketKind::Listener, listener))
    }

    fn bind(&self, at: SocketAddr, beside: RawDescriptor) -> io::Result<Arc<dyn SimulatedSocket>> {
        let socket = self.lock_for_call().bind(at)?;
        self.note_beside(beside, SocketKind::Datagrams, socket);
        Ok(SocketHandle::of(self.counted(), SocketKind::Datagrams, socket))
    }

    fn bind_within(&self, name: Vec<u8>) -> io::Result<Arc<dyn SimulatedSocket>> {
        let socket = self.lock_for_call().bind_within(name)?;
        Ok(SocketHandle::of(self.counted(), SocketKind::UnixDatagrams, socket))
    }

    fn listener_of(&self, descriptor: RawDescriptor, backlog: Option<usize>) -> Option<Arc<dyn SimulatedSocket>> {
        self.lend_listener(descriptor, backlog)
    }

    fn datagrams_of(&self, descriptor: RawDescriptor) -> Option<Arc<dyn SimulatedSocket>> {
        self.lend_datagrams(descriptor)
    }

    fn pair(&self) -> io::Result<[Arc<dyn SimulatedSocket>; 2]> {
        let mut net = self.lock_for_call();
        let host = net.hosts.current()?;
        let ends = net.join(host, [Vec::new(), Vec::new()]);
        drop(net);
        Ok(ends.map(|end| SocketHandle::of(self.counted(), SocketKind::End, end)))
    }

    fn datagram_pair(&self) -> io::Result<[Arc<dyn SimulatedSocket>; 2]> {
        let pair = self.lock_for_call().datagram_pair()?;
        Ok(pair.map(|socket| SocketHandle::of(self.counted(), SocketKind::UnixDatagrams, socket)))
    }

    fn take_events(&self, each: &mut dyn FnMut(SimulatedEvent)) {
        // The netpoller only notes them: it calls nothing that would lock it again.
        self.lock().events.take(each);
    }
}

/// Drops a function that the program has provided. Its destructor may panic, which the panic hook
/// reports.
fn drop_quietly(start: Arc<Start>) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(start))) {
        std::mem::forget(payload);
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network").finish_non_exhaustive()
    }
}
