//! Where the system's thread waits for its turn.

use std::sync::{Condvar, Mutex, PoisonError};

/// Closed, until another thread opens it for one passage.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    open: Mutex<bool>,
    on_open: Condvar,
}

impl Gate {
    pub(crate) fn open(&self) {
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.on_open.notify_one();
    }

    /// Waits until it is open, and closes it.
    pub(crate) fn pass(&self) {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let is_closed = |open: &mut bool| !*open;
        *self.on_open.wait_while(open, is_closed).unwrap_or_else(PoisonError::into_inner) = false;
    }
}
