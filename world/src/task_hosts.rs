//! The simulated host that each task belongs to, by number and by name.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

/// Tells traces and reports which simulated host each task belongs to.
pub trait TaskHosts: fmt::Debug + Send + Sync {
    /// Returns the number of the host that a task belongs to, or 0 if the task belongs to none.
    /// Task 0 belongs to none.
    fn host_of(&self, task: u64) -> u32;

    /// Returns the name of the host with this number.
    fn name_of(&self, host: u32) -> String;
}

thread_local! {
    /// The hosts of the simulation that this thread drives.
    static HOSTS: RefCell<Option<Arc<dyn TaskHosts>>> = const { RefCell::new(None) };
}

/// A guard that provides the current thread with the hosts of tasks, as returned by
/// [`override_hosts`].
#[must_use = "it lasts until the guard is dropped"]
#[derive(Debug)]
pub struct HostsOverride(Option<Arc<dyn TaskHosts>>);

/// Provides the current thread with the hosts that tasks belong to, until the returned guard is
/// dropped.
pub fn override_hosts(hosts: Arc<dyn TaskHosts>) -> HostsOverride {
    HostsOverride(HOSTS.replace(Some(hosts)))
}

impl Drop for HostsOverride {
    fn drop(&mut self) {
        HOSTS.set(self.0.take());
    }
}

fn with<R>(f: impl FnOnce(&dyn TaskHosts) -> R) -> Option<R> {
    HOSTS.try_with(|hosts| hosts.borrow().as_deref().map(f)).ok().flatten()
}

/// Returns the number of the host that a task belongs to, or 0 if the task belongs to none. Returns
/// `None` if this thread drives no simulation or is exiting.
pub fn host_of(task: u64) -> Option<u32> {
    with(|hosts| hosts.host_of(task))
}

/// Returns the name of the host that a task belongs to. Returns `None` if the task belongs to no
/// host, or if this thread drives no simulation.
pub fn host_name_of(task: u64) -> Option<String> {
    host_of(task).filter(|host| *host != 0).and_then(name_of)
}

/// Returns the name of the host with this number, or `None` if this thread drives no simulation.
pub fn name_of(host: u32) -> Option<String> {
    with(|hosts| hosts.name_of(host))
}
