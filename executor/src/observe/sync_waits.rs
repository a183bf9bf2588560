//! Waits of tasks for locks and channels.

use std::fmt;
use std::panic::Location;

use wsrt_sync::wait::{Wait, WaitKind};

/// A lock or channel that a task waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SyncWait {
    wait: Wait,
}

impl SyncWait {
    pub(super) fn new(wait: Wait) -> Self {
        Self { wait }
    }

    /// Returns the kind of the operation.
    #[must_use]
    pub fn kind(&self) -> WaitKind {
        self.wait.kind
    }

    /// Returns the place in the source where the lock or channel was made.
    ///
    /// Where a function makes it that is `#[track_caller]`, that is the place of the call; for a
    /// field of a `#[derive(Default)]` it is the place of the field.
    #[must_use]
    pub fn made_at(&self) -> &'static Location<'static> {
        self.wait.place
    }
}

impl fmt::Display for SyncWait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} made at {}", self.kind().awaited(), self.made_at())
    }
}
