//! Whether sysmon had to mend what the scheduler should have done.

use wsrt::runtime::Runtime;

/// Checks that sysmon has not hidden a lost wake: no machine of `runtime` slept beside work that it
/// was to be woken for.
///
/// On a machine with more threads than cores one in a thousand polls may seem so: the system may
/// stop a thread just before it wakes another.
#[track_caller]
pub fn assert_no_wake_was_lost(runtime: &Runtime) {
    let metrics = runtime.metrics().snapshot();
    let (lost, polls) = (metrics.unexplained_rescue_count(), metrics.total().poll_count());
    assert!(lost <= 1 + polls / 1_000, "{lost} wakes were lost in {polls} polls, and sysmon made up for them");
}
