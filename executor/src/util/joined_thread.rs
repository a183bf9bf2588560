//! Joins threads: one when its handle is dropped, or all threads of a runtime.

use crate::util::sync::thread::{self, JoinHandle};

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
