//! Whether this thread has woken one that waits beside the machines, in `block_on` of a
//! multi-thread runtime.

use super::Context;

impl Context {
    /// Notes that such a thread was woken here.
    pub(crate) fn note_woken_sleeper(&self) {
        self.has_woken_sleeper.set(true);
    }

    /// Whether one was, since this was last asked.
    pub(crate) fn take_woken_sleeper(&self) -> bool {
        self.has_woken_sleeper.replace(false)
    }
}
