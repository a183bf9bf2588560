//! Faults that the seed decides, within bounds.

use std::ops::Range;
use std::time::Duration;

use super::Sim;
use crate::scheduler::simulation::{FaultBounds, FaultKind};

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
///     .slow_links(10..100);
/// # drop(faults);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Faults(FaultBounds);

impl Faults {
    /// Makes bounds that allow no kind of fault yet, and none after `within`. One comes every 0.1
    /// to 1 s, and lasts from 10 ms to 1 s.
    #[must_use]
    pub fn new(within: Duration) -> Self {
        let (tenth, second) = (Duration::from_millis(100), Duration::from_secs(1));
        Self(FaultBounds {
            within,
            every: tenth..second,
            lasting: tenth / 10..second,
            most_down: 0,
            factors: 1..2,
            kinds: Vec::new(),
        })
    }

    /// Has the pauses between faults last a time in this range.
    #[must_use]
    pub fn every(mut self, pauses: Range<Duration>) -> Self {
        self.0.every = pauses;
        self
    }

    /// Has a crashed host stay down, and a partition or a slow link last, for a time in this range.
    #[must_use]
    pub fn lasting(mut self, times: Range<Duration>) -> Self {
        self.0.lasting = times;
        self
    }

    /// Has hosts crash and restart, `most` of them down at a time.
    #[must_use]
    pub fn crashes(mut self, most: usize) -> Self {
        self.0.most_down = most;
        self.with(FaultKind::Crash)
    }

    /// Has two hosts be cut from each other, in both directions or in one.
    #[must_use]
    pub fn partitions(self) -> Self {
        self.with(FaultKind::Partition).with(FaultKind::OneWay)
    }

    /// Has streams between two hosts be reset.
    #[must_use]
    pub fn resets(self) -> Self {
        self.with(FaultKind::Reset)
    }

    /// Has packets between two hosts take longer, by a factor in this range.
    #[must_use]
    pub fn slow_links(mut self, factors: Range<u32>) -> Self {
        self.0.factors = factors;
        self.with(FaultKind::Slow)
    }

    fn with(mut self, kind: FaultKind) -> Self {
        self.0.kinds.push(kind);
        self
    }
}

impl Sim {
    /// Injects faults at moments and among hosts that the seed decides, from now on, within
    /// `bounds`. When their time is over, all hosts are up again and all partitions at an end.
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
        self.simulation().draw_faults(bounds.0, self.now());
    }
}
