//! Hooks: the builder's callbacks, which are called on the runtime's threads.

use crate::util::report::report;
use crate::util::unwind::caught;

/// Calls a callback that was given to the builder method `name`. A panic ends the process, as that
/// method documents: no caller is left to receive the panic, and the thread has duties to fulfil.
pub(crate) fn call_hook(name: &str, hook: impl FnOnce()) {
    if caught(hook).is_err() {
        report(format_args!(
            "the function given to `Builder::{name}` panicked, so the process aborts: catch panics inside it"
        ));
        std::process::abort();
    }
}
