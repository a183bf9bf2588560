//! The time that packets of a link take.

use std::ops::Range;
use std::time::Duration;

use wsrt_world::LatencyModel;

/// The time that each packet of a link takes: fixed, or drawn at random.
///
/// A [`Duration`] gives all packets the same latency, and a range of durations gives each packet a
/// latency chosen uniformly from the range. The constructors create distributions with a tail.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use wsrt::sim::{Latency, Link};
///
/// let (least, mean) = (Duration::from_millis(1), Duration::from_millis(2));
/// let links = [
///     Link::new().latency(least),
///     Link::new().latency(least..mean),
///     Link::new().latency(Latency::exponential(least, mean)),
///     Link::new().latency(Latency::long_tail(least)),
/// ];
/// wsrt::sim::run(7, |sim| async move {
///     links.iter().for_each(|link| sim.links(link));
/// });
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Latency(pub(super) LatencyModel);

impl Latency {
    /// Creates the latency of a path with a queue: `least` plus an exponentially distributed time.
    ///
    /// The mean is `mean`. With the difference d between `mean` and `least`, one packet in ten
    /// takes longer than `least` plus 2.3 d, one in a hundred longer than `least` plus 4.6 d, and
    /// one in a thousand longer than `least` plus 6.9 d.
    #[must_use]
    pub fn exponential(least: Duration, mean: Duration) -> Self {
        Self(LatencyModel::Exponential(nanos(least), nanos(mean.saturating_sub(least))))
    }

    /// Creates a latency with a long tail. One packet in four takes longer than twice `least`, one
    /// in a hundred longer than 10 times, one in ten thousand longer than 100 times, and none
    /// longer than 1000 times. The mean is twice `least`.
    #[must_use]
    pub fn long_tail(least: Duration) -> Self {
        Self(LatencyModel::LongTail(nanos(least)))
    }
}

impl From<Duration> for Latency {
    fn from(latency: Duration) -> Self {
        Self(LatencyModel::Uniform(nanos(latency)..nanos(latency)))
    }
}

impl From<Range<Duration>> for Latency {
    fn from(range: Range<Duration>) -> Self {
        Self(LatencyModel::Uniform(nanos(range.start)..nanos(range.end)))
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
