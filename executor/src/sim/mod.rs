//! Deterministic simulation: a runtime whose every step is determined by a seed.
//!
//! A runtime of [`Builder::new_simulated`] has any number of processors, but only one thread: the
//! thread in `block_on`. Tasks, queues, timers, channels and the scheduler are the real ones. The
//! seed determines which processor runs next and for how long, which victim a thief tries, how long
//! a thread takes to wake up, when a blocking job runs, and which branch a `select!` checks first.
//! The same seed therefore gives the same run, step for step, and another seed gives another
//! interleaving. A test that passes with a thousand seeds has passed a thousand interleavings, and
//! a test that fails with some seed fails again with the same seed. The attribute
//! [`#[wsrt::test(seeds = 0..1000)]`](macro@crate::test) runs a test in this way.
//!
//! ```
//! use wsrt::runtime::Builder;
//! use wsrt::sync::mpsc;
//!
//! // Which of the two tasks sends first is up to the seed.
//! let first = |seed| {
//!     let runtime = Builder::new_simulated(seed).build().expect("it takes a few descriptors");
//!     runtime.run(async {
//!         let (sender, mut receiver) = mpsc::channel(2);
//!         for name in ["one", "other"] {
//!             let sender = sender.clone();
//!             wsrt::spawn(async move { sender.send(name).await });
//!         }
//!         receiver.recv().await.expect("both send")
//!     })
//! };
//! let firsts: Vec<_> = (0..100).map(first).collect();
//! assert!(firsts.contains(&"one") && firsts.contains(&"other"));
//! assert_eq!(firsts, (0..100).map(first).collect::<Vec<_>>(), "the same seeds, the same runs");
//! ```
//!
//! # Time
//!
//! [`wsrt::time`](crate::time) is virtual. A processor's turn takes a microsecond or two, and
//! occasionally up to 4 ms, as if the operating system had given the core to another process. When
//! no task can run, the clock jumps to the next timer, so sleeping for an hour takes no real time.
//! Timers fire as late as on a real computer: some microseconds after their deadlines.
//!
//! # Hosts and a network
//!
//! [`Sim::host`] adds a host with its own name, address, tasks and sockets.
//! [`wsrt::net`](crate::net) works between hosts as on a real network, with names and addresses.
//! Packets take the time that the [`Link`] specifies, and may be lost. A full buffer makes its
//! writer wait. Hosts can [crash](Sim::crash) and [restart](Sim::restart), and links can be
//! [cut](Sim::partition) and [healed](Sim::heal). Hosts have the IPv4 addresses `10.0.0.2` and up,
//! and `localhost` is the host itself. In a program with [`interpose!`], listeners and UDP sockets
//! that a task binds with [`std::net`] belong to the task's host, and `from_std` converts them.
//!
//! # Disks
//!
//! On a host, [`wsrt::fs`](crate::fs) uses the host's own disk, which is in memory. The disk
//! survives a crash of the host, but writes that were not synced are lost, or only some of them are
//! kept. With [`Disk`], a test can see which data are certain to survive, read and write files from
//! outside the host, and make the disk fail. Tasks outside hosts use the system's files.
//!
//! [`Sim::skew`] sets a host's clocks ahead or back, and makes them run too fast or too slow.
//!
//! # Random numbers and clocks of the system
//!
//! std and other crates get random bytes and the time from the C library. In a program that
//! contains the line [`interpose!`], the simulation provides both; in other programs, the operating
//! system does. With the line, the seed also determines the iteration order of a `HashMap`.
//!
//! # How a run ends
//!
//! A run ends when the future in `block_on` or [`run`](fn@run) completes. The run fails in each of
//! these cases:
//!
//! * The future panics.
//! * A task panics, and its `JoinHandle` is dropped before it has returned the panic. The first
//!   task of a host is such a task. [`Sim::allow_panics`] allows these panics.
//! * An [invariant](Sim::invariant) is violated.
//! * The [deadline](Sim::deadline) passes.
//! * No task can continue, and no timer, blocking job or packet is left that could wake a task, so
//!   the run would wait forever. In this case, the panic message contains a
//!   [dump](crate::runtime::Handle::dump).
//!
//! The panic message, or a report on standard error, contains the seed and the step, and lists the
//! faults of the run. The environment variable `WSRT_SIM_SEED` repeats the run, and `WSRT_SIM_PLAN`
//! runs it with other [faults](Plan). The program `wsrt-sim` runs a test with many seeds, and finds
//! a smallest set of faults with which the test fails.
//!
//! # Not guaranteed
//!
//! * Without [`interpose!`], on systems other than 64-bit Linux with the GNU C library, and in
//!   statically linked programs, the seed determines neither the iteration order of std's
//!   `HashMap`, nor other random numbers from the operating system, nor the time of [`std::time`].
//!   Only [`wsrt::time::Instant`](crate::time::Instant) is virtual there.
//! * The seed does not determine random numbers that the program gets directly from the kernel.
//! * Simulations support TCP, UDP and Unix sockets. Other sockets, processes, signals, addresses
//!   outside the simulation, and streams that std has connected are refused with an error that says
//!   so.
//! * [`std::fs`], and crates that use it, access the system's files, even on hosts, and take no
//!   virtual time. `wsrt::fs` does the same outside hosts.
//! * Threads that the program starts are not part of the simulation. If such a thread wakes or
//!   spawns a task of the simulation, the run panics with a message that reports this.
//! * A poll or a blocking job is a single step, however long it takes. A step that blocks its
//!   thread with anything but wsrt's own operations stops the whole simulation.
//! * While a task or blocking job is in `block_on`, or in a blocking call of
//!   [`wsrt::sync`](crate::sync), other tasks and jobs run inside the call. Therefore the call
//!   returns only after those that began later have returned.
//! * The same seed may give another run in another release of wsrt.
//!
//! [`Builder::new_simulated`]: crate::runtime::Builder::new_simulated

#[doc(hidden)]
#[path = "seeded_test.rs"]
pub mod __seeded_test;
mod builder;
mod disk;
mod faults;
mod handle;
mod hosts;
mod links;
mod run;
mod scale;

use std::time::Duration;

use crate::runtime::Handle;

pub use self::disk::Disk;
pub use self::faults::{Faults, Plan, PlanError, maybe};
pub use self::handle::Sim;
pub use self::hosts::Skew;
pub use self::links::{Latency, Link};
pub use self::run::{run, seeds};
pub use self::scale::compute;
pub use crate::scheduler::simulation::Costs;
/// Replaces the C library's functions for random bytes, clocks, host names and sockets, so that a
/// simulation determines their results on its thread.
///
/// Add this line once to a program: to `main.rs`, or to the root module of a test. It defines
/// `getrandom`, `clock_gettime`, `getaddrinfo`, `bind` and other functions in the program, which
/// replace the C library's for all crates, including std. On threads that do not run a
/// simulation, the functions do the same as the C library's. No feature or dependency can
/// add the line: a program without it uses the C library's own functions.
///
/// Simulations also work without the line, and the seed still determines everything that wsrt does.
/// It then does not determine the iteration order of a `HashMap`, random numbers and names from the
/// operating system, or [`std::time`], and sockets that std has bound are refused. If a run fails,
/// the report mentions that the line is missing.
///
/// The line has an effect on 64-bit Linux with the GNU C library, in dynamically linked programs,
/// and none elsewhere. A program with two of these lines does not compile or link, because the
/// functions are defined twice. Therefore a library should not contain the line.
///
/// # Examples
///
/// ```standalone_crate
/// wsrt::sim::interpose!();
///
/// let date = |seed| wsrt::sim::run(seed, |_| async { std::time::SystemTime::now() });
/// # if cfg!(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64")) {
/// assert_eq!(date(1), date(1), "it is virtual");
/// # }
/// ```
#[doc(inline)]
pub use wsrt_world::interpose;

/// A record of a simulated run so far: its seed, number of steps, virtual time, and hash.
///
/// # Examples
///
/// ```
/// use wsrt::runtime::Builder;
///
/// let hash = |seed| {
///     let runtime = Builder::new_simulated(seed).build().expect("it takes a few descriptors");
///     runtime.run(async { wsrt::task::yield_now().await });
///     runtime.handle().simulation().expect("it is simulated").hash()
/// };
/// assert_eq!(hash(1), hash(1));
/// assert_ne!(hash(1), hash(2));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record(wsrt_world::RunRecord);

impl Record {
    /// Returns the seed of the run.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.0.seed
    }

    /// Returns the number of turns of processors, blocking jobs, and polls of `block_on`'s future
    /// so far.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.0.steps
    }

    /// Returns a hash of all steps so far: the processor, the time, and the polled task of each
    /// step.
    #[must_use]
    pub fn hash(&self) -> u64 {
        self.0.hash
    }

    /// Returns the virtual time since the runtime was built.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        Duration::from_nanos(self.0.now)
    }
}

impl Handle {
    /// Returns the record of the run so far, or `None` if the runtime is not
    /// [simulated](crate::sim).
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_simulated(7).build()?;
    /// assert_eq!(runtime.handle().simulation().expect("it is simulated").steps(), 0);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub fn simulation(&self) -> Option<Record> {
        self.scheduler().simulation.as_ref().map(|simulation| Record(simulation.record()))
    }
}
