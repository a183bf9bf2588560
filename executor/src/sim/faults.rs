//! Faults that the seed decides, within bounds.

use std::ops::Range;
use std::time::Duration;

use super::Sim;
use wsrt_world::{FaultBounds, FaultKind, WHOLE};

/// Bounds the faults that [`Sim::random_faults`] injects.
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
    /// Creates bounds that allow no kind of fault yet, and none after `within`. One comes every 0.1
    /// to 1 s, and lasts from 10 ms to 1 s. Each kind that is allowed is as likely as another;
    /// [`partitions`](Self::partitions) are two of them. A fault that would change nothing, such as
    /// a link that is slower by the factor 1, is none.
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

    /// Sets the range of the time for which a crashed host stays down and other faults last. No
    /// fault lasts beyond the time in which faults may come.
    #[must_use]
    pub fn lasting(mut self, times: Range<Duration>) -> Self {
        self.0.lasting = times;
        self
    }

    /// Allows hosts to crash and restart, `most` of them down at a time.
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

    /// Allows streams between two hosts to be reset.
    #[must_use]
    pub fn resets(self) -> Self {
        self.with(FaultKind::Reset)
    }

    /// Allows slow packets between two hosts, by a factor in this range.
    #[must_use]
    pub fn slow_links(mut self, factors: Range<u32>) -> Self {
        self.0.factors = factors;
        self.with(FaultKind::Slow)
    }

    /// Allows the buffers of a host's sockets to be full: see [`Sim::fill_buffers`].
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

    /// Allows disks to be full: writes of more bytes fail with
    /// [`StorageFull`](std::io::ErrorKind::StorageFull), `ENOSPC`.
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

    /// Allows a share, drawn from this range, of the reads, writes and syncs of a disk to fail with
    /// `EIO`: 0.0 is none, 1.0 all. The share is drawn in whole millionths.
    ///
    /// After a sync that has failed, the bytes that it was to sync may be lost: see
    /// [`Disk`](super::Disk).
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

    /// Allows slow calls on a disk, by a factor in this range.
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

    /// Allows the calendar of a host, [`SystemTime::now`](std::time::SystemTime::now), to jump
    /// ahead or behind by `most` or less, and back when the fault is over. No `Instant` jumps.
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

    /// Allows all clocks of a host to run too fast or too slow, by at most `most` parts per
    /// million. A computer's is wrong by some 50, and a bad one by some 500. Once the fault is over
    /// they run right again, and stay ahead or behind by as much as they have drifted.
    ///
    /// # Panics
    ///
    /// Panics if it is 1,000,000 or more, at which a clock might stand.
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
    /// Injects faults at moments and among hosts that the seed decides, from now on, within
    /// `bounds`. When their time is over, all hosts are up again, all partitions at an end, buffers
    /// empty, disks without faults, and clocks right but for what drifts have moved them.
    ///
    /// They are part of the run's [`Plan`](super::Plan). Does nothing in a run whose plan is given,
    /// by the environment variable `WSRT_SIM_PLAN`.
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
