//! The panics that no handle tells of, listed on a thread that asks for it: one that drives a
//! simulation.

use std::any::Any;
use std::cell::RefCell;
use std::panic::Location;

use super::header::Header;
use super::panic_message;
use crate::util::unwind::WaitLeft;

/// The panic of a task that no join handle has told of.
pub(crate) struct SeenPanic {
    pub(crate) task: u64,
    pub(crate) spawned_at: &'static Location<'static>,
    pub(crate) message: String,
}

thread_local! {
    /// The panics since they were last taken, if this thread lists them.
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

/// Takes the panics of this thread.
pub(crate) fn take_seen_panics() -> Vec<SeenPanic> {
    SEEN.with_borrow_mut(|seen| seen.as_mut().map(std::mem::take)).unwrap_or_default()
}

/// A panic of this task is dropped here unread: it had no join handle, or has one no more.
pub(super) fn note_unread(task: &Header, payload: &(dyn Any + Send)) {
    if payload.is::<WaitLeft>() {
        return;
    }
    let note = |seen: &RefCell<Option<Vec<SeenPanic>>>| {
        if let Some(seen) = seen.borrow_mut().as_mut() {
            let message = panic_message(payload).unwrap_or("with a value that is no text").to_owned();
            seen.push(SeenPanic { task: task.id.as_u64(), spawned_at: task.spawned_at(), message });
        }
    };
    let _ = SEEN.try_with(note);
}
