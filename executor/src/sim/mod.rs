//! Simulation: a runtime whose every step a seed decides.
//!
//! A runtime of [`Builder::new_simulated`] has any number of processors and one thread, that in
//! `block_on`. The tasks, queues, timers, channels and the scheduler are the real ones. The seed
//! decides which processor has the next turn and how long that takes, which victim a thief tries,
//! how long a thread takes to wake, when a blocking job runs, and which branch a `select!` looks at
//! first. So one seed is one run, step for step, and another seed is another interleaving: a test
//! that passes for a thousand seeds has seen a thousand of them, and one that fails fails again
//! with its seed.
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
//! [`wsrt::time`](crate::time) is virtual: a turn of a processor takes a microsecond or two, now
//! and then up to 4 ms, as if the system had taken its core away; and when no task can run, the
//! clock jumps to the next timer. An hour of sleep takes no time. Timers fire as late as on a
//! computer: some microseconds after their deadlines, never before.
//!
//! # Hosts and a network
//!
//! [`Sim::host`] adds a host with its own name, address, tasks and sockets.
//! [`wsrt::net`](crate::net) works between hosts as it does on a network, by names and addresses:
//! packets take the time that the [`Link`] says, and may be lost; a full buffer makes its writer
//! wait; hosts [crash](Sim::crash) and [restart](Sim::restart), links are
//! [cut](Sim::partition) and [healed](Sim::heal). IPv4 addresses of hosts are `10.0.0.2` and those
//! behind it, and `localhost` is the host itself. In a program with [`interpose!`], listeners and
//! UDP sockets that a task binds by [`std::net`] are its host's too: `from_std` takes them over.
//!
//! # Disks
//!
//! On a host, [`wsrt::fs`](crate::fs) is a disk of the host's own, in memory: it stays when the
//! host crashes, without the writes that were not synced, or with some of them. [`Disk`] says which
//! are certain, looks at it from the test, and has it fail. Tasks outside hosts have the
//! system's files.
//!
//! [`Sim::skew`] has the clocks of a host be ahead or behind, and too fast or too slow.
//!
//! # Random numbers and clocks of the system
//!
//! The C library's random bytes and clocks, which std and other crates ask it for, are the
//! simulation's in a program that has the line [`interpose!`], and the system's in others. With the
//! line the seed decides the order of a `HashMap`, too.
//!
//! # How a run ends
//!
//! With the future in `block_on` or [`run`](fn@run). A run fails if that panics, or a task whose
//! `JoinHandle` is dropped before it tells of it, such as the first one of a host ([unless that is
//! allowed](Sim::allow_panics)), if an [invariant](Sim::invariant) breaks, or the
//! [deadline](Sim::deadline) comes. It also panics with a [dump](crate::runtime::Handle::dump) once
//! no task can continue, and no timer, blocking job or packet is left that could wake one: it would
//! wait forever. The message, or a report on standard error, names the seed and the step, and
//! lists the faults. The environment variable `WSRT_SIM_SEED` repeats the run, and `WSRT_SIM_PLAN`
//! has other [faults](Plan) in it. The program `wsrt-sim` runs a test by many seeds, and finds the
//! fewest faults with which it fails.
//!
//! # Not guaranteed
//!
//! * Without [`interpose!`], on systems other than 64-bit Linux with the GNU C library, and in a
//!   program that is linked statically, the seed decides neither the iteration order of std's
//!   `HashMap`, nor other random numbers that the program asks of the system, nor [`std::time`].
//!   There the virtual clock is [`wsrt::time::Instant`](crate::time::Instant)'s alone.
//! * It decides no number that the program asks of the kernel itself, past the C library.
//! * Sockets other than TCP, UDP and Unix sockets, processes and signals are no part of a
//!   simulation: they are refused with an error that says so, as are addresses outside it, and
//!   streams that std has connected.
//! * Calls of [`std::fs`], and of crates that make them, reach the system's files, on hosts too,
//!   and take no virtual time. Calls of `wsrt::fs` outside hosts reach them as well.
//! * Threads that the program starts are no part of it either. A run that such a thread wakes or
//!   spawns a task of panics, and reports that.
//! * A poll or a blocking job is one step, however long it takes. One that blocks its thread by
//!   other means than wsrt's stops the simulation.
//! * A task or blocking job in `block_on`, or in one of the blocking calls of
//!   [`wsrt::sync`](crate::sync), has the others run inside the call. So it returns only after
//!   those that began later have returned.
//! * The run of a seed is another in another release of wsrt.
//!
//! [`Builder::new_simulated`]: crate::runtime::Builder::new_simulated

mod builder;
mod disk;
mod environment;
mod faults;
mod handle;
mod hosts;
mod latency;
mod links;
mod plan;
mod points;
mod run;
mod scale;
mod seeds;
mod skew;

use std::time::Duration;

use crate::runtime::Handle;

pub use self::disk::Disk;
pub use self::faults::Faults;
pub use self::handle::Sim;
pub use self::latency::Latency;
pub use self::links::Link;
pub use self::plan::{Plan, PlanError};
pub use self::points::maybe;
pub use self::run::run;
pub use self::scale::compute;
pub use self::seeds::seeds;
pub use self::skew::Skew;
pub use crate::scheduler::simulation::Costs;
/// Takes the C library's functions for random bytes, clocks, names of hosts and sockets over, so
/// that the thread of a simulation has these from the simulation.
///
/// This is one line of a program: of `main.rs`, or of the root of a test. It defines `getrandom`,
/// `clock_gettime`, `getaddrinfo`, `bind` and others in the program, in the place of the C
/// library's, for all of its crates, std included. On threads that drive no simulation they do what
/// the C library's do. No feature and no dependency of a program does this: without the line all of
/// these functions are the C library's own.
///
/// A simulation runs without it as well, and the seed decides all that wsrt does. It does not
/// decide the order of a `HashMap`, random numbers and names that the program asks of the system,
/// nor [`std::time`], and sockets that std has bound are refused. If a run fails, the report says
/// that the line is missing.
///
/// The line works on 64-bit Linux with the GNU C library, in programs that are linked dynamically,
/// and is nothing elsewhere. With two of it a program does not compile, or does not link, for a
/// function is defined twice: so it is no line for a library.
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

/// The record of a simulated run so far.
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
pub struct Record(wsrt_world::Record);

impl Record {
    /// Returns the seed.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.0.seed
    }

    /// Returns how many steps there were: turns of processors, blocking jobs, and polls of the
    /// future in `block_on`.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.0.steps
    }

    /// Returns a hash of all steps: which processor had its turn, when, and which task it polled.
    #[must_use]
    pub fn hash(&self) -> u64 {
        self.0.hash
    }

    /// Returns the virtual time since the runtime was made.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        Duration::from_nanos(self.0.now)
    }
}

impl Handle {
    /// Returns the record of the runtime's run so far, if it is simulated: see [`sim`](crate::sim).
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
