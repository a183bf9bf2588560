//! One word of a task with two uses that never meet: the link of the queue that its runnable is in,
//! and, while it waits and is in no queue, its wait.
//!
//! # The word
//!
//! | value | means | written by |
//! |---|---|---|
//! | a pointer to a header, or null | the next in the queue; null: none, or nothing is known | the holder of the runnable; in the injector also the pusher of the next one |
//! | the lowest bit is set | a wait, as [`Wait::pack`] makes it | the machine that polls the task, before it gives up its claim |
//!
//! The wait is stored after each poll that returns pending, null if the poll has noted none, so it
//! is never an earlier poll's. A queue that takes the runnable writes over it before it
//! reads. Dumps read the word at any time and act on waits only, whose pointers stay valid for
//! ever.

use super::header::Header;
use crate::util::sync::atomic::AtomicPtr;
use crate::util::sync::atomic::Ordering::Relaxed;
use wsrt_sync::wait::Wait;

pub(crate) struct QueueLink {
    word: AtomicPtr<Header>,
}

impl QueueLink {
    pub(super) fn new() -> Self {
        Self { word: AtomicPtr::new(std::ptr::null_mut()) }
    }

    /// The link, for the queue that holds the runnable.
    #[inline]
    pub(super) fn link(&self) -> &AtomicPtr<Header> {
        &self.word
    }

    /// Keeps the wait of the poll that has just returned pending, packed.
    ///
    /// Relaxed: the Release of [`pause`](super::state::State::pause), which follows, puts this
    /// before every use of the word as a link.
    #[inline]
    pub(super) fn keep_wait(&self, packed: *const ()) {
        self.word.store(packed.cast_mut().cast(), Relaxed);
    }

    /// The wait that is kept here, if the task is in no queue and its last poll has noted one.
    ///
    /// Relaxed: a wait refers to nothing that is written.
    pub(super) fn wait(&self) -> Option<Wait> {
        let word = self.word.load(Relaxed);
        // SAFETY: pointers to headers are aligned, so one with its lowest bit set is a wait.
        unsafe { Wait::unpack(word.cast_const().cast()) }
    }
}
