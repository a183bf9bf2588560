//! All processors of a runtime: N of them, and room for spares.

#![expect(clippy::vec_box, reason = "the box is the right to run tasks, and moves from hand to hand")]

use std::sync::OnceLock;

use crossbeam_utils::CachePadded;

use crate::scheduler::processor::{Processor, Shared};
use crate::util::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use crate::util::sync::atomic::{AtomicBool, AtomicUsize};
use crate::util::sync::{Arc, Mutex};

mod size;

/// The part of the processors that all threads see, by index, and those that are not in play.
///
/// The first N are there from the start. Another is made when it is first wanted, at the lowest
/// index that is free, and kept when it is not wanted any more: it is *out of play* then, with
/// empty queues. Timers may be left in it, so that such a processor stays in len until they are
/// gone.
///
/// How many are *regular* may change ([`size`]); the others in play are spares. Only processors
/// whose index is the regular number or more go out of play: so those in play have the lowest
/// indices, but for the moments between.
pub(crate) struct Processors {
    slots: Box<[OnceLock<Arc<CachePadded<Shared>>>]>,
    /// Slots below this are filled and to be looked at.
    scan_len: AtomicUsize,
    parked: Mutex<Parked>,
    /// Whether anything is due, for holders to look at without the lock. Relaxed: the
    /// count under the lock decides.
    is_retirement_due: AtomicBool,
    /// Where timers armed by threads without a processor went last: they take turns. Relaxed: it
    /// spreads them, and guards nothing.
    timer_turn: AtomicUsize,
    /// How many are to run tasks when none of them is stuck. Changed under the lock, and read
    /// without it. Relaxed but where it leads to a queue: else the number guards nothing.
    regular: AtomicUsize,
    /// How many were regular at the start.
    built: usize,
    /// How many were regular at most. Threads that read the number some time ago arm timers in the
    /// queues of all of these, so that they are looked at for ever. Changed under the lock; Relaxed
    /// suffices.
    most_regular: AtomicUsize,
}

#[derive(Debug, Default)]
struct Parked {
    /// Sorted by index, the lowest last.
    processors: Vec<Box<Processor>>,
    /// How many processors there are, in play or out of it.
    made: usize,
    /// Processors in play beyond the regular number.
    spares: usize,
    /// How many of them are on errands, and go by themselves.
    errands: usize,
    /// Processors on errands that count as regular by now, and stay when their errands end.
    adopted: usize,
    /// How many of the others their holders are to take out of play.
    retirements_due: usize,
}

impl Parked {
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
            parked: Mutex::new(Parked { made: regular, ..Parked::default() }),
            is_retirement_due: AtomicBool::new(false),
            timer_turn: AtomicUsize::new(0),
            regular: AtomicUsize::new(regular),
            built: regular,
            most_regular: AtomicUsize::new(regular),
        };
        let owned = (0..regular).map(|index| processors.make(index)).collect();
        (processors, owned)
    }

    fn make(&self, index: usize) -> Box<Processor> {
        let processor = Box::new(Processor::new(index, self.built, self.slots.len()));
        let filled = self.slots[index].set(processor.shared_handle());
        assert!(filled.is_ok(), "processor {index} was made twice");
        processor
    }

    /// The number of processors that run tasks when none of them is stuck.
    #[inline]
    pub(crate) fn regular(&self) -> usize {
        self.regular.load(Relaxed)
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
        self.regular() + self.spares() >= self.capacity()
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
        // Acquire pairs with the Release in `grow`.
        self.get(self.timer_turn.fetch_add(1, Relaxed) % self.regular.load(Acquire))
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
        if parked.errands >= self.regular() {
            return None;
        }
        let mut processor = self.put_one_into_play(&mut parked)?;
        parked.errands += 1;
        processor.begin_errand(end);
        Some(processor)
    }

    /// Counts a processor out whose errand is over. Its holder has to take it out of play then.
    /// `None` if it counts as regular by now, and stays.
    #[must_use]
    pub(crate) fn end_errand(&self, processor: &mut Processor) -> Option<RetireRequest> {
        processor.end_errand();
        let mut parked = self.parked.lock();
        if let Some(adopted) = parked.adopted.checked_sub(1) {
            parked.adopted = adopted;
            return None;
        }
        parked.errands -= 1;
        parked.spares -= 1;
        Some(RetireRequest(()))
    }

    fn put_one_into_play(&self, parked: &mut Parked) -> Option<Box<Processor>> {
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

    /// Asks that one holder of a processor beyond the regular ones takes it out of play, whichever
    /// comes first.
    pub(crate) fn ask_for_one(&self) {
        let mut parked = self.parked.lock();
        if parked.lasting() > 0 {
            parked.retirements_due += 1;
            self.is_retirement_due.store(true, Relaxed);
        }
    }

    /// Whether a holder of a processor beyond the regular ones should give it up.
    #[inline]
    pub(crate) fn is_retirement_due(&self) -> bool {
        self.is_retirement_due.load(Relaxed)
    }

    /// Takes the request of one processor upon the caller, which holds the one with this index. It
    /// has to take that one out of play then. `None` if nothing is due, or of a regular one: there
    /// are as many others in play as are due.
    #[must_use]
    pub(crate) fn take_retire_request(&self, index: usize) -> Option<RetireRequest> {
        if index < self.regular() {
            return None;
        }
        self.take_any_retire_request()
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

    /// Takes a processor out of play, its queues empty. Gives it back, to be put on the list of the
    /// idle, if it counts as regular by now, since the runtime has grown meanwhile: another is due
    /// in its place.
    #[must_use = "a processor that stays has to be found by others"]
    pub(crate) fn take_out_of_play(&self, processor: Box<Processor>, request: RetireRequest) -> Option<Box<Processor>> {
        debug_assert!(processor.has_no_task(), "a processor goes out of play with empty queues");
        // Timers that were cancelled would keep it among those that are looked at until they are
        // due, perhaps for days.
        processor.shared().timers().begin_rest();
        if processor.shared().timers().next_deadline() != u64::MAX {
            let _ = processor.shared().timers().settle();
        }
        let mut parked = self.parked.lock();
        if processor.index() < self.regular() {
            processor.shared().timers().end_rest();
            self.count_due_again(&mut parked, request);
            return Some(processor);
        }
        let at = parked.processors.partition_point(|other| other.index() > processor.index());
        parked.processors.insert(at, processor);
        self.shrink_scan(&parked);
        None
    }

    /// Looks no more at processors out of play with the highest indices, once they hold no timers.
    /// Called with the lock held.
    fn shrink_scan(&self, parked: &Parked) {
        let mut len = self.scan_len();
        for processor in &parked.processors {
            let is_last = processor.index() + 1 == len;
            if !is_last || len == self.most_regular() || !processor.shared().timers().is_empty() {
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
mod tests;
