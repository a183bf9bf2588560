//! The key of a thread: a number that no other thread of the process has, or had before.
//!
//! Unlike the OS's number it is never given out again, and unlike std's `ThreadId` it is read
//! without touching a reference count.

use std::cell::Cell;
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The first key that no thread has. In no protocol: all it has to be is different each time.
static NEXT: AtomicU64 = AtomicU64::new(1);

thread_local! {
    /// The key of this thread, once it was asked for. Without a destructor.
    static OWN: Cell<Option<ThreadKey>> = const { Cell::new(None) };
}

/// The key of one thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ThreadKey(NonZeroU64);

impl ThreadKey {
    /// Returns the key of the calling thread.
    #[inline]
    pub(crate) fn of_this_thread() -> Self {
        OWN.get().unwrap_or_else(Self::give)
    }

    #[cold]
    fn give() -> Self {
        let number = NonZeroU64::new(NEXT.fetch_add(1, Relaxed));
        let key = Self(number.expect("2^64 threads are not started in the life of a process"));
        OWN.set(Some(key));
        key
    }

    /// Returns it as a number, which is not zero.
    pub(crate) fn number(self) -> u64 {
        self.0.get()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::ThreadKey;

    #[test]
    fn a_thread_keeps_its_key_and_no_other_has_it() {
        let own = ThreadKey::of_this_thread();
        assert_eq!(own, ThreadKey::of_this_thread());
        let keys = [(); 2].map(|()| std::thread::spawn(ThreadKey::of_this_thread).join().expect("it does not panic"));
        assert!(own != keys[0] && own != keys[1] && keys[0] != keys[1]);
    }
}
