//! All processors of a runtime: N of them, and room for spares.

#![expect(clippy::vec_box, reason = "the box is the right to run tasks, and moves from hand to hand")]

use std::sync::OnceLock;

use crossbeam_utils::CachePadded;

use crate::scheduler::processor::{Processor, Shared};
use crate::util::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use crate::util::sync::atomic::{AtomicBool, AtomicUsize};
use crate::util::sync::{Arc, Mutex};

/// The part of the processors that all threads see, by index, and the spares that are not in play.
///
/// The first N are there from the start. A spare is made when it is first wanted, at the lowest
/// index that is free, and kept when it is not wanted any more: it is *out of play* then, with
/// empty queues. Timers may be left in it, so that such a processor stays in len until they are
/// gone.
pub(crate) struct Processors {
    slots: Box<[OnceLock<Arc<CachePadded<Shared>>>]>,
    /// Slots below this are filled and to be looked at.
    scan_len: AtomicUsize,
    parked: Mutex<ParkedSpares>,
    /// Whether anything is due, for holders to look at without the lock. Relaxed: the
    /// count under the lock decides.
    is_retirement_due: AtomicBool,
    /// Where timers armed by threads without a processor went last: they take turns. Relaxed: it
    /// spreads them, and guards nothing.
    timer_turn: AtomicUsize,
    regular: usize,
}

#[derive(Debug, Default)]
struct ParkedSpares {
    /// Sorted by index, the lowest last.
    processors: Vec<Box<Processor>>,
    /// How many processors there are, in play or out of it.
    made: usize,
    /// Processors in play beyond the regular number.
    spares: usize,
    /// How many of them are on errands, and go by themselves.
    errands: usize,
    /// How many of the others their holders are to take out of play.
    retirements_due: usize,
}

impl ParkedSpares {
    fn lasting(&self) -> usize {
        self.spares - self.errands - self.retirements_due
    }
}

impl Processors {
    /// Makes `regular` processors and room for as many spares as makes `most` in all. Returns the
    /// regular ones too, which the caller puts into play.
    pub(crate) fn new(regular: usize, most: usize) -> (Self, Vec<Box<Processor>>) {
        let processors = Self {
            slots: (0..most.max(regular)).map(|_| OnceLock::new()).collect(),
            scan_len: AtomicUsize::new(regular),
            parked: Mutex::new(ParkedSpares { made: regular, ..ParkedSpares::default() }),
            is_retirement_due: AtomicBool::new(false),
            timer_turn: AtomicUsize::new(0),
            regular,
        };
        let owned = (0..regular).map(|index| processors.make(index)).collect();
        (processors, owned)
    }

    fn make(&self, index: usize) -> Box<Processor> {
        let processor = Box::new(Processor::new(index, self.regular, self.slots.len()));
        let filled = self.slots[index].set(processor.shared_handle());
        assert!(filled.is_ok(), "processor {index} was made twice");
        processor
    }

    /// The number of processors that run tasks when none of them is stuck.
    pub(crate) fn regular(&self) -> usize {
        self.regular
    }

    /// How many there may be, spares included.
    pub(crate) fn capacity(&self) -> usize {
        self.slots.len()
    }

    /// Processors in play beyond the regular number.
    pub(crate) fn spares(&self) -> usize {
        self.parked.lock().spares
    }

    /// Whether there is no spare to be put into play.
    pub(crate) fn are_all_in_play(&self) -> bool {
        self.regular + self.spares() >= self.capacity()
    }

    /// How many there are to be looked at, with indices from 0.
    #[inline]
    pub(crate) fn scan_len(&self) -> usize {
        // Acquire pairs with the Release in `put_into_play`: the slots below are filled.
        self.scan_len.load(Acquire)
    }

    pub(crate) fn get(&self, index: usize) -> &Shared {
        self.slots[index].get().expect("a processor in len was made")
    }

    /// All that were ever made, those out of play included: their counts stay.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Shared> {
        self.slots.iter().map_while(|slot| slot.get().map(|shared| &***shared))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Shared> {
        self.slots[..self.scan_len()].iter().filter_map(|slot| slot.get().map(|shared| &***shared))
    }

    /// The processor whose queue takes the next timer of a thread that holds none.
    pub(crate) fn take_timer_turn(&self) -> &Shared {
        self.get(self.timer_turn.fetch_add(1, Relaxed) % self.regular)
    }

    /// The earliest deadline of all timers, or `u64::MAX`.
    pub(crate) fn earliest_deadline(&self) -> u64 {
        self.iter().map(|processor| processor.timers().next_deadline()).min().unwrap_or(u64::MAX)
    }

    /// The earliest deadline, timers aside that were cancelled or put off: for callers that need to
    /// know which moment is the next. Takes every queue's lock.
    pub(crate) fn next_deadline(&self) -> u64 {
        self.iter().map(|processor| processor.timers().settle()).min().unwrap_or(u64::MAX)
    }

    /// Takes a spare, made if need be, to be put into play by the caller. `None` at the limit.
    pub(crate) fn put_into_play(&self) -> Option<Box<Processor>> {
        self.put_one_into_play(&mut self.parked.lock())
    }

    /// Takes a spare for an errand that ends at `end`, unless as many are on errands as there are
    /// regular processors.
    pub(crate) fn send_on_errand(&self, end: u64) -> Option<Box<Processor>> {
        let mut parked = self.parked.lock();
        if parked.errands >= self.regular {
            return None;
        }
        let mut processor = self.put_one_into_play(&mut parked)?;
        parked.errands += 1;
        processor.begin_errand(end);
        Some(processor)
    }

    /// Counts a processor out whose errand is over. Its holder has to take it out of play then.
    pub(crate) fn end_errand(&self, processor: &mut Processor) -> RetireRequest {
        processor.end_errand();
        let mut parked = self.parked.lock();
        parked.errands -= 1;
        parked.spares -= 1;
        RetireRequest(())
    }

    fn put_one_into_play(&self, parked: &mut ParkedSpares) -> Option<Box<Processor>> {
        let processor = match parked.processors.pop() {
            Some(processor) => {
                processor.shared().timers().end_rest();
                processor
            }
            None => {
                let index = parked.made;
                let processor = (index < self.slots.len()).then(|| self.make(index))?;
                parked.made += 1;
                processor
            }
        };
        parked.spares += 1;
        let len = self.scan_len().max(processor.index() + 1);
        // Release pairs with the Acquire in `scan_len`.
        self.scan_len.store(len, Release);
        Some(processor)
    }

    /// How many spares are in play, not counting those that are due or on errands.
    pub(crate) fn lasting_spares(&self) -> usize {
        self.parked.lock().lasting()
    }

    /// Asks that one holder of a processor, whichever comes first, takes it out of play.
    pub(crate) fn ask_for_one(&self) {
        let mut parked = self.parked.lock();
        if parked.lasting() > 0 {
            parked.retirements_due += 1;
            self.is_retirement_due.store(true, Relaxed);
        }
    }

    /// Whether a holder should give up its processor.
    #[inline]
    pub(crate) fn is_retirement_due(&self) -> bool {
        self.is_retirement_due.load(Relaxed)
    }

    /// Takes the request of one processor upon the caller. It has to take one out of play then.
    #[must_use]
    pub(crate) fn take_retire_request(&self) -> Option<RetireRequest> {
        let mut parked = self.parked.lock();
        parked.retirements_due = parked.retirements_due.checked_sub(1)?;
        parked.spares -= 1;
        self.is_retirement_due.store(parked.retirements_due > 0, Relaxed);
        Some(RetireRequest(()))
    }

    /// Makes a request for the watcher, which has found an idle processor. `None` if no spare is in
    /// play that is not due.
    #[must_use]
    pub(crate) fn make_retire_request(&self) -> Option<RetireRequest> {
        let mut parked = self.parked.lock();
        if parked.lasting() == 0 {
            return None;
        }
        parked.spares -= 1;
        Some(RetireRequest(()))
    }

    /// Counts the spare of a request as in play again, since no processor was found to pay with.
    pub(crate) fn withdraw_retire_request(&self, RetireRequest(()): RetireRequest) {
        self.parked.lock().spares += 1;
    }

    /// Takes a processor out of play, its queues empty.
    pub(crate) fn take_out_of_play(&self, processor: Box<Processor>, RetireRequest(()): RetireRequest) {
        debug_assert!(processor.has_no_task(), "a processor goes out of play with empty queues");
        // Timers that were cancelled would keep it among those that are looked at until they are
        // due, perhaps for days.
        processor.shared().timers().begin_rest();
        if processor.shared().timers().next_deadline() != u64::MAX {
            let _ = processor.shared().timers().settle();
        }
        let mut parked = self.parked.lock();
        let at = parked.processors.partition_point(|other| other.index() > processor.index());
        parked.processors.insert(at, processor);
        self.shrink_scan(&parked);
    }

    /// Looks no more at processors out of play with the highest indices, once they hold no timers.
    /// Called with the lock held.
    fn shrink_scan(&self, parked: &ParkedSpares) {
        let mut len = self.scan_len();
        for processor in &parked.processors {
            let is_last = processor.index() + 1 == len;
            if !is_last || len == self.regular || !processor.shared().timers().is_empty() {
                break;
            }
            len -= 1;
        }
        self.scan_len.store(len, Release);
    }
}

/// The duty to take one processor out of play; it has been counted out already, so that no second
/// one goes for the same reason.
#[derive(Debug)]
#[must_use]
pub(crate) struct RetireRequest(());

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn spares_are_made_up_to_the_limit_and_used_again() {
        let (processors, owned) = Processors::new(2, 4);
        assert_eq!(owned.len(), 2);
        let first = processors.put_into_play().expect("room for two spares");
        let second = processors.put_into_play().expect("room for two spares");
        assert_eq!((first.index(), second.index(), processors.scan_len(), processors.spares()), (2, 3, 4, 2));
        assert!(processors.put_into_play().is_none());
        processors.ask_for_one();
        let request = processors.take_retire_request().expect("one is due");
        assert!(processors.take_retire_request().is_none(), "one was");
        processors.take_out_of_play(first, request);
        assert_eq!(processors.scan_len(), 4, "the spare with the highest index is in play");
        processors.take_out_of_play(second, processors.make_retire_request().expect("one spare is in play"));
        assert!(processors.make_retire_request().is_none(), "none is in play");
        assert_eq!((processors.scan_len(), processors.spares()), (2, 0));
        assert_eq!(processors.put_into_play().expect("two are parked").index(), 2);
    }

    #[test]
    fn timers_cancelled_out_of_play_keep_no_processor_looked_at() {
        let (processors, _owned) = Processors::new(1, 3);
        let spares = [(); 2].map(|()| processors.put_into_play().expect("room for two spares"));
        let timers: Vec<_> = (0..40).map(|_| wsrt_reactor::timer::TimerEntry::new()).collect();
        for (timer, deadline) in timers.iter().zip(1000..) {
            let _ = spares[1].shared().timers().arm(timer, deadline);
        }
        let [first, last] = spares;
        processors.take_out_of_play(last, processors.make_retire_request().expect("two spares are in play"));
        assert_eq!(processors.scan_len(), 3, "it has timers");
        timers.iter().for_each(|timer| timer.cancel());
        assert_eq!(processors.get(2).timers().len(), 0);
        processors.take_out_of_play(first, processors.make_retire_request().expect("one spare is in play"));
        assert_eq!(processors.scan_len(), 1);
    }

    #[test]
    fn a_regular_processor_may_go_while_a_spare_stays() {
        let (processors, mut owned) = Processors::new(1, 2);
        let _spare = processors.put_into_play().expect("room for one spare");
        processors.take_out_of_play(owned.remove(0), processors.make_retire_request().expect("one spare is in play"));
        assert_eq!((processors.scan_len(), processors.spares()), (2, 0));
        assert_eq!(processors.put_into_play().expect("one is parked").index(), 0);
    }
}
