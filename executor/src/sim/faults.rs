//! Faults that the seed decides, within bounds.

use std::ops::Range;
use std::time::Duration;

use super::Sim;
use crate::time::sleep;

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
///     .resets();
/// # drop(faults);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Faults {
    within: Duration,
    every: Range<Duration>,
    lasting: Range<Duration>,
    most_down: usize,
    kinds: Vec<Kind>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Crash,
    Partition,
    OneWay,
    Reset,
}

impl Faults {
    /// Makes bounds that allow no kind of fault yet, and none after `within`. One comes every 0.1
    /// to 1 s, and lasts from 10 ms to 1 s.
    #[must_use]
    pub fn new(within: Duration) -> Self {
        let (tenth, second) = (Duration::from_millis(100), Duration::from_secs(1));
        Self { within, every: tenth..second, lasting: tenth / 10..second, most_down: 0, kinds: Vec::new() }
    }

    /// Has the pauses between faults last a time in this range.
    #[must_use]
    pub fn every(mut self, pauses: Range<Duration>) -> Self {
        self.every = pauses;
        self
    }

    /// Has a crashed host stay down, and a partition last, for a time in this range.
    #[must_use]
    pub fn lasting(mut self, times: Range<Duration>) -> Self {
        self.lasting = times;
        self
    }

    /// Has hosts crash and restart, `most` of them down at a time.
    #[must_use]
    pub fn crashes(mut self, most: usize) -> Self {
        self.most_down = most;
        self.with(Kind::Crash)
    }

    /// Has two hosts be cut from each other, in both directions or in one.
    #[must_use]
    pub fn partitions(self) -> Self {
        self.with(Kind::Partition).with(Kind::OneWay)
    }

    /// Has streams between two hosts be reset.
    #[must_use]
    pub fn resets(self) -> Self {
        self.with(Kind::Reset)
    }

    fn with(mut self, kind: Kind) -> Self {
        self.kinds.push(kind);
        self
    }
}

impl Sim {
    /// Injects faults at moments and among hosts that the seed decides, from now on, within
    /// `bounds`. When their time is over, all hosts are up again and all partitions at an end.
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
        let sim = self.clone();
        drop(self.handle().spawn(async move { sim.inject(&bounds).await }));
    }

    async fn inject(&self, bounds: &Faults) {
        let end = crate::time::Instant::now() + bounds.within;
        let mut down = Vec::new();
        let mut lasts = Vec::new();
        while crate::time::Instant::now() < end && !bounds.kinds.is_empty() {
            sleep(self.draw_time(&bounds.every)).await;
            let kind = bounds.kinds[self.network().draw(bounds.kinds.len() as u64) as usize];
            let now = crate::time::Instant::now();
            lasts.retain(|&(until, fault)| until > now || self.end_fault(fault, &mut down));
            if now >= end {
                break;
            }
            if let Some(fault) = self.begin_fault(kind, bounds, &mut down) {
                lasts.push((now + self.draw_time(&bounds.lasting), fault));
            }
        }
        lasts.into_iter().for_each(|(_, fault)| _ = self.end_fault(fault, &mut down));
    }

    fn draw_time(&self, range: &Range<Duration>) -> Duration {
        let room = range.end.saturating_sub(range.start).as_nanos();
        range.start + Duration::from_nanos(self.network().draw(u64::try_from(room).unwrap_or(u64::MAX)))
    }

    /// Draws a host; there is one.
    fn draw_host(&self) -> usize {
        1 + self.network().draw(self.network().host_count() as u64 - 1) as usize
    }

    /// Begins a fault of this kind, if the hosts that are drawn allow one.
    fn begin_fault(&self, kind: Kind, bounds: &Faults, down: &mut Vec<usize>) -> Option<Fault> {
        if self.network().host_count() < 2 {
            return None;
        }
        let (one, other) = (self.draw_host(), self.draw_host());
        match kind {
            Kind::Crash if down.len() < bounds.most_down && self.network().is_up(one) => {
                self.crash_host(one);
                down.push(one);
                Some(Fault::Down(one))
            }
            Kind::Partition if one != other => {
                self.network().cut(one, other);
                self.network().cut(other, one);
                Some(Fault::Cut(one, other))
            }
            Kind::OneWay if one != other => {
                self.network().cut(one, other);
                Some(Fault::Cut(one, other))
            }
            Kind::Reset => {
                self.network().reset_between(one, other);
                None
            }
            Kind::Crash | Kind::Partition | Kind::OneWay => None,
        }
    }

    /// Ends it. Returns `false`: it does not last.
    fn end_fault(&self, fault: Fault, down: &mut Vec<usize>) -> bool {
        match fault {
            Fault::Down(host) => {
                down.retain(|&other| other != host);
                if !self.network().is_up(host) {
                    self.restart_host(host);
                }
            }
            Fault::Cut(one, other) => {
                self.network().heal(one, other);
                self.network().heal(other, one);
            }
        }
        false
    }
}

/// One that lasts.
#[derive(Debug, Clone, Copy)]
enum Fault {
    Down(usize),
    Cut(usize, usize),
}
