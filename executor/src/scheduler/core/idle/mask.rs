//! The idle mask: which processors thieves need not visit.

use crate::util::sync::atomic::AtomicBool;
use crate::util::sync::atomic::Ordering::Relaxed;

/// A flag for each processor, set while it is idle, so that thieves pass it by. A hint: the look
/// before sleeping goes to every ring, whatever the mask says.
///
/// Written with plain stores, by the thread that has the processor in hand.
#[derive(Debug)]
pub(super) struct IdleMask(Box<[AtomicBool]>);

impl IdleMask {
    pub(super) fn new(processors: usize) -> Self {
        Self((0..processors).map(|_| AtomicBool::new(false)).collect())
    }

    pub(super) fn set_idle(&self, processor: usize) {
        self.0[processor].store(true, Relaxed);
    }

    pub(super) fn set_busy(&self, processor: usize) {
        self.0[processor].store(false, Relaxed);
    }

    pub(super) fn is_idle(&self, processor: usize) -> bool {
        self.0[processor].load(Relaxed)
    }
}
