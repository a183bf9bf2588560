//! Which task this thread is running: set around each poll, and around the drop of a future or an output.

use std::cell::Cell;

use super::Id;

thread_local! {
    static CURRENT: Cell<Option<Id>> = const { Cell::new(None) };
}

/// The task whose code runs on this thread now.
pub(crate) fn current_id() -> Option<Id> {
    CURRENT.get()
}

/// Names `id` as the current task until the guard is dropped, which names the one before it again: a task that blocks
/// on a future of its own may run others in its middle.
pub(super) fn enter(id: Id) -> Entered {
    Entered { outer: CURRENT.replace(Some(id)) }
}

#[must_use = "the id is current only while the guard lives"]
pub(super) struct Entered {
    outer: Option<Id>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.set(self.outer);
    }
}
