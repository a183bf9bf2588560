//! Runtimes of the drop-in: they refuse timers and I/O that they were built without, and
//! timers made outside a runtime; and a signal counts for a new listener until the next turn of
//! the netpoller.

#[cfg(all(unix, feature = "signal"))]
use wsrt_sync::drop_in::NO_IO;
use wsrt_sync::drop_in::{IS_ON, NO_TIME, OUTSIDE};

use crate::scheduler::Context;

/// True if a listener also receives a signal that came shortly before it was made, while there was
/// none and the netpoller has had no turn since. Code written for tokio may make its listener late.
#[cfg(all(unix, feature = "signal"))]
pub(crate) const HEARS_WHAT_NO_TURN_HAS_SEEN: bool = IS_ON;

/// # Panics
///
/// In the drop-in, panics if the current thread's runtime was built without I/O.
#[cfg(all(unix, feature = "signal"))]
#[inline]
#[track_caller]
pub(crate) fn require_io() {
    assert!(!IS_ON || Context::with(|here| here.is_none_or(|here| here.scheduler().config.has_io)), "wsrt: {NO_IO}");
}

/// # Panics
///
/// In the drop-in, panics if the current thread has no runtime, or one that was built without
/// timers.
#[inline]
#[track_caller]
pub(crate) fn require_timers() {
    if !IS_ON {
        return;
    }
    match Context::with(|here| here.map(|here| here.scheduler().config.has_time)) {
        Some(has_time) => assert!(has_time, "wsrt: {NO_TIME}"),
        None => panic!("wsrt: {OUTSIDE}a timer was made outside a runtime"),
    }
}
