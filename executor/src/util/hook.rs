//! Hooks: functions that were given to the builder, called on the runtime's threads.

use crate::util::report::report;
use crate::util::unwind::caught;

/// Calls a function that was given to the builder's method of this name. A panic in it ends the
/// process, as is documented there: no caller is left to hear of it, and the thread that it used
/// has duties.
pub(crate) fn call_hook(name: &str, hook: impl FnOnce()) {
    if caught(hook).is_err() {
        report(format_args!(
            "the function given to `Builder::{name}` panicked, so the process aborts: catch panics inside it"
        ));
        std::process::abort();
    }
}
