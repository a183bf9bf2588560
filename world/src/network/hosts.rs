//! Hosts: their names, addresses and lives, and the host that each task belongs to.
//!
//! A spawned task belongs to the same host as the task that spawned it. A crash ends the life of a
//! host, and with it all tasks and sockets of that life. A restart begins a new life.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::net::{IpAddr, Ipv4Addr};

use wsrt_sync::current_task;

/// The index of the host on which the test itself runs, outside all hosts that the test has added.
pub const OUTSIDE: usize = 0;
/// The base of the hosts' addresses. The host with index 0 has the next address.
const NETWORK: u32 = u32::from_be_bytes([10, 0, 0, 0]);
/// The first of the ports that are assigned automatically.
const FIRST_PORT: u16 = 49_152;

pub(super) struct Hosts {
    /// The member that each task belongs to, by task id. Contains the tasks of all hosts that have
    /// not ended, and some that have ended since the last sweep.
    members: BTreeMap<u64, HostLife>,
    /// The number of members at which the next sweep is due.
    sweep_at: usize,
    /// The number of lives that have begun.
    lives: u32,
    hosts: Vec<Host>,
    /// The member that the next tasks belong to, if it is not the current task's.
    born_into: Option<HostLife>,
    /// True if a task of a past life has spawned a task since the scheduler last asked.
    has_stillborn: bool,
}

/// A host together with one of the host's lives.
///
/// Life 0 belongs to the test itself, outside all hosts.
#[derive(Debug, Clone, Copy, Default)]
pub struct HostLife {
    host: usize,
    life: u32,
}

/// The minimum number of members at which the table is swept.
const FEWEST: usize = 1_024;

struct Host {
    name: String,
    /// The current life, or `None` while the host is down.
    life: Option<u32>,
    /// True if the program has crashed the host and has not restarted it.
    was_crashed_by_program: bool,
    next_port: u16,
}

impl Hosts {
    pub(super) fn new() -> Self {
        let test = Host { name: String::new(), life: Some(0), was_crashed_by_program: false, next_port: FIRST_PORT };
        Self {
            members: BTreeMap::new(),
            sweep_at: FEWEST,
            lives: 0,
            hosts: vec![test],
            born_into: None,
            has_stillborn: false,
        }
    }

    /// Adds a host, which is down at first. Returns `None` if the name is taken.
    pub(super) fn add(&mut self, name: &str) -> Option<usize> {
        if self.find(name).is_some() {
            return None;
        }
        self.hosts.push(Host {
            name: name.to_owned(),
            life: None,
            was_crashed_by_program: false,
            next_port: FIRST_PORT,
        });
        Some(self.hosts.len() - 1)
    }

    /// Returns the host with this name. The case of letters is ignored, because host names in DNS
    /// and URLs are case-insensitive.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.hosts.iter().position(|host| host.name.eq_ignore_ascii_case(name))
    }

    pub(super) fn name(&self, host: usize) -> &str {
        &self.hosts[host].name
    }

    pub(super) fn count(&self) -> usize {
        self.hosts.len()
    }

    pub(super) fn is_up(&self, host: usize) -> bool {
        self.hosts[host].life.is_some()
    }

    /// Begins a new life of a host. Tasks that are spawned until [`born`](Self::born) is called
    /// belong to it.
    pub(super) fn begin_life(&mut self, host: usize) {
        self.lives += 1;
        let life = self.lives;
        self.hosts[host].life = Some(life);
        self.hosts[host].was_crashed_by_program = false;
        self.born_into = Some(HostLife { host, life });
    }

    pub(super) fn born(&mut self) {
        self.born_into = None;
    }

    /// Ends the current life of a host, if the host is up.
    pub(super) fn end_life(&mut self, host: usize) {
        self.hosts[host].life = None;
    }

    pub(super) fn note_crash_by_program(&mut self, host: usize) {
        self.hosts[host].was_crashed_by_program = true;
    }

    pub(super) fn was_crashed_by_program(&self, host: usize) -> bool {
        self.hosts[host].was_crashed_by_program
    }

    fn member(&self, task: u64) -> HostLife {
        self.members.get(&task).copied().unwrap_or_default()
    }

    pub(super) fn current_member(&self) -> HostLife {
        current_task::get().map(|id| self.member(id.get())).unwrap_or_default()
    }

    pub(super) fn is_over(&self, HostLife { host, life }: HostLife) -> bool {
        self.hosts[host].life != Some(life)
    }

    /// Returns whether a task belongs to a past life of its host.
    pub(super) fn is_remnant(&self, task: u64) -> bool {
        self.is_over(self.member(task))
    }

    /// Returns whether tasks have been spawned into past lives since the last call.
    pub(super) fn take_stillborn(&mut self) -> bool {
        std::mem::take(&mut self.has_stillborn)
    }

    /// Assigns a task that is being spawned to the member of the current task.
    pub(super) fn note_task(&mut self, id: u64) {
        let member = self.born_into.unwrap_or_else(|| self.current_member());
        if member.life != 0 {
            self.has_stillborn |= self.is_over(member);
            self.members.insert(id, member);
        }
    }

    pub(super) fn wants_sweep(&self) -> bool {
        self.members.len() >= self.sweep_at
    }

    /// Removes all tasks except those in `listed`. The next sweep is due when the number of tasks
    /// has doubled.
    pub(super) fn sweep(&mut self, listed: &BTreeSet<u64>) {
        self.members.retain(|id, _| listed.contains(id));
        self.sweep_at = FEWEST.max(self.members.len() * 2);
    }

    /// Returns the host of a task, whether the host is up or not. Task 0 stands for no task.
    pub(super) fn of_task(&self, task: u64) -> usize {
        self.members.get(&task).map_or(OUTSIDE, |member| member.host)
    }

    /// Returns the host of the current task, whether the host is up or not.
    pub(super) fn of_current_task(&self) -> usize {
        self.current_member().host
    }

    /// Returns the host of the current task.
    pub(super) fn current(&self) -> io::Result<usize> {
        let HostLife { host, life } = self.current_member();
        if self.hosts[host].life == Some(life) {
            return Ok(host);
        }
        Err(io::Error::new(io::ErrorKind::NetworkDown, format!("the host `{}` has crashed", self.name(host))))
    }

    pub(super) fn address(host: usize) -> Ipv4Addr {
        Ipv4Addr::from(NETWORK + 1 + host as u32)
    }

    /// Returns the host with this address, as seen from the host `from`.
    pub(super) fn at(&self, address: IpAddr, from: usize) -> io::Result<usize> {
        let foreign = || {
            let message = format!("{address} is no host of this simulation: nothing outside it can be reached from it");
            io::Error::new(io::ErrorKind::NetworkUnreachable, message)
        };
        match address {
            IpAddr::V4(address) if address.is_loopback() || address.is_unspecified() => Ok(from),
            IpAddr::V4(address) => {
                let host = u32::from(address).checked_sub(NETWORK + 1).map(|host| host as usize);
                host.filter(|&host| host < self.hosts.len()).ok_or_else(foreign)
            }
            IpAddr::V6(address) if address.is_loopback() || address.is_unspecified() => Ok(from),
            IpAddr::V6(_) => Err(foreign()),
        }
    }

    /// Returns the addresses of a host name.
    pub(super) fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        if name == "localhost" {
            return Ok(vec![Ipv4Addr::LOCALHOST.into()]);
        }
        match self.find(name).filter(|_| !name.is_empty()) {
            Some(host) => Ok(vec![Self::address(host).into()]),
            None => {
                let message =
                    format!("`{name}` is no host of this simulation: the names outside it are not known in it");
                Err(io::Error::new(io::ErrorKind::NotFound, message))
            }
        }
    }

    /// Returns the next port to assign automatically. The caller tries again if the port is taken.
    pub(super) fn next_port(&mut self, host: usize) -> u16 {
        let port = self.hosts[host].next_port;
        self.hosts[host].next_port = port.checked_add(1).unwrap_or(FIRST_PORT);
        port
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_that_have_ended_are_forgotten() {
        let mut hosts = Hosts::new();
        let host = hosts.add("one").expect("the name is free");
        hosts.begin_life(host);
        for id in 1..=FEWEST as u64 {
            assert!(!hosts.wants_sweep());
            hosts.note_task(id);
        }
        assert!(hosts.wants_sweep());
        hosts.sweep(&BTreeSet::from([7, 8]));
        assert!(!hosts.wants_sweep() && hosts.members.len() == 2);
        hosts.end_life(host);
        assert!(hosts.is_remnant(7) && !hosts.is_remnant(9));
    }
}
