//! `ConnectionLimit`: the limit on the number of open connections.

use std::sync::Arc;

use wsrt::sync::{OwnedSemaphorePermit, Semaphore};

/// The share of the process's descriptors that connections may take by default, in quarters: the
/// rest is for the service's own files and sockets.
const QUARTERS: usize = 3;

/// The limit on the number of open connections. The accept loop takes a slot before it accepts a
/// connection, and the connection's task returns the slot when the task ends.
#[derive(Debug)]
pub(super) struct ConnectionLimit(Option<Arc<Semaphore>>);

/// A connection's slot, which becomes free again when this value is dropped.
#[derive(Debug)]
pub(super) struct ConnectionSlot {
    _held: Option<OwnedSemaphorePermit>,
}

impl ConnectionLimit {
    pub(super) fn new(limit: Option<usize>) -> Self {
        Self(limit.map(|limit| Arc::new(Semaphore::new(limit.min(Semaphore::MAX_PERMITS)))))
    }

    /// Waits for a free slot.
    pub(super) async fn take(&self) -> ConnectionSlot {
        let Some(slots) = &self.0 else { return ConnectionSlot { _held: None } };
        let held = Arc::clone(slots).acquire_owned().await;
        ConnectionSlot { _held: Some(held.expect("nothing closes the semaphore")) }
    }
}

/// Returns the default limit: three quarters of the file descriptors that the process may have
/// open, or `None` if the OS sets no limit.
pub(super) fn usual_limit() -> Option<usize> {
    let descriptors = open_file_limit()?;
    Some((descriptors / 4 * QUARTERS).max(1))
}

#[cfg(unix)]
fn open_file_limit() -> Option<usize> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the pointer is to a live value of the type that the call writes.
    let status = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) };
    if status != 0 || limit.rlim_cur == libc::RLIM_INFINITY {
        return None;
    }
    usize::try_from(limit.rlim_cur).ok()
}

#[cfg(not(unix))]
fn open_file_limit() -> Option<usize> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio_test::task::spawn;
    use tokio_test::{assert_pending, assert_ready};

    #[test]
    fn a_slot_is_free_again_once_it_is_dropped() {
        let limit = ConnectionLimit::new(Some(2));
        let first = assert_ready!(spawn(limit.take()).poll());
        let _second = assert_ready!(spawn(limit.take()).poll());
        let mut third = spawn(limit.take());
        assert_pending!(third.poll());
        drop(first);
        assert!(third.is_woken());
        let _third = assert_ready!(third.poll());
    }

    #[test]
    fn without_a_limit_there_is_always_a_slot() {
        let limit = ConnectionLimit::new(None);
        let taken: Vec<ConnectionSlot> = (0..1000).map(|_| assert_ready!(spawn(limit.take()).poll())).collect();
        assert_eq!(taken.len(), 1000);
    }
}
