//! Hosts: adding them, crashing and restarting them.

use std::future::Future;
use std::net::IpAddr;
use std::panic::Location;
use std::process::{ExitCode, Termination};
use std::sync::Arc;

use super::Sim;
use crate::runtime::TaskDump;
use wsrt_world::Network;

impl Sim {
    /// Adds a host, starts `main` on it, and returns its address.
    ///
    /// The host has a name that [`wsrt::net`](crate::net) resolves, and its own address. The
    /// tasks that `main` spawns, theirs, and the sockets that they open, are the host's. `main` is
    /// called again when the host is restarted. The future in [`run`](fn@super::run) and the tasks
    /// outside all hosts have a network address too, and reach the hosts as hosts reach each
    /// other.
    ///
    /// `main` is called in the host's first task, and the run fails if it or its future panics, or
    /// the future returns an error, unless [panics are allowed](Self::allow_panics). A host whose
    /// future is done stays up.
    ///
    /// # Panics
    ///
    /// Panics if there is a host of this name, and if the name is empty, `localhost`, or an
    /// address, which would not be looked up.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::net::{TcpListener, TcpStream};
    ///
    /// wsrt::sim::run(7, |sim| async move {
    ///     sim.host("server", || async {
    ///         let listener = TcpListener::bind("0.0.0.0:80").await?;
    ///         let (mut stream, _) = listener.accept().await?;
    ///         stream.write_all(b"hello").await
    ///     });
    ///     let mut heard = String::new();
    ///     let mut stream = loop {
    ///         // It may not listen yet.
    ///         match TcpStream::connect("server:80").await {
    ///             Ok(stream) => break stream,
    ///             Err(_) => wsrt::task::yield_now().await,
    ///         }
    ///     };
    ///     stream.read_to_string(&mut heard).await?;
    ///     assert_eq!(heard, "hello");
    ///     std::io::Result::Ok(())
    /// })
    /// # .unwrap();
    /// ```
    #[track_caller]
    pub fn host<M, F>(&self, name: &str, main: M) -> IpAddr
    where
        M: Fn() -> F + Send + Sync + 'static,
        F: Future + Send + 'static,
        F::Output: Termination,
    {
        assert!(!name.is_empty() && name != "localhost", "wsrt: `{name}` cannot be the name of a host");
        let is_address = name.parse::<IpAddr>().is_ok();
        assert!(!is_address, "wsrt: `{name}` cannot be the name of a host: it is an address, and hosts have their own");
        let host = self.network().add_host(name).unwrap_or_else(|| panic!("wsrt: there is a host `{name}` already"));
        let (main, here) = (Arc::new(main), Location::caller());
        let scheduler = Arc::downgrade(self.handle().scheduler());
        let start = move || {
            let Some(scheduler) = scheduler.upgrade() else { return };
            let main = Arc::clone(&main);
            let first = async move {
                // An error is printed, as if a program's `main` had returned it.
                let has_succeeded = main().await.report() == ExitCode::SUCCESS;
                assert!(has_succeeded, "the host's `main` has ended with an error");
            };
            drop(scheduler.spawn(first, here));
        };
        self.network().set_start(host, Arc::new(start));
        self.start(host);
        self.network().address(host)
    }

    /// Crashes a host: its tasks are dropped before their next polls, its blocking jobs do not
    /// begin, and its sockets are closed without a word to their peers, which learn of it when they
    /// send again. Does nothing to a host that is down.
    ///
    /// Destructors of its tasks run, and find its sockets closed. Tasks that they spawn are dropped
    /// as well. A blocking job that has begun, or a poll that blocks, is left by unwinding where it
    /// waits by wsrt's means: in `block_on`, or a blocking call of [`wsrt::sync`](crate::sync).
    ///
    /// # Panics
    ///
    /// Panics if there is no host of this name.
    ///
    /// # Examples
    ///
    /// ```
    /// wsrt::sim::run(7, |sim| async move {
    ///     sim.host("node", || std::future::pending::<()>());
    ///     sim.crash("node");
    ///     assert!(!sim.is_up("node"));
    ///     sim.restart("node");
    ///     assert!(sim.is_up("node"));
    /// });
    /// ```
    #[track_caller]
    pub fn crash(&self, name: &str) {
        self.crash_host(self.find(name));
    }

    /// Starts a host again, after a crash if it is up.
    ///
    /// # Panics
    ///
    /// Panics if there is no host of this name.
    ///
    /// # Examples
    ///
    /// See [`crash`](Self::crash).
    #[track_caller]
    pub fn restart(&self, name: &str) {
        self.restart_host(self.find(name));
    }

    /// Returns whether a host is up.
    ///
    /// # Panics
    ///
    /// Panics if there is no host of this name.
    ///
    /// # Examples
    ///
    /// See [`crash`](Self::crash).
    #[must_use]
    #[track_caller]
    pub fn is_up(&self, name: &str) -> bool {
        self.network().is_up(self.find(name))
    }

    #[track_caller]
    pub(super) fn find(&self, name: &str) -> usize {
        let found = self.network().find_host(name).filter(|_| !name.is_empty());
        found.unwrap_or_else(|| panic!("wsrt: this simulation has no host `{name}`"))
    }

    pub(super) fn network(&self) -> &Network {
        self.simulation().world().network()
    }

    pub(super) fn crash_host(&self, host: usize) {
        self.network().note_crash_by_program(host);
        if self.network().is_up(host) {
            self.simulation().world().crash(&**self.handle().scheduler(), host);
        }
    }

    pub(super) fn restart_host(&self, host: usize) {
        self.crash_host(host);
        self.start(host);
    }

    fn start(&self, host: usize) {
        self.network().begin_life(host);
    }
}

impl TaskDump {
    /// Returns the name of the simulated host that it belongs to, if the dump was taken in the
    /// simulation.
    #[must_use]
    pub fn host(&self) -> Option<&str> {
        self.host_name()
    }
}
