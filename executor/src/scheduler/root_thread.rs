//! The thread that is in `Runtime::block_on` of a current-thread runtime: of several, the first.

use crate::util::sync::atomic::AtomicU64;
use crate::util::sync::atomic::Ordering::Relaxed;
use crate::util::thread_key::ThreadKey;

/// No thread.
const NONE: u64 = 0;

/// Which thread that is, if any: its key.
///
/// Relaxed: the one question is whether it is the thread that asks, which sees its own writes.
#[derive(Debug)]
pub(crate) struct RootThread(AtomicU64);

impl RootThread {
    pub(crate) fn new() -> Self {
        Self(AtomicU64::new(NONE))
    }

    /// Makes it the current thread until the guard is dropped, unless there is one.
    #[must_use]
    pub(crate) fn enter(&self) -> Option<InRoot<'_>> {
        let key = ThreadKey::of_this_thread().number();
        // Not `then_some`: a guard that is made has to be dropped.
        self.0.compare_exchange(NONE, key, Relaxed, Relaxed).is_ok().then(|| InRoot(self))
    }

    /// Whether it is the current thread.
    pub(crate) fn is_current(&self) -> bool {
        self.0.load(Relaxed) == ThreadKey::of_this_thread().number()
    }
}

/// The thread is the one.
pub(crate) struct InRoot<'a>(&'a RootThread);

impl Drop for InRoot<'_> {
    fn drop(&mut self) {
        self.0.0.store(NONE, Relaxed);
    }
}
