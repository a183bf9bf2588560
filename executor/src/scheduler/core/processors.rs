//! All processors of a runtime: N of them, and room for spares.

#![expect(clippy::vec_box, reason = "the box is the right to run tasks, and moves from hand to hand")]

use std::sync::OnceLock;
use std::task::Waker;

use crossbeam_utils::CachePadded;

use crate::scheduler::core::processor::{Processor, Shared};
use crate::util::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use crate::util::sync::atomic::{AtomicBool, AtomicUsize};
use crate::util::sync::{Arc, Mutex};

/// The part of the processors that all threads see, by index, and those that are not in play.
///
/// The first N are there from the start. Another is made when it is first wanted, at the lowest
/// index that is free, and kept when it is not wanted any more: it is *out of play* then, with
/// empty queues. Timers may be left in it, so that such a processor stays in len until they are
/// gone.
///
/// How many are *regular* may change ([`grow`](Self::grow), [`shrink`](Self::shrink)); the others
/// in play are spares. Only processors whose index is the regular number or more go out of play: so
/// those in play have the lowest indices, but for the moments between.
pub(crate) struct Processors {
    slots: Box<[OnceLock<Arc<CachePadded<Shared>>>]>,
    /// Slots below this are filled and to be looked at.
    scan_len: AtomicUsize,
    parked: Mutex<Parked>,
    /// True if anything is due, for holders to look at without the lock. Relaxed: the
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
    /// queues of all of these, so that they are looked at forever. Changed under the lock; Relaxed
    /// suffices.
    most_regular: AtomicUsize,
}

#[derive(Debug, Default)]
struct Parked {
    /// Sorted by index, the lowest last.
    processors: Vec<Box<Processor>>,
    /// How many processors there are, in play or out of it.
    made: usize,
    /// How many are to be taken out of play, by their holders or the thread that finds them
    /// idle.
    retirements_due: usize,
    /// True if the runtime ends, so that processors which are made from now on take no timers.
    takes_no_timers: bool,
}

impl Parked {
    /// How many are in play: it changes as one is taken from here or put here, under the lock, and
    /// no processor is between.
    fn in_play(&self) -> usize {
        self.made - self.processors.len()
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

    /// Ends the waits for timers, and takes none any more, on processors that are made later
    /// either. Calling it again does nothing more.
    pub(crate) fn shut_timers_down(&self, wakers: &mut Vec<Waker>) {
        self.parked.lock().takes_no_timers = true;
        self.all().for_each(|processor| processor.timers().shut_down(wakers));
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
        self.spares_of(&self.parked.lock())
    }

    fn spares_of(&self, parked: &Parked) -> usize {
        parked.in_play() - self.regular()
    }

    /// Spares that are not due.
    fn lasting(&self, parked: &Parked) -> usize {
        self.spares_of(parked) - parked.retirements_due
    }

    /// Returns whether there is no spare to be put into play.
    pub(crate) fn are_all_in_play(&self) -> bool {
        self.parked.lock().in_play() == self.capacity()
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

    fn put_one_into_play(&self, parked: &mut Parked) -> Option<Box<Processor>> {
        let processor = match parked.processors.pop() {
            Some(processor) => {
                processor.shared().timers().end_rest();
                processor
            }
            None => {
                let index = parked.made;
                let processor = (index < self.slots.len()).then(|| self.make(index))?;
                if parked.takes_no_timers {
                    processor.shared().timers().shut_down(&mut Vec::new());
                }
                parked.made += 1;
                processor
            }
        };
        let len = self.scan_len().max(processor.index() + 1);
        // Release pairs with the Acquire in `scan_len`.
        self.scan_len.store(len, Release);
        Some(processor)
    }

    /// How many spares are in play, not counting those that are due.
    pub(crate) fn lasting_spares(&self) -> usize {
        self.lasting(&self.parked.lock())
    }

    /// Asks that one processor beyond the regular ones is taken out of play, whichever comes first.
    pub(crate) fn ask_for_one(&self) {
        let mut parked = self.parked.lock();
        if self.lasting(&parked) > 0 {
            parked.retirements_due += 1;
            self.note_whether_due(&parked);
        }
    }

    /// Returns whether a holder of a processor beyond the regular ones should give it up.
    #[inline]
    pub(crate) fn is_retirement_due(&self) -> bool {
        self.is_retirement_due.load(Relaxed)
    }

    /// Takes a processor out of play, its queues empty, if one is due. Else
    /// gives it back, to be put on the list of the idle: another thread was quicker, or it counts
    /// as regular, since the runtime has grown. As many others are in play then as are
    /// due.
    #[must_use = "a processor that stays has to be found by others"]
    pub(crate) fn take_out_of_play(&self, processor: Box<Processor>) -> Option<Box<Processor>> {
        debug_assert!(processor.has_no_task(), "a processor goes out of play with empty queues");
        // Timers that were cancelled would keep it among those that are looked at until they are
        // due, perhaps for days.
        processor.shared().timers().begin_rest();
        if processor.shared().timers().next_deadline() != u64::MAX {
            let _ = processor.shared().timers().settle();
        }
        let mut parked = self.parked.lock();
        let goes = parked.retirements_due > 0 && processor.index() >= self.regular();
        parked.retirements_due -= usize::from(goes);
        self.note_whether_due(&parked);
        if !goes {
            processor.shared().timers().end_rest();
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

#[cfg(all(test, not(wsrt_loom)))]
mod tests;

// How many processors are regular: the number moves below the room that there is for them.
//
// Processors in play are the regular ones and the spares. To shrink is to call one of them a spare
// that is due, and leave it to the protocol for spares: the thread that finds it idle takes it out
// of play, or its holder does when its poll is over. To grow is to take such a call back, or to put
// one into play.

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

    fn note_whether_due(&self, parked: &Parked) {
        self.is_retirement_due.store(parked.retirements_due > 0, Relaxed);
    }
}

/// Makes resizes one at a time.
#[derive(Debug)]
pub(crate) struct Resizes(pub(in crate::scheduler) Mutex<Resized>);

/// How the number of processors was set last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::scheduler) enum Resized {
    /// Set by the builder, or by a quota.
    Found,
    ByHand,
}

impl Resizes {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Resized::Found))
    }
}
