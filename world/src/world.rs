//! The world of one simulation: its parts, and the calls that concern several of them.

use std::fmt;
use std::io;
use std::sync::Arc;

use parking_lot::Mutex;
use wsrt_reactor::lent;

use crate::clocks::Clocks;
use crate::disk::{Cost, Disks, Mounted};
use crate::driving_thread::DrivingThread;
use crate::faults::Faults;
use crate::host_clock::{GivenClocks, HostClocks, give_clocks};
use crate::network::{Network, OUTSIDE};
use crate::plan::Plan;
use crate::system_calls::{GivenNames, GivenSockets};
use crate::task_hosts::{GivenHosts, TaskHosts, give_hosts};

/// The payload of an unwinding that is no panic: it leaves a wait that has lost its sense.
#[derive(Debug)]
pub struct WaitLeft;

/// The runtime whose tasks live in a world, as the world needs it.
pub trait Inhabitants {
    /// Returns the nanoseconds since the runtime was made.
    fn now(&self) -> u64;

    /// Aborts the tasks that are meant, by their numbers, before their next polls.
    fn abort(&self, is_meant: &dyn Fn(u64) -> bool);
}

/// A thread has the names, sockets, clocks and hosts of a world, until this is dropped.
#[must_use = "it lasts until the guard is dropped"]
pub struct GivenWorld {
    _names: GivenNames,
    _sockets: GivenSockets,
    _clocks: GivenClocks,
    _hosts: GivenHosts,
}

impl fmt::Debug for GivenWorld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GivenWorld").finish_non_exhaustive()
    }
}

/// The network, disks, clocks and faults of one simulation.
pub struct World {
    driver: Arc<DrivingThread>,
    network: Arc<Network>,
    disks: Arc<Disks>,
    clocks: Arc<Clocks>,
    pub(crate) faults: Mutex<Faults>,
}

impl World {
    /// Creates the world that `seed` decides, with the faults of `plan` if there is one.
    #[must_use]
    pub fn new(seed: u64, plan: Option<&'static Plan>) -> Self {
        let driver = Arc::new(DrivingThread::new());
        let network = Network::new(seed, Arc::clone(&driver));
        Self {
            disks: Disks::new(seed, Arc::clone(&driver)),
            clocks: Clocks::new(Arc::clone(&network)),
            faults: Mutex::new(Faults::new(seed, plan)),
            driver,
            network,
        }
    }

    /// Returns the thread that drives the simulation.
    #[must_use]
    pub fn driver(&self) -> &DrivingThread {
        &self.driver
    }

    /// Returns the network.
    #[must_use]
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Returns the network in the form in which the reactor makes sockets of it.
    #[must_use]
    pub fn lent_network(&self) -> Arc<dyn lent::Network> {
        Arc::clone(&self.network) as Arc<dyn lent::Network>
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

    /// Returns the disk of the host that the current task belongs to. `None` outside all hosts.
    ///
    /// # Errors
    ///
    /// Fails for a task of a host that has crashed.
    pub fn disk_of_current_task(&self) -> io::Result<Option<Mounted>> {
        let host = self.network.current_host()?;
        Ok((host != OUTSIDE).then(|| self.disks.mount(host)))
    }

    /// Draws how long a call on a host's disk takes, in nanoseconds.
    #[must_use]
    pub fn draw_disk_time(&self, host: usize, cost: Cost) -> u64 {
        self.disks.draw_time(host, cost)
    }

    /// Makes this thread use the hosts of tasks, for the timeline's events.
    pub fn give_hosts(&self) -> GivenHosts {
        give_hosts(Arc::clone(&self.network) as Arc<dyn TaskHosts>)
    }

    /// Makes this thread use the names, sockets, clocks and hosts of the world, until the guard is
    /// dropped.
    pub fn give(&self) -> GivenWorld {
        GivenWorld {
            _names: self.network.give_names(),
            _sockets: self.network.give_sockets(),
            _clocks: give_clocks(Arc::clone(&self.clocks) as Arc<dyn HostClocks>),
            _hosts: self.give_hosts(),
        }
    }

    /// Ends a host: closes its sockets without notice to their peers, and ends its tasks before
    /// their next polls.
    pub fn crash(&self, inhabitants: &dyn Inhabitants, host: usize) {
        self.network.end_life(host);
        self.disks.crash(host);
        self.abort_remnants(inhabitants);
    }

    /// Ends the tasks that others of crashed hosts have spawned since: a destructor may, or the
    /// poll that has crashed its own host.
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
