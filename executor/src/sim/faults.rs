//! Random faults, which the seed determines within given limits: the plan of a run's faults, and
//! the named points in a program at which a fault may occur.

use std::error::Error;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::time::Duration;

use wsrt_world::{FaultBounds, FaultKind, WHOLE};

use crate::scheduler::Context;
use crate::sim::Sim;

/// The kinds and limits of the faults that [`Sim::random_faults`] injects.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use wsrt::sim::Faults;
///
/// let faults = Faults::new(Duration::from_secs(30))
///     .every(Duration::from_millis(200)..Duration::from_secs(2))
///     .lasting(Duration::from_millis(100)..Duration::from_secs(5))
///     .crashes(1)
///     .partitions()
///     .resets()
///     .slow_links(10..100)
///     .full_buffers()
///     .full_disks()
///     .failing_disks(0.01..0.2)
///     .slow_disks(10..1_000)
///     .clock_jumps(Duration::from_secs(60))
///     .clock_drifts(500);
/// # drop(faults);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Faults(FaultBounds);

impl Faults {
    /// Creates limits that allow no kind of fault yet. The other methods allow kinds of faults.
    ///
    /// Faults occur only during the time `within`. By default, a fault occurs every 0.1 to 1 s, and
    /// lasts from 10 ms to 1 s. All kinds that are allowed are equally likely;
    /// [`partitions`](Self::partitions) counts as two kinds. A fault that would change nothing,
    /// such as a link that is slower by a factor of 1, is not injected.
    #[must_use]
    pub fn new(within: Duration) -> Self {
        let (tenth, second) = (Duration::from_millis(100), Duration::from_secs(1));
        Self(FaultBounds {
            within,
            every: tenth..second,
            lasting: tenth / 10..second,
            most_down: 0,
            factors: 1..2,
            failing: 0..1,
            disk_factors: 1..2,
            jump: Duration::ZERO,
            drift: 0,
            kinds: Vec::new(),
        })
    }

    /// Sets the range of the pauses between faults.
    #[must_use]
    pub fn every(mut self, pauses: Range<Duration>) -> Self {
        self.0.every = pauses;
        self
    }

    /// Sets the range of durations for which a crashed host stays down and for which other faults
    /// last. No fault lasts beyond the time in which faults may occur.
    #[must_use]
    pub fn lasting(mut self, times: Range<Duration>) -> Self {
        self.0.lasting = times;
        self
    }

    /// Allows hosts to crash and restart, with at most `most` hosts down at the same time.
    #[must_use]
    pub fn crashes(mut self, most: usize) -> Self {
        self.0.most_down = most;
        self.with(FaultKind::Crash)
    }

    /// Allows partitions between two hosts, in both directions or in one.
    #[must_use]
    pub fn partitions(self) -> Self {
        self.with(FaultKind::Partition).with(FaultKind::OneWay)
    }

    /// Allows all streams between two hosts to be reset.
    #[must_use]
    pub fn resets(self) -> Self {
        self.with(FaultKind::Reset)
    }

    /// Allows the packets between two hosts to slow down by a factor in the given range.
    #[must_use]
    pub fn slow_links(mut self, factors: Range<u32>) -> Self {
        self.0.factors = factors;
        self.with(FaultKind::Slow)
    }

    /// Allows the send buffers of a host's sockets to be full, as [`Sim::fill_buffers`] makes them.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wsrt::sim::{self, Faults};
    ///
    /// let plan = sim::run(7, |sim| async move {
    ///     sim.host("node", std::future::pending::<()>);
    ///     sim.random_faults(Faults::new(Duration::from_secs(10)).full_buffers());
    ///     wsrt::time::sleep(Duration::from_secs(20)).await;
    ///     sim.plan()
    /// });
    /// assert!(plan.to_string().contains(" buffers full node for "));
    /// ```
    #[must_use]
    pub fn full_buffers(self) -> Self {
        self.with(FaultKind::BuffersFull)
    }

    /// Allows a host's disk to be full: writes that need more room fail with
    /// [`StorageFull`](std::io::ErrorKind::StorageFull) (`ENOSPC`).
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wsrt::sim::{self, Faults};
    ///
    /// let plan = sim::run(7, |sim| async move {
    ///     sim.host("node", std::future::pending::<()>);
    ///     sim.random_faults(Faults::new(Duration::from_secs(10)).full_disks());
    ///     wsrt::time::sleep(Duration::from_secs(20)).await;
    ///     sim.plan()
    /// });
    /// assert!(plan.to_string().contains(" disk full node for "));
    /// ```
    #[must_use]
    pub fn full_disks(self) -> Self {
        self.with(FaultKind::DiskFull)
    }

    /// Allows a share of a disk's reads, writes and syncs to fail with `EIO`. The share is chosen
    /// from the given range, in whole millionths, between 0.0 for none and 1.0 for all.
    ///
    /// After a failed sync, the bytes to be synced may be lost, as [`Disk`](super::Disk) explains.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wsrt::sim::{self, Faults};
    ///
    /// let plan = sim::run(7, |sim| async move {
    ///     sim.host("node", std::future::pending::<()>);
    ///     sim.random_faults(Faults::new(Duration::from_secs(10)).failing_disks(0.01..0.2));
    ///     wsrt::time::sleep(Duration::from_secs(20)).await;
    ///     sim.plan()
    /// });
    /// assert!(plan.to_string().contains(" disk failing node by 0."));
    /// ```
    #[must_use]
    pub fn failing_disks(mut self, shares: Range<f64>) -> Self {
        let millionths = |share: f64| (share.clamp(0.0, 1.0) * f64::from(WHOLE)).round() as u32;
        self.0.failing = millionths(shares.start)..millionths(shares.end);
        self.with(FaultKind::DiskFailing)
    }

    /// Allows the calls of a disk to slow down by a factor in the given range.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wsrt::sim::{self, Faults};
    ///
    /// let plan = sim::run(7, |sim| async move {
    ///     sim.host("node", std::future::pending::<()>);
    ///     sim.random_faults(Faults::new(Duration::from_secs(10)).slow_disks(10..1_000));
    ///     wsrt::time::sleep(Duration::from_secs(20)).await;
    ///     sim.plan()
    /// });
    /// assert!(plan.to_string().contains(" disk slow node by "));
    /// ```
    #[must_use]
    pub fn slow_disks(mut self, factors: Range<u32>) -> Self {
        self.0.disk_factors = factors;
        self.with(FaultKind::DiskSlow)
    }

    /// Allows the calendar clock of a host, [`SystemTime::now`](std::time::SystemTime::now), to
    /// jump ahead or back by at most `most`. The clock is right again after the fault. No `Instant`
    /// jumps.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wsrt::sim::{self, Faults};
    ///
    /// let plan = sim::run(7, |sim| async move {
    ///     sim.host("node", std::future::pending::<()>);
    ///     sim.random_faults(Faults::new(Duration::from_secs(20)).clock_jumps(Duration::from_secs(60)));
    ///     wsrt::time::sleep(Duration::from_secs(20)).await;
    ///     sim.plan().to_string()
    /// });
    /// assert!(plan.contains(" clock ahead node by ") && plan.contains(" clock behind node by "));
    /// ```
    #[must_use]
    pub fn clock_jumps(mut self, most: Duration) -> Self {
        self.0.jump = most;
        self.with(FaultKind::ClockJump)
    }

    /// Allows all clocks of a host to run too fast or too slow by at most `most` parts per million.
    /// Clocks of real computers are off by about 50, and bad ones by about 500. After the fault,
    /// the clocks run at the right speed again, but keep their error.
    ///
    /// # Panics
    ///
    /// Panics if `most` is 1,000,000 or more, which could stop a clock.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wsrt::sim::{self, Faults};
    ///
    /// let plan = sim::run(7, |sim| async move {
    ///     sim.host("node", std::future::pending::<()>);
    ///     sim.random_faults(Faults::new(Duration::from_secs(10)).clock_drifts(500));
    ///     wsrt::time::sleep(Duration::from_secs(20)).await;
    ///     sim.plan()
    /// });
    /// assert!(plan.to_string().contains(" clock drift node by "));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn clock_drifts(mut self, most: u32) -> Self {
        assert!(most < 1_000_000, "wsrt: a clock that drifts by {most} parts in a million might not go on");
        self.0.drift = most as i32;
        self.with(FaultKind::ClockDrift)
    }

    fn with(mut self, kind: FaultKind) -> Self {
        self.0.kinds.push(kind);
        self
    }
}

impl Sim {
    /// Injects faults within the given limits. The seed determines when they occur and on which
    /// hosts.
    ///
    /// When the time for faults is over, all hosts are up again, all partitions have ended, the
    /// buffers are no longer full, and the disks have no faults. The clocks are right again, except
    /// for the error that drifts have accumulated.
    ///
    /// The faults are part of the run's [`Plan`]. This method has no effect if the
    /// environment variable `WSRT_SIM_PLAN` gives the run a plan.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wsrt::sim::Faults;
    ///
    /// wsrt::sim::run(7, |sim| async move {
    ///     for name in ["one", "two", "three"] {
    ///         sim.host(name, || std::future::pending::<()>());
    ///     }
    ///     sim.random_faults(Faults::new(Duration::from_secs(10)).crashes(1).partitions());
    ///     wsrt::time::sleep(Duration::from_secs(20)).await;
    ///     assert!(sim.is_up("one") && sim.is_up("two") && sim.is_up("three"));
    /// });
    /// ```
    pub fn random_faults(&self, bounds: Faults) {
        self.simulation().world().draw_faults(bounds.0, self.now());
    }
}

/// The faults of a run: the faults that [`Sim::random_faults`] has chosen, with their times, and
/// the calls of [`maybe`](fn@super::maybe) that have returned `true`.
///
/// [`Sim::plan`] returns the plan of the run so far, and a run that fails prints its plan. The
/// environment variable `WSRT_SIM_PLAN` gives a plan to a run, which replaces the faults that the
/// seed would choose. The variable contains the plan as text, or `@` and the name of a file. The
/// same plan with the same seed gives the same run. The program `wsrt-sim` searches for a smallest
/// plan with which a run still fails.
///
/// The text of a plan has one fault per line, or faults separated by semicolons:
///
/// ```text
/// # a crash, and the restart after 300 ms; without `for`, faults last to the end of the run
/// at 1.25s crash one for 300ms
/// at 2s cut one two for 500ms
/// at 2s cut one -> two for 500ms    # in one direction
/// at 3s reset one two               # the TCP streams between them
/// at 3.5s slow one two by 20 for 1s # packets take twenty times as long
/// at 4s buffers full one for 500ms  # its sockets take a few bytes at a time
/// at 4s disk full one for 500ms     # no byte more fits on it
/// at 4s disk failing one by 0.05 for 1s # a share of its reads, writes and syncs
/// at 4s disk slow one by 100 for 1s
/// at 5s clock ahead one by 90s for 1s # the calendar; or `behind`
/// at 5s clock drift one by -500 for 1s # in parts in a million
/// maybe 17 "slow commit"            # the 17th call of the point answers true
/// ```
///
/// Times count from the start of the runtime. Names that contain anything but letters, digits and
/// `._-:/` are written in quotation marks, with a backslash before each quotation mark and
/// backslash inside the name. A plan without faults is written as `nothing`.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use wsrt::sim::Plan;
///
/// let plan: Plan = "at 2s crash node for 1.5s".parse()?;
/// wsrt::sim::run(7, |sim| async move {
///     sim.host("node", || std::future::pending::<()>());
///     sim.inject(&plan);
///     wsrt::time::sleep(Duration::from_secs(3)).await;
///     assert!(!sim.is_up("node"));
///     wsrt::time::sleep(Duration::from_secs(1)).await;
///     assert!(sim.is_up("node"));
///     assert_eq!(sim.plan(), plan);
/// });
///
/// let error = "at noon crash node".parse::<Plan>().unwrap_err().to_string();
/// assert!(error.starts_with("line 1 of the plan, `at noon crash node`: `noon` is no time"));
/// # Ok::<(), wsrt::sim::PlanError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan(wsrt_world::FaultPlan);

impl Plan {
    /// Returns the number of faults in the plan, including calls of `maybe` that return `true`.
    ///
    /// # Examples
    ///
    /// ```
    /// let plan: wsrt::sim::Plan = "at 2s reset one two; maybe 3 commit".parse()?;
    /// assert_eq!(plan.len(), 2);
    /// # Ok::<(), wsrt::sim::PlanError>(())
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns `true` if the plan contains no faults.
    ///
    /// # Examples
    ///
    /// ```
    /// assert!("nothing".parse::<wsrt::sim::Plan>()?.is_empty());
    /// # Ok::<(), wsrt::sim::PlanError>(())
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Plan {
    type Err = PlanError;

    fn from_str(text: &str) -> Result<Self, PlanError> {
        text.parse().map(Self).map_err(PlanError)
    }
}

/// The error for a text that is not a valid [`Plan`]. It contains the line and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanError(wsrt_world::FaultPlanError);

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for PlanError {}

/// Plans of faults.
impl Sim {
    /// Injects the faults of a plan, in addition to those that the seed chooses. Faults whose time
    /// has passed occur immediately. Has no effect if the run gets a plan from `WSRT_SIM_PLAN`.
    ///
    /// The run fails when a fault is due on a host that does not exist.
    ///
    /// # Examples
    ///
    /// See [`Plan`].
    pub fn inject(&self, plan: &Plan) {
        self.simulation().world().add_plan(&plan.0, self.now());
    }

    /// Returns the faults of the run so far, at most ten thousand.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wsrt::sim::Faults;
    ///
    /// let plan = wsrt::sim::run(7, |sim| async move {
    ///     sim.host("node", || std::future::pending::<()>());
    ///     sim.random_faults(Faults::new(Duration::from_secs(10)).crashes(1));
    ///     wsrt::time::sleep(Duration::from_secs(20)).await;
    ///     sim.plan()
    /// });
    /// assert!(plan.to_string().contains(" crash node for "));
    /// ```
    #[must_use]
    pub fn plan(&self) -> Plan {
        Plan(self.simulation().world().plan())
    }
}

/// Returns `true` if the fault with the name `point` should occur at this call.
///
/// Outside simulations, this function returns `false`. In a simulation, the seed first determines
/// whether the point is armed, which it is in one run of four. A call at an armed point returns
/// `true` once in twenty calls. Therefore most runs contain few kinds of faults, but these occur
/// often enough to meet each other. The calls that return `true` are part of the run's
/// [`Plan`]. A plan that is given to a run determines them.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
///
/// async fn commit() {
///     if wsrt::sim::maybe("slow commit") {
///         wsrt::time::sleep(Duration::from_secs(5)).await;
///     }
/// }
///
/// let slow = (0..200).filter(|&seed| {
///     wsrt::sim::run(seed, |sim| async move {
///         commit().await;
///         sim.record().elapsed() > Duration::from_secs(5)
///     })
/// });
/// assert!((1..20).contains(&slow.count()));
/// assert!(!wsrt::sim::maybe("slow commit"), "here is no simulation");
/// ```
#[must_use]
pub fn maybe(point: &str) -> bool {
    let Some(context) = Context::of_simulation() else { return false };
    let Some(simulation) = context.scheduler().simulation.as_ref() else { return false };
    simulation.world().fires(point)
}
