//! Collects panics of tasks whose join handles never reported them, on a thread that drives a
//! simulation.

use std::cell::RefCell;
use std::panic::Location;

/// The panic of a task that no join handle has reported.
#[derive(Debug)]
pub struct UnreadPanic {
    /// The id of the task that panicked.
    pub task: u64,
    /// The source location at which the task was spawned.
    pub spawned_at: &'static Location<'static>,
    /// The panic message.
    pub message: String,
}

thread_local! {
    /// The panics collected since the last call of `take`, if this thread collects panics.
    static LISTED: RefCell<Option<Vec<UnreadPanic>>> = const { RefCell::new(None) };
}

/// A guard that collects unread panics on the current thread, as returned by [`list_panics`].
#[must_use = "it lasts until the guard is dropped"]
#[derive(Debug)]
pub struct ListedPanics(Option<Vec<UnreadPanic>>);

/// Starts collecting unread panics on the current thread, until the returned guard is dropped.
pub fn list_panics() -> ListedPanics {
    ListedPanics(LISTED.replace(Some(Vec::new())))
}

impl Drop for ListedPanics {
    fn drop(&mut self) {
        let _ = LISTED.replace(self.0.take());
    }
}

/// Removes and returns all panics that this thread has collected so far.
pub fn take() -> Vec<UnreadPanic> {
    LISTED.with_borrow_mut(|listed| listed.as_mut().map(std::mem::take)).unwrap_or_default()
}

/// Adds the panic that `make` returns to this thread's list. If the thread does not collect panics,
/// `make` is not called.
pub fn note(make: impl FnOnce() -> UnreadPanic) {
    let note = |listed: &RefCell<Option<Vec<UnreadPanic>>>| {
        if let Some(listed) = listed.borrow_mut().as_mut() {
            listed.push(make());
        }
    };
    let _ = LISTED.try_with(note);
}
