//! Hosts: adding, crashing and restarting them, and the errors of their clocks.

use std::future::Future;
use std::net::IpAddr;
use std::panic::Location;
use std::process::{ExitCode, Termination};
use std::sync::Arc;
use std::time::Duration;

use wsrt_world::{ClockSkew, Network};

use crate::runtime::TaskDump;
use crate::sim::Sim;

impl Sim {
    /// Adds a host, starts `main` on the host, and returns the host's IP address.
    ///
    /// The host has its own address, and a name that [`wsrt::net`](crate::net) resolves. Tasks that
    /// `main` spawns, directly or indirectly, belong to the host, and so do the sockets that these
    /// tasks open. `main` is called again when the host is restarted. The future in
    /// [`run`](fn@super::run), and tasks outside all hosts, have a network address too, and reach
    /// the hosts in the same way as hosts reach each other.
    ///
    /// `main` is called in the host's first task. The run fails if `main` or its future panics, or
    /// if the future returns an error, unless [panics are allowed](Self::allow_panics). The host
    /// stays up after the future has completed.
    ///
    /// # Panics
    ///
    /// Panics if a host with this name exists. Panics if the name is empty, is `localhost`, or is
    /// an IP address, because such names would not be looked up.
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

    /// Crashes a host. The host's tasks are dropped before their next polls, and its blocking jobs
    /// do not begin. Its sockets are closed without notifying their peers, which find out the next
    /// time they send. Has no effect if the host is down.
    ///
    /// The destructors of the host's tasks run, and find the sockets closed. Tasks that the
    /// destructors spawn are dropped as well. A blocking job that has begun, or a poll that blocks,
    /// is unwound where it waits in one of wsrt's blocking calls: in `block_on`, or in a blocking
    /// call of [`wsrt::sync`](crate::sync).
    ///
    /// # Panics
    ///
    /// Panics if no host has this name.
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

    /// Restarts a host. If the host is up, it is crashed first.
    ///
    /// # Panics
    ///
    /// Panics if no host has this name.
    ///
    /// # Examples
    ///
    /// See [`crash`](Self::crash).
    #[track_caller]
    pub fn restart(&self, name: &str) {
        self.restart_host(self.find(name));
    }

    /// Returns `true` if the host is up.
    ///
    /// # Panics
    ///
    /// Panics if no host has this name.
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

    fn crash_host(&self, host: usize) {
        self.network().note_crash_by_program(host);
        if self.network().is_up(host) {
            self.simulation().world().crash(&**self.handle().scheduler(), host);
        }
    }

    fn restart_host(&self, host: usize) {
        self.crash_host(host);
        self.start(host);
    }

    fn start(&self, host: usize) {
        self.network().begin_life(host);
    }
}

impl TaskDump {
    /// Returns the name of the simulated host to which the task belongs. Returns `None` if the task
    /// belongs to no host, or if the dump was not taken inside the simulation.
    #[must_use]
    pub fn host(&self) -> Option<&str> {
        self.host_name()
    }
}

/// The errors of a host's clocks, compared with the simulation's clock. Passed to [`Sim::skew`].
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use wsrt::sim::Skew;
///
/// let behind_and_fast = Skew::new().behind(Duration::from_secs(90)).drift(200);
/// # drop(behind_and_fast);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Skew(ClockSkew);

impl Skew {
    /// Creates a description of clocks without errors.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(wsrt::sim::Skew::new(), wsrt::sim::Skew::default());
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the calendar clock, [`SystemTime::now`](std::time::SystemTime::now), ahead.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wsrt::sim::Skew;
    ///
    /// assert_ne!(Skew::new().ahead(Duration::from_secs(60)), Skew::new());
    /// ```
    #[must_use]
    pub fn ahead(mut self, by: Duration) -> Self {
        self.0.ahead = i64::try_from(by.as_nanos()).unwrap_or(i64::MAX);
        self
    }

    /// Sets the calendar clock, [`SystemTime::now`](std::time::SystemTime::now), back.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wsrt::sim::Skew;
    ///
    /// let minute = Duration::from_secs(60);
    /// assert_ne!(Skew::new().behind(minute), Skew::new().ahead(minute));
    /// ```
    #[must_use]
    pub fn behind(self, by: Duration) -> Self {
        let Self(ahead) = self.ahead(by);
        Self(ClockSkew { ahead: -ahead.ahead, ..ahead })
    }

    /// Makes all clocks run too fast by `parts` parts per million, or too slow if `parts` is
    /// negative. Clocks of real computers are off by about 50, and bad ones by about 500.
    ///
    /// # Panics
    ///
    /// Panics if `parts` is -1,000,000 or less, which would stop the clocks or turn them back.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::sim::Skew;
    ///
    /// assert_ne!(Skew::new().drift(50), Skew::new().drift(-50));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn drift(mut self, parts: i32) -> Self {
        assert!(parts > -1_000_000, "wsrt: a clock that drifts by {parts} parts in a million does not go on");
        self.0.drift = parts;
        self
    }
}

impl Sim {
    /// Sets the errors of a host's clocks from now on, replacing earlier errors. [Clock
    /// faults](super::Faults::clock_jumps) of the run are added to them.
    ///
    /// On the host, [`SystemTime`](std::time::SystemTime) is ahead or behind. `SystemTime`, both
    /// `Instant` types and all timers of [`wsrt::time`](crate::time) drift. When the drift changes,
    /// a clock continues from the time that it shows, and no `Instant` goes back. Timers that are
    /// already armed fire at their original moments. The same `Instant` is a different moment on
    /// another host. For std's clocks there are [limits](super#not-guaranteed).
    ///
    /// # Panics
    ///
    /// Panics if no host has this name.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wsrt::sim::Skew;
    /// use wsrt::time::{Instant, sleep};
    ///
    /// wsrt::sim::run(7, |sim| async move {
    ///     let (sender, mut receiver) = wsrt::sync::mpsc::channel(1);
    ///     sim.host("node", move || {
    ///         let sender = sender.clone();
    ///         async move {
    ///             sleep(Duration::from_secs(1)).await;
    ///             // Ten seconds on a clock that runs at twice the speed.
    ///             sleep(Duration::from_secs(10)).await;
    ///             sender.send(()).await
    ///         }
    ///     });
    ///     sim.skew("node", Skew::new().drift(1_000_000));
    ///     let began = Instant::now();
    ///     receiver.recv().await.unwrap();
    ///     assert!(began.elapsed() < Duration::from_secs(7));
    /// });
    /// ```
    #[track_caller]
    pub fn skew(&self, name: &str, skew: Skew) {
        let host = self.find(name);
        self.simulation().world().clocks().skew(host, self.now(), skew.0);
    }
}
