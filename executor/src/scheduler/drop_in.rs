//! The refusals of runtimes in the place of tokio's: of timers and I/O that they were built
//! without, and of timers made outside of a runtime.

#[cfg(all(unix, feature = "signal"))]
use wsrt_sync::drop_in::NO_IO;
use wsrt_sync::drop_in::{IS_ON, NO_TIME, OUTSIDE};

use crate::scheduler::Context;

/// # Panics
///
/// In the place of tokio, if the current thread's runtime was built without I/O.
#[cfg(all(unix, feature = "signal"))]
#[inline]
#[track_caller]
pub(crate) fn require_io() {
    assert!(!IS_ON || Context::with(|here| here.is_none_or(|here| here.scheduler().config.has_io)), "wsrt: {NO_IO}");
}

/// # Panics
///
/// In the place of tokio, if the current thread has no runtime, or one that was built without
/// timers.
#[inline]
#[track_caller]
pub(crate) fn require_timers() {
    if !IS_ON {
        return;
    }
    match Context::with(|here| here.map(|here| here.scheduler().config.has_time)) {
        Some(has_time) => assert!(has_time, "wsrt: {NO_TIME}"),
        None => panic!("wsrt: {OUTSIDE}a timer was made outside of a runtime"),
    }
}
