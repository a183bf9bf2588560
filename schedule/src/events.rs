//! Waits for the events of descriptors: epoll's, say.

use std::time::Instant;

use crate::state::On;
use crate::{steps, time};

/// Waits until there may be events, and the caller is to look. `false` if `deadline` has come.
///
/// The caller looks without blocking, and waits again if it finds nothing. To be called in a
/// schedule only, which [`is_scheduled`] tells.
#[must_use]
pub fn wait(deadline: Option<Instant>) -> bool {
    steps::wait(On::Events, deadline.and_then(time::nanos))
}

/// Tells the threads that wait that there are events.
pub fn notify() {
    steps::step();
    steps::with_state(|state, _| state.wake_all(On::Events));
}

/// Returns whether the calling thread runs in a schedule.
#[must_use]
pub fn is_scheduled() -> bool {
    steps::current().is_some()
}
