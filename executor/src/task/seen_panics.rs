//! The panics that no handle tells of, listed on a thread that asks for it: one that drives a
//! simulation.

use std::any::Any;
use std::cell::RefCell;
use std::panic::Location;

use super::{TaskRef, panic_message};

/// The panic of a task that had no join handle.
pub(crate) struct SeenPanic {
    pub(crate) task: u64,
    pub(crate) spawned_at: &'static Location<'static>,
    pub(crate) message: String,
}

thread_local! {
    /// Those since they were last taken, if this thread lists them.
    static SEEN: RefCell<Option<Vec<SeenPanic>>> = const { RefCell::new(None) };
}

/// This thread lists them, until this is dropped.
pub(crate) struct ListedPanics(Option<Vec<SeenPanic>>);

pub(crate) fn list_panics() -> ListedPanics {
    ListedPanics(SEEN.replace(Some(Vec::new())))
}

impl Drop for ListedPanics {
    fn drop(&mut self) {
        let _ = SEEN.replace(self.0.take());
    }
}

/// Takes those of this thread.
pub(crate) fn take_seen_panics() -> Vec<SeenPanic> {
    SEEN.with_borrow_mut(|seen| seen.as_mut().map(std::mem::take)).unwrap_or_default()
}

/// A task has panicked here.
pub(super) fn note_panic(task: &TaskRef, payload: &(dyn Any + Send)) {
    let meta = task.meta();
    if meta.has_join_handle() {
        return;
    }
    let note = |seen: &RefCell<Option<Vec<SeenPanic>>>| {
        let message = panic_message(payload).unwrap_or("with a value that is no text").to_owned();
        let panic = SeenPanic { task: meta.id().as_u64(), spawned_at: meta.spawned_at(), message };
        if let Some(seen) = seen.borrow_mut().as_mut() {
            seen.push(panic);
        }
    };
    let _ = SEEN.try_with(note);
}
