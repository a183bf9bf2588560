//! The root of a loop: the future that the thread in `block_on` waits for, or nothing.

use crate::scheduler::Context;

/// The root that a machine's loop looks at before each task.
pub(crate) trait Root {
    /// Polls the root future if it was woken. `true` when it is done, and the loop with it.
    fn poll_if_woken(&mut self, context: &Context) -> bool;

    /// Whether a wake waits to be answered, so that the machine must not sleep.
    fn is_woken(&self) -> bool;
}

/// The root of the machines that the runtime starts: they serve until it shuts down.
pub(crate) struct NoRoot;

impl Root for NoRoot {
    fn poll_if_woken(&mut self, _: &Context) -> bool {
        false
    }

    fn is_woken(&self) -> bool {
        false
    }
}
