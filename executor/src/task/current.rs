//! Which task this thread is running: set around each poll, and around the drop of a future or an
//! output. And whether one has panicked.

use std::cell::Cell;

use wsrt_sync::current_task::{self, Entered};

use super::Id;

thread_local! {
    static PANICKED: Cell<bool> = const { Cell::new(false) };
}

/// Notes that a task has panicked on this thread.
pub(super) fn note_panic() {
    PANICKED.set(true);
}

/// Returns whether a task has panicked on this thread since the last call.
pub(crate) fn take_panic() -> bool {
    PANICKED.get() && PANICKED.replace(false)
}

/// The task whose code runs on this thread now.
pub(crate) fn current_id() -> Option<Id> {
    current_task::get().map(Id::from_number)
}

/// Names `id` as the current task until the guard is dropped, which names the one before it again.
/// The locks that it takes during the poll name it as their holder.
#[inline]
pub(super) fn enter(id: Id) -> Entered {
    current_task::enter(id.number())
}
