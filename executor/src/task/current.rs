//! Which task this thread is running: set around each poll, and around the drop of a future or an
//! output. And whether one has panicked.

use std::cell::Cell;
use std::ptr::NonNull;

use super::Id;

thread_local! {
    static CURRENT: Cell<Option<Id>> = const { Cell::new(None) };
    static PANICKED: Cell<bool> = const { Cell::new(false) };
}

/// Notes that a task has panicked on this thread.
pub(super) fn note_panic() {
    PANICKED.set(true);
}

/// Whether a task has panicked on this thread since the last call.
pub(crate) fn take_panic() -> bool {
    PANICKED.get() && PANICKED.replace(false)
}

/// The task whose code runs on this thread now.
pub(crate) fn current_id() -> Option<Id> {
    CURRENT.get()
}

/// Names `id` as the current task until the guard is dropped, which names the one before it again:
/// a task that blocks on a future of its own may run others in its middle.
///
/// The guard goes back to the place that it has found, since to look it up once more costs a call.
#[inline]
pub(super) fn enter(id: Id) -> Entered {
    let current = CURRENT.with(|current| NonNull::from(current));
    // SAFETY: it was a reference just now.
    let outer = unsafe { current.as_ref() }.replace(Some(id));
    Entered { current, outer }
}

/// Not Send: it stands for a place of this thread's.
#[must_use = "the id is current only while the guard lives"]
pub(super) struct Entered {
    current: NonNull<Cell<Option<Id>>>,
    outer: Option<Id>,
}

impl Drop for Entered {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the guard is still on the thread whose place this is, and that has no destructor:
        // it is there as long as the thread is.
        unsafe { self.current.as_ref() }.set(self.outer);
    }
}
