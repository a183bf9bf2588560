//! The ticks of an interval.

use crate::time::{Instant, Interval};

wrap! {
    /// Streams the ticks of an [`Interval`]: the moments at which they were due. It never ends.
    ///
    /// # Panics
    ///
    /// A poll panics outside a runtime.
    ///
    /// # Cancel safety
    ///
    /// This call is cancel safe: a tick that was not returned is returned by the next poll.
    IntervalStream, Interval => Instant, |interval, cx| interval.poll_tick(cx).map(Some)
}
