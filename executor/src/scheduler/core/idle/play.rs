//! Spares that come into play, and processors that go out of it.

use super::Idle;
use crate::scheduler::core::processor::Processor;
use crate::util::sync::atomic::Ordering::Relaxed;

impl Idle {
    /// Puts a spare on the list of the idle, from where it is chosen like any other.
    pub(crate) fn add(&self, processor: Box<Processor>) {
        self.in_play.fetch_add(1, Relaxed);
        self.give_up(processor, None);
    }

    /// Counts a spare that its holder takes straight on an errand: it is never on the list.
    pub(crate) fn add_busy(&self, processor: &Processor) {
        self.in_play.fetch_add(1, Relaxed);
        self.mask.set_busy(processor.index());
        self.watcher.wake_if_asleep();
    }

    /// Takes an idle processor out of play, the one with the highest index, if that is `least` or
    /// more. It stays marked as idle, so that thieves pass it by.
    pub(crate) fn remove_from(&self, least: usize) -> Option<Box<Processor>> {
        let mut waiting = self.waiting.lock();
        let candidates = waiting.processors.iter().enumerate().filter(|(_, processor)| processor.index() >= least);
        let (at, _) = candidates.max_by_key(|(_, processor)| processor.index())?;
        // After the look: a reserved processor that turned out to be none to go could not be given
        // back without another look at the queues. One that all others were reserved beside is
        // theirs.
        if !self.word.claim_idle() {
            return None;
        }
        self.in_play.fetch_sub(1, Relaxed);
        Some(waiting.processors.remove(at))
    }

    /// Takes a processor out of play whose holder gives it up for that, and stops searching if it
    /// did.
    pub(crate) fn retire_for_good(&self, processor: &mut Processor) -> bool {
        let searched = self.checked_in(processor);
        self.in_play.fetch_sub(1, Relaxed);
        searched && self.stop_searching()
    }
}
