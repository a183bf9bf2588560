//! Faults that are planted in a copy of the runtime, to see whether schedules find them.

use std::sync::OnceLock;

/// Returns whether the fault of this name is to be there: `WSRT_SCHEDULE_FAULT` names it. The
/// patches in `schedule/faults` ask; the runtime as it is does not.
#[must_use]
pub fn is_planted(name: &str) -> bool {
    static PLANTED: OnceLock<Option<String>> = OnceLock::new();
    PLANTED.get_or_init(|| std::env::var("WSRT_SCHEDULE_FAULT").ok()).as_deref() == Some(name)
}
