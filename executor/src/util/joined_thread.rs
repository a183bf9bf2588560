//! Threads that are waited for: in the drop of a handle, or all of a runtime's.

use crate::util::sync::thread::{self, JoinHandle};

/// Waits until `threads`, which have left their runtime, are gone. Not the calling one, which may
/// be among them: it drops the runtime in the destructor of a thread-local.
pub(crate) fn join_others(threads: Vec<JoinHandle<()>>) {
    let own = thread::current().id();
    for thread in threads.into_iter().filter(|thread| thread.thread().id() != own) {
        // An error is a panic of the thread, which has printed its message.
        let _ = thread.join();
    }
}

/// Waits for its thread in its drop. A field of this type comes after those whose drops end the
/// thread.
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
