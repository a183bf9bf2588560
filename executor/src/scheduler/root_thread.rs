//! The thread that is in `Runtime::block_on` of a current-thread runtime: of several, the first.

use crate::util::sync::Mutex;
use crate::util::sync::thread::{self, ThreadId};

/// Which thread that is, if any.
#[derive(Debug, Default)]
pub(crate) struct RootThread(Mutex<Option<ThreadId>>);

impl RootThread {
    /// Makes it the current thread until the guard is dropped, unless there is one.
    #[must_use]
    pub(crate) fn enter(&self) -> Option<InRoot<'_>> {
        let mut thread = self.0.lock();
        let is_free = thread.is_none();
        if is_free {
            *thread = Some(thread::current().id());
        }
        // Not `then_some`: a guard that is made has to be dropped, and the lock is held.
        is_free.then(|| InRoot(self))
    }

    /// Whether it is the current thread.
    pub(crate) fn is_current(&self) -> bool {
        *self.0.lock() == Some(thread::current().id())
    }
}

/// The thread is the one.
pub(crate) struct InRoot<'a>(&'a RootThread);

impl Drop for InRoot<'_> {
    fn drop(&mut self) {
        *self.0.0.lock() = None;
    }
}
