//! The jobs of one slot: its owner pushes and pops at the young end, thieves take from the old one.
//!
//! Newest first keeps what the owner works on in its caches and the stack of waiting calls shallow.
//! Oldest first gives thieves what was split off first, which in divide and conquer is the greatest
//! part.

use crate::fork_join::JobRef;
use crate::util::sync::{OwnerEnd, ThiefEnd, owner_and_thief};

pub(super) struct JobStack {
    owner: OwnerEnd<JobRef>,
    thieves: ThiefEnd<JobRef>,
}

// SAFETY: the owner's end, which is not Sync, is reached through `push` and `pop` alone, whose
// callers promise to be the only one.
unsafe impl Sync for JobStack {}

impl JobStack {
    pub(super) fn new() -> Self {
        let (owner, thieves) = owner_and_thief();
        Self { owner, thieves }
    }

    /// Puts a job on top.
    ///
    /// # Safety
    ///
    /// The caller sits in the slot that this stack belongs to.
    #[inline]
    pub(super) unsafe fn push(&self, job: JobRef) {
        self.owner.push(job);
    }

    /// Takes the youngest job.
    ///
    /// # Safety
    ///
    /// As for [`push`](Self::push).
    #[inline]
    pub(super) unsafe fn pop(&self) -> Option<JobRef> {
        self.owner.pop()
    }

    /// Takes the oldest job.
    pub(super) fn steal(&self) -> Option<JobRef> {
        loop {
            match self.thieves.steal() {
                crossbeam_deque::Steal::Success(job) => return Some(job),
                crossbeam_deque::Steal::Empty => return None,
                crossbeam_deque::Steal::Retry => {}
            }
        }
    }

    /// Whether there is nothing to steal, just now.
    pub(super) fn is_empty(&self) -> bool {
        self.thieves.is_empty()
    }
}

impl std::fmt::Debug for JobStack {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JobStack").field("is_empty", &self.is_empty()).finish()
    }
}
