//! The hosts of a simulation that tasks belong to, by their numbers and names.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

/// The hosts of a simulation.
pub trait TaskHosts: fmt::Debug + Send + Sync {
    /// The number of the host that a task belongs to, 0 if that is none. Task 0 belongs to none.
    fn host_of(&self, task: u64) -> u32;

    /// Returns the name of a host.
    fn name_of(&self, host: u32) -> String;
}

thread_local! {
    /// The hosts of the simulation that this thread drives.
    static HOSTS: RefCell<Option<Arc<dyn TaskHosts>>> = const { RefCell::new(None) };
}

/// This thread is given the hosts of tasks, until this is dropped.
#[must_use = "it lasts until the guard is dropped"]
#[derive(Debug)]
pub struct GivenHosts(Option<Arc<dyn TaskHosts>>);

/// Makes this thread use the hosts of tasks, until the guard is dropped.
pub fn give_hosts(hosts: Arc<dyn TaskHosts>) -> GivenHosts {
    GivenHosts(HOSTS.replace(Some(hosts)))
}

impl Drop for GivenHosts {
    fn drop(&mut self) {
        HOSTS.set(self.0.take());
    }
}

fn with<R>(f: impl FnOnce(&dyn TaskHosts) -> R) -> Option<R> {
    HOSTS.try_with(|hosts| hosts.borrow().as_deref().map(f)).ok().flatten()
}

/// Returns the number of the host that a task belongs to, or 0 if it belongs to none. Returns
/// `None` on a thread that drives no simulation, or ends.
pub fn host_of(task: u64) -> Option<u32> {
    with(|hosts| hosts.host_of(task))
}

/// Returns the name of the host that a task belongs to, if there is one and this thread drives a
/// simulation.
pub fn host_name_of(task: u64) -> Option<String> {
    host_of(task).filter(|host| *host != 0).and_then(name_of)
}

/// Returns the name of a host, if this thread drives its simulation.
pub fn name_of(host: u32) -> Option<String> {
    with(|hosts| hosts.name_of(host))
}
