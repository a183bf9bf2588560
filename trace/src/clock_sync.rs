//! From the counter's stamps to nanoseconds of the system's monotonic clock.
//!
//! Both are read together now and then: an *anchor*. Between two anchors time is a straight line, so that nothing adds up: a time
//! is as wrong as its anchors are, some tens of nanoseconds, and as the clock is steered within a second.

use crate::{Counter, monotonic_nanos};

/// Anchors that are kept, in the counter's unit and in nanoseconds.
#[derive(Clone, Debug)]
pub struct Anchors {
    /// About one each second, the oldest first.
    kept: Vec<Anchor>,
    latest: Anchor,
}

/// One moment, by both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Anchor {
    pub stamp: u64,
    pub nanos: u64,
}

/// Nanoseconds between two anchors that are kept.
const APART: u64 = 1_000_000_000;
/// An hour's worth. What is older is reckoned by the oldest.
const MOST: usize = 3_600;
/// Tries to read both without being interrupted in between.
const TRIES: usize = 3;

impl Anchor {
    /// Reads both: of a few tries the one that took the least.
    pub fn now() -> Self {
        let tries = (0..TRIES).map(|_| {
            let before = Counter::read();
            let nanos = monotonic_nanos();
            let took = Counter::read().saturating_sub(before);
            (took, Self { stamp: before + took / 2, nanos })
        });
        tries.min_by_key(|(took, _)| *took).map(|(_, anchor)| anchor).expect("there is more than one try")
    }
}

impl Anchors {
    /// Anchors that begin here. A moment is spent on a second one.
    pub fn begin() -> Self {
        let first = Anchor::now();
        std::thread::sleep(std::time::Duration::from_micros(500));
        Self { kept: vec![first], latest: Anchor::now() }
    }

    /// Adds the latest one.
    pub fn add(&mut self, anchor: Anchor) {
        let last = self.kept[self.kept.len() - 1];
        if self.latest.nanos.saturating_sub(last.nanos) >= APART {
            self.kept.push(self.latest);
            if self.kept.len() > MOST {
                self.kept.remove(0);
            }
        }
        self.latest = anchor;
    }

    /// What the monotonic clock showed at `stamp`.
    pub fn nanos(&self, stamp: u64) -> u64 {
        let next = self.kept.partition_point(|anchor| anchor.stamp <= stamp);
        let from = self.kept[next.saturating_sub(1)];
        let to = self.kept.get(next.max(1)).copied().unwrap_or(self.latest);
        let (ticks, nanos) = (to.stamp.wrapping_sub(from.stamp), to.nanos.wrapping_sub(from.nanos));
        if ticks == 0 {
            return from.nanos;
        }
        // Exact to the nanosecond for ten weeks.
        let away = stamp.wrapping_sub(from.stamp) as i64 as f64 * (nanos as f64 / ticks as f64);
        from.nanos.saturating_add_signed(away as i64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn anchors(points: &[(u64, u64)]) -> Anchors {
        let mut points = points.iter().map(|&(stamp, nanos)| Anchor { stamp, nanos });
        let first = points.next().expect("one at least");
        let mut anchors = Anchors { kept: vec![first], latest: first };
        points.for_each(|anchor| anchors.add(anchor));
        anchors
    }

    #[test]
    fn times_lie_on_the_line_between_their_anchors() {
        let anchors = anchors(&[(1_000, 0), (3_001_000, 1_000_000_000), (9_001_000, 2_000_000_000)]);
        assert_eq!(anchors.nanos(1_000), 0);
        assert_eq!(anchors.nanos(1_501_000), 500_000_000);
        assert_eq!(anchors.nanos(3_001_000), 1_000_000_000);
        assert_eq!(anchors.nanos(6_001_000), 1_500_000_000, "the second second has a rate of its own");
        assert_eq!(anchors.nanos(12_001_000), 2_500_000_000, "what is later goes on at the last rate");
    }

    #[test]
    fn what_is_older_than_the_first_anchor_has_a_time_too() {
        let anchors = anchors(&[(1_000_000, 5_000), (2_000_000, 6_000)]);
        assert_eq!(anchors.nanos(0), 4_000);
    }

    #[test]
    fn anchors_are_close_to_the_clock() {
        Counter::choose();
        let mut anchors = Anchors::begin();
        for _ in 0..20 {
            let (before, stamp, after) = (monotonic_nanos(), Counter::read(), monotonic_nanos());
            anchors.add(Anchor::now());
            let nanos = anchors.nanos(stamp);
            assert!((before - 50_000..after + 50_000).contains(&nanos), "{before} {nanos} {after}");
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }
}
