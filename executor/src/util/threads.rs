//! Threads of the process: a key of each one, and handles that join them.
//!
//! Unlike an OS thread ID, a key is never reused; unlike std's `ThreadId`, a key is read without
//! touching a reference count.

use std::cell::Cell;
use std::num::NonZeroU64;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use crate::util::sync::thread::{self, JoinHandle};

/// The next unused key. Part of no protocol: the only requirement is that keys differ.
static NEXT: AtomicU64 = AtomicU64::new(1);

thread_local! {
    /// The key of this thread, once requested. Has no destructor.
    static OWN: Cell<Option<ThreadKey>> = const { Cell::new(None) };
}

/// The unique key of one thread.
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

    /// Returns the key as a number, which is not zero.
    pub(crate) fn number(self) -> u64 {
        self.0.get()
    }
}

/// Joins `threads`, which have left their runtime, except for the calling thread, which may be
/// among them if a thread-local's destructor drops the runtime.
pub(crate) fn join_others(threads: Vec<JoinHandle<()>>) {
    let own = thread::current().id();
    for thread in threads.into_iter().filter(|thread| thread.thread().id() != own) {
        // An error is a panic of the thread, which has printed its message.
        let _ = thread.join();
    }
}

/// A handle that joins its thread when dropped. Declare the field after the fields whose drops end
/// the thread.
#[derive(Debug)]
pub(crate) struct JoinedThread(Option<JoinHandle<()>>);

impl JoinedThread {
    pub(crate) fn new(thread: JoinHandle<()>) -> Self {
        Self(Some(thread))
    }
}

impl Drop for JoinedThread {
    fn drop(&mut self) {
        if let Some(thread) = self.0.take() {
            // An error is a panic of the thread, which has printed its message.
            let _ = thread.join();
        }
    }
}

#[cfg(all(test, not(wsrt_loom)))]
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
