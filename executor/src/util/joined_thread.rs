//! A thread that is joined when its handle is dropped.

use crate::util::sync::thread::JoinHandle;

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
