//! The world of one simulation: its parts, and the operations that involve several of them.

use std::fmt;
use std::io;
use std::sync::Arc;

use parking_lot::Mutex;
use wsrt_reactor::simulated_net;

use crate::clocks::Clocks;
use crate::disk::{Cost, Disks, Mounted};
use crate::driving_thread::DrivingThread;
use crate::faults::FaultSchedule;
use crate::host_clock::{ClocksOverride, HostClocks, override_clocks};
use crate::network::{Network, OUTSIDE};
use crate::plan::FaultPlan;
use crate::system_calls::{NamesOverride, SocketsOverride};
use crate::task_hosts::{HostsOverride, TaskHosts, override_hosts};

/// The payload with which the runtime unwinds out of a simulated wait that can no longer end.
///
/// Such an unwinding is not a panic, and is not reported as one.
#[derive(Debug)]
pub struct WaitLeft;

/// The runtime whose tasks live in a world, reduced to what the world needs from it.
pub trait Inhabitants {
    /// Returns the number of nanoseconds since the runtime was created.
    fn now(&self) -> u64;

    /// Aborts every task for whose id `is_meant` returns `true`, before the task's next poll.
    fn abort(&self, is_meant: &dyn Fn(u64) -> bool);
}

/// A guard that provides the current thread with the names, sockets, clocks and hosts of a world,
/// as returned by [`World::give`].
#[must_use = "it lasts until the guard is dropped"]
pub struct WorldOverride {
    _names: NamesOverride,
    _sockets: SocketsOverride,
    _clocks: ClocksOverride,
    _hosts: HostsOverride,
}

impl fmt::Debug for WorldOverride {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorldOverride").finish_non_exhaustive()
    }
}

/// The simulated environment of one run: the network, the disks, the clocks and the faults.
pub struct World {
    driver: Arc<DrivingThread>,
    network: Arc<Network>,
    disks: Arc<Disks>,
    clocks: Arc<Clocks>,
    pub(crate) faults: Mutex<FaultSchedule>,
}

impl World {
    /// Creates a world in which all random decisions follow from `seed`. If `plan` is given, its
    /// faults are injected instead of randomly drawn ones.
    #[must_use]
    pub fn new(seed: u64, plan: Option<&'static FaultPlan>) -> Self {
        let driver = Arc::new(DrivingThread::new());
        let network = Network::new(seed, Arc::clone(&driver));
        Self {
            disks: Disks::new(seed, Arc::clone(&driver)),
            clocks: Clocks::new(Arc::clone(&network)),
            faults: Mutex::new(FaultSchedule::new(seed, plan)),
            driver,
            network,
        }
    }

    /// Returns the thread that drives the simulation.
    #[must_use]
    pub fn driver(&self) -> &DrivingThread {
        &self.driver
    }

    /// Returns the simulated network.
    #[must_use]
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Returns the network as a trait object, from which the reactor creates sockets.
    #[must_use]
    pub fn simulated_network(&self) -> Arc<dyn simulated_net::SimulatedNetwork> {
        Arc::clone(&self.network) as Arc<dyn simulated_net::SimulatedNetwork>
    }

    /// Returns the disks of all hosts.
    #[must_use]
    pub fn disks(&self) -> &Disks {
        &self.disks
    }

    /// Returns the clocks of all hosts.
    #[must_use]
    pub fn clocks(&self) -> &Clocks {
        &self.clocks
    }

    /// Returns the disk of the host that the current task belongs to, or `None` if the task belongs
    /// to no host.
    ///
    /// # Errors
    ///
    /// Returns an error if the task's host has crashed.
    pub fn disk_of_current_task(&self) -> io::Result<Option<Mounted>> {
        let host = self.network.current_host()?;
        Ok((host != OUTSIDE).then(|| self.disks.mount(host)))
    }

    /// Draws how long a call on a host's disk takes, in nanoseconds.
    #[must_use]
    pub fn draw_disk_time(&self, host: usize, cost: Cost) -> u64 {
        self.disks.draw_time(host, cost)
    }

    /// Provides the current thread with the hosts of tasks, for the timeline's events, until the
    /// returned guard is dropped.
    pub fn override_hosts(&self) -> HostsOverride {
        override_hosts(Arc::clone(&self.network) as Arc<dyn TaskHosts>)
    }

    /// Provides the current thread with the names, sockets, clocks and hosts of this world, until
    /// the returned guard is dropped.
    pub fn give(&self) -> WorldOverride {
        WorldOverride {
            _names: self.network.override_names(),
            _sockets: self.network.override_sockets(),
            _clocks: override_clocks(Arc::clone(&self.clocks) as Arc<dyn HostClocks>),
            _hosts: self.override_hosts(),
        }
    }

    /// Crashes a host: closes the host's sockets without notifying their peers, and aborts the
    /// host's tasks before their next polls.
    pub fn crash(&self, inhabitants: &dyn Inhabitants, host: usize) {
        self.network.end_life(host);
        self.disks.crash(host);
        self.abort_remnants(inhabitants);
    }

    /// Aborts tasks that were spawned by tasks of crashed hosts.
    ///
    /// Such tasks exist if a destructor spawns a task, or if the poll that crashed its own host
    /// spawns one afterwards.
    pub fn abort_stillborn(&self, inhabitants: &dyn Inhabitants) {
        if self.network.take_stillborn() {
            self.abort_remnants(inhabitants);
        }
    }

    fn abort_remnants(&self, inhabitants: &dyn Inhabitants) {
        inhabitants.abort(&|task| self.network.is_remnant(task));
    }
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World").field("network", &self.network).field("disks", &self.disks).finish_non_exhaustive()
    }
}
