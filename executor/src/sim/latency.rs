//! How long the packets of a link take.

use std::ops::Range;
use std::time::Duration;

use wsrt_world::Latency as Drawn;

/// Says how long each packet of a link takes.
///
/// A [`Duration`] is the time of all, and a range of them one from which each time is drawn evenly.
/// The others have a tail, as networks do.
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
pub struct Latency(pub(super) Drawn);

impl Latency {
    /// Returns the latency of a path with a queue: `least`, and a time more that is distributed
    /// exponentially, so that the mean is `mean`.
    ///
    /// One packet in ten takes longer than `least` by 2.3 times the difference of the two, one in a
    /// hundred by 4.6 times, and one in a thousand by 6.9 times.
    #[must_use]
    pub fn exponential(least: Duration, mean: Duration) -> Self {
        Self(Drawn::Exponential(nanos(least), nanos(mean.saturating_sub(least))))
    }

    /// Returns a latency with a long tail: one packet in four takes longer than twice `least`, one
    /// in a hundred longer than ten times, one in ten thousand longer than a hundred times, and
    /// none longer than a thousand times. The mean is twice `least`.
    #[must_use]
    pub fn long_tail(least: Duration) -> Self {
        Self(Drawn::LongTail(nanos(least)))
    }
}

impl From<Duration> for Latency {
    fn from(latency: Duration) -> Self {
        Self(Drawn::Uniform(nanos(latency)..nanos(latency)))
    }
}

impl From<Range<Duration>> for Latency {
    fn from(range: Range<Duration>) -> Self {
        Self(Drawn::Uniform(nanos(range.start)..nanos(range.end)))
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
