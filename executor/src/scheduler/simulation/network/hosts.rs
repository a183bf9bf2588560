//! Hosts: their names, addresses and lives, and which task belongs to which of them.
//!
//! A task belongs to the host of the task that has spawned it. A crash ends a host's life, and with
//! it the tasks and sockets of that life; a restart begins another one.

use std::io;
use std::net::{IpAddr, Ipv4Addr};

use crate::task::{Id, current_id};

/// The host of the test itself, outside of all hosts that it has added.
pub(crate) const OUTSIDE: usize = 0;
/// The address of the host with index 0 is the one behind this.
const NETWORK: u32 = u32::from_be_bytes([10, 0, 0, 0]);
/// The ports that the system gives out.
const FIRST_PORT: u16 = 49_152;

pub(super) struct Hosts {
    first_id: u64,
    /// The life of each task, by its number; 0 is that of the test itself, outside of all hosts.
    members: Vec<u32>,
    /// The host of each life.
    lives: Vec<usize>,
    hosts: Vec<Host>,
    /// The life that the next tasks belong to, in place of the current one's.
    born_into: Option<u32>,
}

struct Host {
    name: String,
    /// `None` while it is down.
    life: Option<u32>,
    next_port: u16,
}

impl Hosts {
    pub(super) fn new(first_id: u64) -> Self {
        let test = Host { name: String::new(), life: Some(0), next_port: FIRST_PORT };
        Self { first_id, members: Vec::new(), lives: vec![0], hosts: vec![test], born_into: None }
    }

    /// Adds a host, which is down. `None` if there is one of this name.
    pub(super) fn add(&mut self, name: &str) -> Option<usize> {
        if self.find(name).is_some() {
            return None;
        }
        self.hosts.push(Host { name: name.to_owned(), life: None, next_port: FIRST_PORT });
        Some(self.hosts.len() - 1)
    }

    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.hosts.iter().position(|host| host.name == name)
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

    /// Begins a life. The tasks spawned until [`born`](Self::born) belong to it.
    pub(super) fn begin_life(&mut self, host: usize) {
        let life = self.lives.len() as u32;
        self.lives.push(host);
        self.hosts[host].life = Some(life);
        self.born_into = Some(life);
    }

    pub(super) fn born(&mut self) {
        self.born_into = None;
    }

    /// Ends its life, if it is up.
    pub(super) fn end_life(&mut self, host: usize) {
        self.hosts[host].life = None;
    }

    fn life_of(&self, id: Id) -> u32 {
        let number = id.as_u64().checked_sub(self.first_id);
        number.and_then(|number| self.members.get(number as usize).copied()).unwrap_or(0)
    }

    /// Whether a task belongs to this host, and to a life of it that is over.
    pub(super) fn is_remnant(&self, id: Id, host: usize) -> bool {
        let life = self.life_of(id);
        life != 0 && self.lives[life as usize] == host && self.hosts[host].life != Some(life)
    }

    /// A task is being spawned: it belongs where its parent does.
    pub(super) fn note_task(&mut self, id: Id) {
        let life = self.born_into.unwrap_or_else(|| current_id().map_or(0, |parent| self.life_of(parent)));
        let Some(number) = id.as_u64().checked_sub(self.first_id).filter(|_| life != 0) else { return };
        let number = number as usize;
        if self.members.len() <= number {
            self.members.resize(number + 1, 0);
        }
        self.members[number] = life;
    }

    /// The host of the current task, whether it is up or not.
    pub(super) fn of_current_task(&self) -> usize {
        self.lives[current_id().map_or(0, |id| self.life_of(id)) as usize]
    }

    /// The host of the current task.
    pub(super) fn current(&self) -> io::Result<usize> {
        let life = current_id().map_or(0, |id| self.life_of(id));
        let host = self.lives[life as usize];
        if self.hosts[host].life == Some(life) {
            return Ok(host);
        }
        Err(io::Error::new(io::ErrorKind::NetworkDown, format!("the host `{}` has crashed", self.name(host))))
    }

    pub(super) fn address(host: usize) -> Ipv4Addr {
        Ipv4Addr::from(NETWORK + 1 + host as u32)
    }

    /// The host that has this address, as the host `from` sees it.
    pub(super) fn at(&self, address: IpAddr, from: usize) -> io::Result<usize> {
        let foreign = || {
            let message =
                format!("{address} is no host of this simulation: nothing outside of it can be reached from it");
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

    /// The addresses of a name.
    pub(super) fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        if name == "localhost" {
            return Ok(vec![Ipv4Addr::LOCALHOST.into()]);
        }
        match self.find(name).filter(|_| !name.is_empty()) {
            Some(host) => Ok(vec![Self::address(host).into()]),
            None => {
                let message =
                    format!("`{name}` is no host of this simulation: the names outside of it are not known in it");
                Err(io::Error::new(io::ErrorKind::NotFound, message))
            }
        }
    }

    /// The next port that the system would give out; the caller asks again if it is taken.
    pub(super) fn next_port(&mut self, host: usize) -> u16 {
        let port = self.hosts[host].next_port;
        self.hosts[host].next_port = port.checked_add(1).unwrap_or(FIRST_PORT);
        port
    }
}
