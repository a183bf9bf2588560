//! A stream of an interval's ticks.

use crate::time::{Instant, Interval};

wrap! {
    /// A stream that yields the instants at which an [`Interval`]'s ticks were due. Never ends.
    ///
    /// # Panics
    ///
    /// Polling panics outside a runtime.
    ///
    /// # Cancel safety
    ///
    /// Polling is cancel safe: a tick that was not returned is returned by the next poll.
    IntervalStream, Interval => Instant, |interval, cx| interval.poll_tick(cx).map(Some)
}
