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

/// Calls `f` with `id` as the current task, then names the one before it again: a task that blocks on a future of its own
/// may run others in its middle.
pub(super) fn within<R>(id: Id, f: impl FnOnce() -> R) -> R {
    CURRENT.with(|current| {
        let _outer = Outer { id: current.replace(Some(id)), current };
        f()
    })
}

/// Names the outer task again when it is dropped.
struct Outer<'a> {
    id: Option<Id>,
    current: &'a Cell<Option<Id>>,
}

impl Drop for Outer<'_> {
    fn drop(&mut self) {
        self.current.set(self.id);
    }
}
