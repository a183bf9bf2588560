//! The resource of a lock that is made of permits, and its state in the words of that lock.

use super::{Resource, state};
use crate::wait::WaitKind;

/// The resource of a [`BatchSemaphore`](crate::batch_semaphore::BatchSemaphore).
#[derive(Debug)]
pub(crate) struct PermitsResource {
    resource: Resource,
    /// The number of permits at the beginning. A mutex or reader-writer lock keeps that number.
    all: usize,
}

impl PermitsResource {
    pub(crate) const fn new(all: usize) -> Self {
        Self { resource: Resource::new(), all }
    }

    pub(crate) fn resource(&self) -> &Resource {
        &self.resource
    }

    /// Shows the state after permits were taken or given back. `count` returns how many are free,
    /// and how many the first waiter has already.
    #[inline]
    pub(crate) fn changed(&self, count: impl FnOnce() -> (usize, usize)) {
        if let Some(shown) = self.resource.shown() {
            self.show(shown.kind, count());
        }
    }

    #[cold]
    fn show(&self, kind: WaitKind, (free, promised): (usize, usize)) {
        let held = self.all.saturating_sub(free + promised);
        match kind {
            WaitKind::Semaphore => state!(self.resource, permits = free),
            WaitKind::RwLockRead | WaitKind::RwLockWrite => {
                // As many readers as the lock allows are shown as a writer.
                let is_written = held == self.all;
                state!(self.resource, write_locked = is_written);
                state!(self.resource, current_readers = if is_written { 0 } else { held });
            }
            WaitKind::Mutex => state!(self.resource, locked = held > 0),
            // While tasks wait for a `OnceCell`, another one fills it: there is no other state.
            _ => {}
        }
    }
}
