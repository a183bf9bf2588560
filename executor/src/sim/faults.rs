//! Random faults, which the seed determines within given limits.

use std::ops::Range;
use std::time::Duration;

use super::Sim;
use wsrt_world::{FaultBounds, FaultKind, WHOLE};

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
    /// The faults are part of the run's [`Plan`](super::Plan). This method has no effect if the
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
