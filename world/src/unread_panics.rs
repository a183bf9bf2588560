//! The panics that no handle tells of, listed on a thread that asks for it: one that drives a
//! simulation.

use std::cell::RefCell;
use std::panic::Location;

/// The panic of a task that no join handle has told of.
#[derive(Debug)]
pub struct UnreadPanic {
    /// The id of the task.
    pub task: u64,
    /// The place where the task was spawned.
    pub spawned_at: &'static Location<'static>,
    /// The message of the panic.
    pub message: String,
}

thread_local! {
    /// The panics since they were last taken, if this thread lists them.
    static LISTED: RefCell<Option<Vec<UnreadPanic>>> = const { RefCell::new(None) };
}

/// A thread lists its panics, until this is dropped.
#[must_use = "it lasts until the guard is dropped"]
#[derive(Debug)]
pub struct ListedPanics(Option<Vec<UnreadPanic>>);

/// Lists the panics of this thread, until the guard is dropped.
pub fn list_panics() -> ListedPanics {
    ListedPanics(LISTED.replace(Some(Vec::new())))
}

impl Drop for ListedPanics {
    fn drop(&mut self) {
        let _ = LISTED.replace(self.0.take());
    }
}

/// Takes the panics that this thread has listed.
pub fn take() -> Vec<UnreadPanic> {
    LISTED.with_borrow_mut(|listed| listed.as_mut().map(std::mem::take)).unwrap_or_default()
}

/// Lists the panic that `make` makes, if this thread lists them: it is dropped here unread.
pub fn note(make: impl FnOnce() -> UnreadPanic) {
    let note = |listed: &RefCell<Option<Vec<UnreadPanic>>>| {
        if let Some(listed) = listed.borrow_mut().as_mut() {
            listed.push(make());
        }
    };
    let _ = LISTED.try_with(note);
}
