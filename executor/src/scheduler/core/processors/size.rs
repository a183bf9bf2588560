//! How many processors are regular: the number moves below the room that there is for them.
//!
//! Processors in play are the regular ones and the spares. To shrink is to call one of them a spare
//! that is due, and leave it to the protocol for spares: the thread that finds it idle takes it out
//! of play, or its holder does when its poll is over. To grow is to take such a call back, or to
//! put one into play. A processor on an errand goes and comes by itself, so neither waits for one.

use super::{Parked, Processors};
use crate::scheduler::core::processor::Processor;
use crate::util::sync::atomic::Ordering::{Relaxed, Release};

impl Processors {
    /// How many processors were regular when the runtime was built.
    pub(crate) fn built(&self) -> usize {
        self.built
    }

    /// How many were regular at most so far: those below this index were all made.
    pub(crate) fn most_regular(&self) -> usize {
        self.most_regular.load(Relaxed)
    }

    /// Lets one processor more be regular. Returns one that the caller puts on the list of the
    /// idle, unless one that was about to go stays.
    #[must_use]
    pub(crate) fn grow(&self) -> Option<Box<Processor>> {
        let mut parked = self.parked.lock();
        let regular = self.regular() + 1;
        let is_away = parked.processors.last().is_some_and(|lowest| lowest.index() < regular);
        let mut added = None;
        if !is_away && parked.retirements_due > 0 {
            parked.retirements_due -= 1;
            self.note_whether_due(&parked);
        } else {
            added = self.put_one_into_play(&mut parked);
            if added.is_none() && self.lasting(&parked) == 0 {
                // All that there may be are in play, and each spare is on an errand: the last of
                // them to end stays.
                parked.errands -= 1;
            }
        }
        self.most_regular.store(regular.max(self.most_regular()), Relaxed);
        // Release pairs with the Acquire in `take_timer_turn`: the processor was made, and is among
        // those that are looked at.
        self.regular.store(regular, Release);
        added
    }

    /// Lets one processor less be regular. One is due to go out of play then.
    pub(crate) fn shrink(&self) {
        let mut parked = self.parked.lock();
        let regular = self.regular() - 1;
        assert!(regular > 0, "a runtime has one processor at least");
        self.regular.store(regular, Relaxed);
        parked.retirements_due += 1;
        self.note_whether_due(&parked);
    }

    /// How many processors are to be taken out of play by their holders, or the thread that finds
    /// them idle.
    pub(crate) fn retirements_due(&self) -> usize {
        self.parked.lock().retirements_due
    }

    pub(super) fn note_whether_due(&self, parked: &Parked) {
        self.is_retirement_due.store(parked.retirements_due > 0, Relaxed);
    }
}
