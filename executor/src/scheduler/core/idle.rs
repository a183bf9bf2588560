//! The record of the idle: which processors have no machine, which machines have no processor,
//! how many search.
//!
//! Every wake and every sleep of the runtime goes through the two sides of one protocol, kept here
//! and proven in `docs/SLEEPING.md`:
//!
//! * **submit**: publish work, full barrier, then look: a processor is idle and no machine searches
//!   → wake one machine, as a searcher.
//! * **retire**: give the processor up and stop searching, full barrier, then look at every queue
//!   and timer again → work there means [`resume`](Idle::resume), nothing means sleep.
//!
//! The side whose barrier comes second sees the other side's writes before its own barrier: the
//! work, or the idle processor.

use std::fmt;

use crate::scheduler::core::machine::Machine;
use crate::scheduler::core::processor::Processor;
use crate::scheduler::core::watcher_sleep::WatcherSleep;
use crate::util::sync::atomic::Ordering::{Relaxed, Release, SeqCst};
use crate::util::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, fence};
use crate::util::sync::{Arc, Mutex};

/// Which processors and machines are idle, and how many search.
#[derive(Debug)]
pub(crate) struct Idle {
    word: IdleWord,
    mask: IdleMask,
    waiting: Mutex<Waiting>,
    watcher: WatcherSleep,
    /// True if there is a watcher.
    is_watched: bool,
    /// Processors in play, spares included. Relaxed: it bounds a count of thieves.
    in_play: AtomicU32,
}

#[derive(Debug, Default)]
struct Waiting {
    /// Processors without a machine, the last to become idle last. There are at least as many as
    /// the word counts: they are put in before the word is raised, and taken out after it was
    /// lowered.
    #[expect(clippy::vec_box, reason = "the box is the right to run tasks, and moves from hand to hand")]
    processors: Vec<Box<Processor>>,
    /// Machines without a processor, the one to wake first last: its caches are the warmest.
    machines: Vec<Arc<Machine>>,
}

/// A processor and the machine that is to run it.
#[derive(Debug)]
#[must_use = "an idle processor that was chosen has to be run"]
pub(crate) struct Chosen {
    pub(crate) processor: Box<Processor>,
    /// `None` when no machine is idle: one has to be started.
    pub(crate) machine: Option<Arc<Machine>>,
}

/// The outcome for a machine that retired and then saw work.
#[derive(Debug)]
#[must_use]
pub(crate) enum Resume {
    /// It has a processor again, and searches.
    With(Box<Processor>),
    /// A waker chose it first: a processor is in its mailbox, or about to be, and a wake in
    /// its parker.
    Chosen,
    /// No processor is idle: the machines that hold them will find the work. The machine is
    /// still on the list, and may be chosen yet by a waker that has reserved a processor and not
    /// taken it.
    NoneIdle,
}

/// Which machine is there for work that needs no processor.
#[derive(Debug)]
#[must_use]
pub(crate) enum SpareHand {
    /// This machine, which has to be woken.
    Asleep(Arc<Machine>),
    /// All that are idle have been woken already, and will look around before they sleep again.
    Coming,
    /// No machine is idle.
    None,
}

impl Idle {
    /// Creates the idle set for `processors`, all of them busy, with room for `most` in all.
    pub(crate) fn new(processors: usize, most: usize) -> Self {
        Self {
            word: IdleWord::new(),
            mask: IdleMask::new(most),
            is_watched: true,
            waiting: Mutex::new(Waiting::default()),
            watcher: WatcherSleep::new(),
            in_play: AtomicU32::new(u32::try_from(processors).expect("the number of processors fits 32 bits")),
        }
    }

    /// For a runtime without a watcher.
    pub(crate) fn without_watcher(self) -> Self {
        Self { is_watched: false, ..self }
    }

    /// **Submit**: to be called after work was published where others can find it. Chooses a
    /// processor and a machine, if one should be woken; the machine is to start as a searcher, and
    /// has been counted as one.
    pub(crate) fn submit(&self) -> Option<Chosen> {
        // Pairs with the fence in `retire` and in `stop_searching`.
        fence(SeqCst);
        if !self.word.claim_searcher_if_none() {
            return None;
        }
        Some(self.take_reserved(true))
    }

    /// Chooses an idle processor, even while a machine searches: for work that is known to be too
    /// much for one.
    pub(crate) fn wake_another(&self) -> Option<Chosen> {
        if !self.word.claim_searcher() {
            return None;
        }
        Some(self.take_reserved(true))
    }

    /// Takes an idle processor for the calling machine, which does not search.
    pub(crate) fn acquire(&self) -> Option<Box<Processor>> {
        if !self.word.claim_idle() {
            return None;
        }
        let processor = self.waiting.lock().processors.pop();
        Some(self.checked_out(processor, false))
    }

    /// Chooses a machine for a processor that is being handed over.
    pub(crate) fn take_machine(&self) -> Option<Arc<Machine>> {
        self.waiting.lock().machines.pop()
    }

    /// Takes the processor that [`IdleWord`] has reserved, and a machine to go with it.
    fn take_reserved(&self, searching: bool) -> Chosen {
        let mut waiting = self.waiting.lock();
        let processor = waiting.processors.pop();
        let machine = waiting.machines.pop();
        drop(waiting);
        Chosen { processor: self.checked_out(processor, searching), machine }
    }

    fn checked_out(&self, processor: Option<Box<Processor>>, searching: bool) -> Box<Processor> {
        let mut processor = processor.expect("the word never counts more idle processors than there are on the list");
        processor.set_searching(searching);
        processor.shared().counters().chosen.add(1);
        self.mask.set_busy(processor.index());
        if self.is_watched {
            self.watcher.note_taken(|| self.count_busy() > 0);
        }
        processor
    }

    /// **Retire**: gives `processor` up, stops searching, puts `machine` on the list of the idle,
    /// and raises the full barrier. The caller looks at all queues and timers next, and sleeps only
    /// if it finds nothing.
    pub(crate) fn retire(&self, processor: Box<Processor>, machine: &Arc<Machine>) {
        self.give_up(processor, Some(machine));
    }

    /// Gives `processor` up with no machine to go with it. The caller looks at all queues next, as
    /// after `retire`.
    pub(crate) fn give_up(&self, mut processor: Box<Processor>, machine: Option<&Arc<Machine>>) {
        let searched = self.checked_in(&mut processor);
        {
            let mut waiting = self.waiting.lock();
            waiting.processors.push(processor);
            waiting.machines.extend(machine.cloned());
        }
        self.word.release(searched);
        // Pairs with the fence in `submit`.
        fence(SeqCst);
        if self.is_watched {
            self.watcher.note_given_back(|| self.count_busy() > 0);
        }
    }

    /// Gives the only processor up, for a thread that leaves. Returns whether a machine waits for
    /// it: then the full barrier was raised, and the caller looks at all queues next. If none does,
    /// the next one to come finds the processor idle.
    #[must_use = "a machine that waits may have to be woken"]
    pub(crate) fn give_up_only(&self, mut processor: Box<Processor>) -> bool {
        let searched = self.checked_in(&mut processor);
        let mut waiting = self.waiting.lock();
        waiting.processors.push(processor);
        // Under the lock: a machine that comes on the list after this look sees the count.
        self.word.release(searched);
        let is_wanted = !waiting.machines.is_empty();
        drop(waiting);
        if is_wanted {
            // Pairs with the fence in `submit`.
            fence(SeqCst);
        }
        is_wanted
    }

    /// Ends the hold of `processor`, which goes idle. Returns whether its holder was a searcher.
    fn checked_in(&self, processor: &mut Processor) -> bool {
        debug_assert!(processor.may_go_idle(), "a processor goes idle with empty queues");
        let searched = processor.is_searching();
        processor.set_searching(false);
        processor.end_hold();
        self.mask.set_idle(processor.index());
        searched
    }

    /// Puts a machine that has no processor to give up on the list of the idle.
    pub(crate) fn enlist(&self, machine: &Arc<Machine>) {
        self.waiting.lock().machines.push(Arc::clone(machine));
        // Pairs with the fence in `submit`.
        fence(SeqCst);
    }

    /// Moves `machine` to where it is chosen last, since it is going to be the one in the
    /// netpoller.
    pub(crate) fn choose_last(&self, machine: &Arc<Machine>) {
        let mut waiting = self.waiting.lock();
        if let Some(at) = waiting.position(machine) {
            waiting.machines[..=at].rotate_right(1);
        }
    }

    /// The way back for a machine that retired and then saw work.
    pub(crate) fn resume(&self, machine: &Arc<Machine>) -> Resume {
        let mut waiting = self.waiting.lock();
        let Some(at) = waiting.position(machine) else {
            return Resume::Chosen;
        };
        if !self.word.claim_searcher() {
            return Resume::NoneIdle;
        }
        waiting.machines.remove(at);
        let processor = waiting.processors.pop();
        drop(waiting);
        Resume::With(self.checked_out(processor, true))
    }

    /// Takes `machine` off the list. `false` if it was chosen already.
    #[must_use]
    pub(crate) fn delist(&self, machine: &Arc<Machine>) -> bool {
        let mut waiting = self.waiting.lock();
        let position = waiting.position(machine);
        position.map(|at| waiting.machines.remove(at)).is_some()
    }

    /// Begins to search, unless half of the busy processors do already: more thieves would only get
    /// in each other's way.
    #[must_use]
    pub(crate) fn start_searching(&self) -> bool {
        self.word.start_searching(self.in_play.load(Relaxed))
    }

    /// Stops searching because something was found. `true` for the last searcher, which has to look
    /// at all queues again and wake the next if there is more: submitters have relied on it.
    #[must_use = "the last searcher to find work wakes the next"]
    pub(crate) fn stop_searching(&self) -> bool {
        let was_last = self.word.stop_searching();
        // Pairs with the fence in `submit`: a submitter that saw this searcher has published
        // before.
        fence(SeqCst);
        was_last
    }

    /// A machine for work that needs no processor. It stays on the list.
    pub(crate) fn spare_hand(&self) -> SpareHand {
        let waiting = self.waiting.lock();
        let machines = || waiting.machines.iter().rev();
        // The one in the netpoller is the last choice, since it takes the most to wake.
        let asleep = machines().find(|machine| machine.parker().is_quiet());
        let chosen = asleep.or_else(|| machines().find(|machine| machine.parker().is_polling()));
        match chosen {
            Some(machine) => SpareHand::Asleep(Arc::clone(machine)),
            None if waiting.machines.is_empty() => SpareHand::None,
            None => SpareHand::Coming,
        }
    }

    /// Where the watcher sleeps while all are idle.
    pub(crate) fn watcher(&self) -> &WatcherSleep {
        &self.watcher
    }

    /// Processors that machines hold now.
    pub(crate) fn count_busy(&self) -> usize {
        (self.in_play.load(Relaxed) as usize).saturating_sub(self.count_idle())
    }

    pub(crate) fn is_idle(&self, processor: usize) -> bool {
        self.mask.is_idle(processor)
    }

    pub(crate) fn count_idle(&self) -> usize {
        self.word.load().idle() as usize
    }

    pub(crate) fn count_searching(&self) -> usize {
        self.word.load().searching() as usize
    }

    pub(crate) fn count_machines(&self) -> usize {
        self.waiting.lock().machines.len()
    }

    /// Returns whether there are machines on the list, and each is asleep: none of them is about to
    /// look at all queues, or was woken.
    pub(crate) fn are_all_asleep(&self) -> bool {
        let waiting = self.waiting.lock();
        !waiting.machines.is_empty() && waiting.machines.iter().all(|machine| machine.parker().is_asleep())
    }

    /// All machines on the list, to be woken for shutdown.
    pub(crate) fn everyone(&self) -> Vec<Arc<Machine>> {
        self.waiting.lock().machines.clone()
    }
}

impl Waiting {
    fn position(&self, machine: &Arc<Machine>) -> Option<usize> {
        self.machines.iter().rposition(|other| Arc::ptr_eq(other, machine))
    }
}

/// One value of the idle word: searching machines in the low half, idle processors in the high
/// half.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Counts(u64);

const ONE_SEARCHING: u64 = 1;
const ONE_IDLE: u64 = 1 << 32;

impl Counts {
    fn searching(self) -> u32 {
        self.0 as u32
    }

    fn idle(self) -> u32 {
        (self.0 >> 32) as u32
    }
}

impl fmt::Debug for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Counts").field("searching", &self.searching()).field("idle", &self.idle()).finish()
    }
}

/// How many search and how many processors are idle, in one word, so that "one is idle and
/// none searches" is one load and the claim that follows one compare-and-swap.
///
/// Almost all accesses are Relaxed. Processors change hands under the lock: a thread that has
/// reserved one has read a count that was raised after the list had it, and finds it there. The
/// order between the word and the queues is the fences' affair, but for one case, which they do not
/// cover: see `stop_searching`.
struct IdleWord(AtomicU64);

impl IdleWord {
    fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    fn load(&self) -> Counts {
        Counts(self.0.load(Relaxed))
    }

    fn change(&self, allowed: impl Fn(Counts) -> bool, change: impl Fn(u64) -> u64) -> bool {
        let mut current = self.load();
        while allowed(current) {
            match self.0.compare_exchange_weak(current.0, change(current.0), Relaxed, Relaxed) {
                Ok(_) => return true,
                Err(actual) => current = Counts(actual),
            }
        }
        false
    }

    /// Reserves an idle processor for a new searcher, if there is none so far.
    #[must_use]
    fn claim_searcher_if_none(&self) -> bool {
        self.change(|now| now.idle() > 0 && now.searching() == 0, |word| word - ONE_IDLE + ONE_SEARCHING)
    }

    /// Reserves an idle processor for a new searcher.
    #[must_use]
    fn claim_searcher(&self) -> bool {
        self.change(|now| now.idle() > 0, |word| word - ONE_IDLE + ONE_SEARCHING)
    }

    /// Reserves an idle processor for a machine that has work already.
    #[must_use]
    fn claim_idle(&self) -> bool {
        self.change(|now| now.idle() > 0, |word| word - ONE_IDLE)
    }

    /// A processor has become idle, and its holder, if it searched, stops.
    fn release(&self, searched: bool) {
        // One step, so that no thread sees the one without the other. Wraps in the low half are
        // impossible: the holder was counted.
        let change = if searched { ONE_IDLE - ONE_SEARCHING } else { ONE_IDLE };
        let before = Counts(self.0.fetch_add(change, Relaxed));
        debug_assert!(!searched || before.searching() > 0, "{before:?}: a searcher was not counted");
    }

    #[must_use]
    fn start_searching(&self, processors: u32) -> bool {
        self.change(|now| 2 * now.searching() < processors.saturating_sub(now.idle()), |word| word + ONE_SEARCHING)
    }

    /// `true` for the last one.
    #[must_use]
    fn stop_searching(&self) -> bool {
        // A searcher stops with loot in its ring that no machine was woken for. Unless it is the
        // last, it leaves it to the last to see that: Release pairs with the fence that follows the
        // last one's step, here or in `release`. Two fences would not do, since the other's may
        // come between this step and the fence after it.
        let before = Counts(self.0.fetch_sub(ONE_SEARCHING, Release));
        assert!(before.searching() > 0, "{before:?}: a searcher was not counted");
        before.searching() == 1
    }
}

impl fmt::Debug for IdleWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.load().fmt(f)
    }
}

// The idle mask: which processors thieves need not visit.

/// A flag for each processor, set while it is idle, so that thieves pass it by. A hint: the look
/// before sleeping goes to every ring, whatever the mask says.
///
/// Written with plain stores, by the thread that has the processor in hand.
#[derive(Debug)]
struct IdleMask(Box<[AtomicBool]>);

impl IdleMask {
    fn new(processors: usize) -> Self {
        Self((0..processors).map(|_| AtomicBool::new(false)).collect())
    }

    fn set_idle(&self, processor: usize) {
        self.0[processor].store(true, Relaxed);
    }

    fn set_busy(&self, processor: usize) {
        self.0[processor].store(false, Relaxed);
    }

    fn is_idle(&self, processor: usize) -> bool {
        self.0[processor].load(Relaxed)
    }
}

// Spares that come into play, and processors that go out of it.

impl Idle {
    /// Puts a spare on the list of the idle, from where it is chosen like any other.
    pub(crate) fn add(&self, processor: Box<Processor>) {
        self.in_play.fetch_add(1, Relaxed);
        self.give_up(processor, None);
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

    /// Ends the hold of `processor`, which goes out of play, and stops searching if its holder did.
    /// The holder looks at all queues next, in any case.
    pub(crate) fn count_out_of_play(&self, processor: &mut Processor) {
        let searched = self.checked_in(processor);
        self.in_play.fetch_sub(1, Relaxed);
        if searched {
            let _ = self.stop_searching();
        }
    }
}
