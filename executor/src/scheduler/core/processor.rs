//! A processor: the right to run tasks, and the queues that go with it.
//!
//! There are two halves. [`Processor`] is the right itself: one box, moved from hand to hand, so
//! that at any time one machine at most holds it, and only its holder can reach the parts without a
//! lock. [`Shared`] is the part that other threads may touch: the thieves' end of the ring,
//! runnext, timers and counts.

use std::any::Any;
use std::fmt;
use std::ptr::NonNull;

use crossbeam_utils::CachePadded;

use crate::scheduler::core::fairness::{Every, Fairness, TickClock};
use crate::scheduler::core::found::{Found, FoundIn};
use crate::scheduler::core::limits::{ACCEPTED_DELAY, TIME_SLICE};
use crate::scheduler::core::queue::{Overflow, RingOwner, SlotAddress, ring};
use crate::task::{Header, IdBlock, Runnable};
use crate::util::rng;
use crate::util::rng::FastRand;
use crate::util::sync::Arc;
use crate::util::thread_state::current_thread_number;

mod shared;

pub(crate) use shared::Shared;

/// The half that only the holder touches. Holding the box is the right to run tasks.
pub(crate) struct Processor {
    index: usize,
    /// True if the runtime has only this processor, now and later.
    is_only: bool,
    shared: Arc<CachePadded<Shared>>,
    ring: RingOwner<Header>,
    clock: TickClock,
    rng: FastRand,
    ids: IdBlock,
    /// When the slice of the chain that runs now began.
    slice_began: u64,
    /// True if the machine that holds this is out of own work and looking: counted in
    /// [`Idle`](crate::scheduler::core::idle::Idle).
    searching: bool,
    /// True if the ring holds a task that was not announced to the idle processors.
    unannounced: bool,
    /// True if any observation is on, as far as this processor has seen.
    observed: bool,
    /// True if the task in the ring is one that yielded with no other to run: before its turn the
    /// netpoller is looked at.
    lone: bool,
    fairness: Fairness,
    /// The address of the task in runnext when the injector's turn began, or 0: that task waits
    /// until the turn is over.
    set_aside: usize,
    network_ticks: Every,
    /// How many tasks the last turn of the netpoller has brought, with the timers that fired in it,
    /// less the polls since, counted in whole intervals.
    fetched: u32,
    /// When the netpoller was last looked at by this processor.
    polled_network: u64,
    /// How many polls it had counted when it was taken up from among the idle; none while it is
    /// there.
    woken_at: Option<u64>,
    /// Left by the thread that drove a current-thread runtime last, for its next call.
    cached: Option<Box<dyn Any + Send>>,
}

/// Turns a queue's item back into the `Runnable` it stands for.
fn runnable(raw: NonNull<Header>) -> Runnable {
    // SAFETY: the queues of processors are filled from `Runnable::into_raw` alone and yield each
    // entry once.
    unsafe { Runnable::from_raw(raw) }
}

impl Processor {
    pub(in crate::scheduler) fn new(index: usize, regular: usize, most: usize) -> Self {
        let (ring, thief) = ring();
        let shared = Shared::new(thief, regular, most);
        Self {
            index,
            is_only: most == 1,
            shared: Arc::new(CachePadded::new(shared)),
            ring,
            clock: TickClock::new(),
            rng: rng::fresh(),
            ids: IdBlock::default(),
            slice_began: 0,
            searching: false,
            unannounced: false,
            observed: false,
            lone: false,
            fairness: Fairness::default(),
            set_aside: 0,
            network_ticks: Every::default(),
            fetched: 0,
            polled_network: 0,
            woken_at: None,
            cached: None,
        }
    }

    pub(crate) fn index(&self) -> usize {
        self.index
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }

    pub(in crate::scheduler) fn shared_handle(&self) -> Arc<CachePadded<Shared>> {
        Arc::clone(&self.shared)
    }

    pub(crate) fn clock(&mut self) -> &mut TickClock {
        &mut self.clock
    }

    /// Whose turn it is, as long as there is always something to do here.
    pub(crate) fn fairness(&mut self) -> &mut Fairness {
        &mut self.fairness
    }

    /// Counts a tick. Returns whether the netpoller is to be looked at on it: not before as many
    /// polls as the last turn has brought tasks, for more would only fill the ring behind them.
    #[inline]
    pub(crate) fn is_network_tick(&mut self, interval: u32) -> bool {
        if !self.network_ticks.is_now(interval) {
            return false;
        }
        let is_due = self.fetched < interval || self.lone;
        self.fetched = self.fetched.saturating_sub(interval);
        is_due
    }

    /// Takes note of how many tasks a turn of the netpoller has brought.
    pub(crate) fn note_fetched(&mut self, tasks: usize) {
        self.fetched = u32::try_from(tasks).unwrap_or(u32::MAX);
    }

    /// Takes a reading of the clock.
    pub(crate) fn note_time(&mut self, now: u64) {
        self.clock.set(now);
        self.fairness.note_time(now);
    }

    /// The current thread holds the processor from now on, at time `now`.
    pub(crate) fn begin_hold(&mut self, now: u64) {
        self.clock.resume(now);
        self.fairness.begin_own(now);
        self.shared.watch().begin_hold(current_thread_number());
        if self.woken_at.is_none() {
            self.woken_at = Some(self.shared.counters().polls());
            self.shared.counters().wakes.add(1);
        }
    }

    /// Returns whether no task was polled since this processor was taken up.
    pub(in crate::scheduler) fn has_polled_nothing(&self) -> bool {
        self.woken_at == Some(self.shared.counters().polls())
    }

    /// The processor is about to be idle.
    pub(in crate::scheduler) fn end_hold(&mut self) {
        let (counters, is_useless) = (self.shared.counters(), self.has_polled_nothing());
        counters.rests.add(u64::from(self.woken_at.take().is_some()));
        counters.useless_wakes.add(u64::from(is_useless));
    }

    /// Keeps `value` until the next thread comes.
    pub(in crate::scheduler) fn cache(&mut self, value: Box<dyn Any + Send>) {
        self.cached = Some(value);
    }

    /// Takes the value that the thread before has left, if it is a `T`.
    pub(in crate::scheduler) fn take_cached<T: 'static>(&mut self) -> Option<Box<T>> {
        self.cached.take()?.downcast().ok()
    }

    pub(crate) fn rng(&mut self) -> &mut FastRand {
        &mut self.rng
    }

    pub(crate) fn ids(&mut self) -> &mut IdBlock {
        &mut self.ids
    }

    /// Returns whether something has to be done before the next poll.
    #[inline]
    pub(crate) fn is_special(&self) -> bool {
        self.searching | self.unannounced | self.observed
    }

    pub(crate) fn is_observed(&self) -> bool {
        self.observed
    }

    pub(crate) fn set_observed(&mut self, observed: bool) {
        self.observed = observed;
    }

    pub(crate) fn is_searching(&self) -> bool {
        self.searching
    }

    pub(crate) fn set_searching(&mut self, searching: bool) {
        self.searching = searching;
        self.shared.watch().set_searching(searching);
    }

    /// Returns whether nothing waits here that would be forgotten if the processor went idle.
    #[inline]
    pub(crate) fn has_no_task(&self) -> bool {
        self.ring.is_empty() && self.shared.runnext().is_empty()
    }

    /// Returns whether nothing is forgotten if it goes idle now. Tasks in the ring of the only
    /// processor there is can be seen there, and a machine that looks for work takes that one.
    pub(in crate::scheduler) fn may_go_idle(&self) -> bool {
        self.has_no_task() || (self.is_only && self.shared.runnext().is_empty())
    }

    /// How many due timers to fire now. One after the other, the task of each run before the next
    /// fires, while polls are known to take next to no time and nothing else waits: to wake another
    /// machine for a few such tasks would cost many times as much as they do. All that are left, so
    /// that their tasks are spread, once a poll has taken long, or others wait, or the first is
    /// `late` by twice the longest wait of a crowd for its shared wake.
    pub(crate) fn timers_at_once(&mut self, late: u64) -> usize {
        if !self.clock.polls_are_light() || !self.has_no_task() || late > 2 * ACCEPTED_DELAY {
            return usize::MAX;
        }
        // The next timer is not to wait for the end of the stride.
        self.clock.hurry();
        1
    }

    /// Returns whether a task in the ring is still unknown to the idle; it counts as announced from
    /// now on.
    pub(crate) fn take_unannounced(&mut self) -> bool {
        std::mem::take(&mut self.unannounced) && !self.ring.is_empty()
    }

    /// Puts a task that was just woken or spawned in runnext; the displaced task goes to the
    /// ring's tail.
    #[inline]
    pub(crate) fn push_next(&mut self, task: Runnable) -> Placed<'_> {
        match self.shared.runnext().replace(task.into_raw()) {
            None => Placed::InRunnext,
            Some(displaced) => self.push_raw(displaced),
        }
    }

    /// Puts a task that yielded at the ring's tail. If it is alone, and the network `wants_a_look`,
    /// that comes first.
    #[inline]
    pub(crate) fn push_yielded(&mut self, task: Runnable, wants_a_look: impl FnOnce() -> bool) -> Placed<'_> {
        let alone = self.has_no_task();
        if alone && wants_a_look() {
            self.look_before_the_only_task();
        }
        self.push_own_beside(task, alone)
    }

    /// The ring's next task is one that yielded, and no other has anything to run: the next tick is
    /// one on which the netpoller is looked at, before [that task](Self::take_lone) has its turn.
    pub(crate) fn look_before_the_only_task(&mut self) {
        self.lone = true;
        self.network_ticks.hurry();
    }

    /// Takes the task out that has yielded, if it is the only one still.
    pub(crate) fn take_lone(&mut self) -> Option<Runnable> {
        let is_lone = std::mem::take(&mut self.lone) && self.ring.len() == 1 && self.shared.runnext().is_empty();
        if is_lone { self.ring.pop().map(runnable) } else { None }
    }

    /// Puts a task that this processor will come to by itself at the ring's tail: one that yielded,
    /// or was found in the netpoller. If it is alone, no machine is woken for it; should something
    /// else be run first after all, [`take_unannounced`](Self::take_unannounced) makes up for it.
    #[inline]
    pub(crate) fn push_own(&mut self, task: Runnable) -> Placed<'_> {
        let alone = self.has_no_task();
        self.push_own_beside(task, alone)
    }

    /// Pushes `task` as `push_own` does, where the caller knows whether it is `alone`.
    #[inline(always)]
    fn push_own_beside(&mut self, task: Runnable, alone: bool) -> Placed<'_> {
        let placed = self.ring.push(task.into_raw());
        match placed {
            Ok(_) if alone => {
                self.unannounced = true;
                Placed::Quietly
            }
            Ok(was_empty) if was_empty.0 => Placed::InEmptyRing,
            Ok(_) => announce_once(&mut self.unannounced),
            Err(overflow) => Placed::Overflowed(OverflowedTasks(overflow)),
        }
    }

    /// Pushes a batch like [`push_own`](Self::push_own), as far as there is room. The rest stays
    /// with the caller.
    pub(crate) fn push_own_batch(&mut self, tasks: &mut impl Iterator<Item = Runnable>) -> Placed<'static> {
        let alone = self.has_no_task();
        match self.ring.push_batch(&mut tasks.map(Runnable::into_raw)) {
            (0, _) => Placed::Quietly,
            (1, _) if alone => {
                self.unannounced = true;
                Placed::Quietly
            }
            (_, was_empty) if was_empty.0 => Placed::InEmptyRing,
            _ => announce_once(&mut self.unannounced),
        }
    }

    /// Puts a task at the ring's tail, without an announcement, since there is no other processor.
    /// Gives it back if there is no room.
    pub(crate) fn push_last(&mut self, task: Runnable) -> Option<Runnable> {
        if self.ring.is_full() {
            return Some(task);
        }
        let pushed = self.ring.push(task.into_raw());
        debug_assert!(pushed.is_ok(), "only the owner fills the ring");
        None
    }

    /// Pushes a batch, as far as there is room. The rest stays with the caller.
    pub(crate) fn push_last_batch(&mut self, tasks: &mut impl Iterator<Item = Runnable>) {
        let _ = self.ring.push_batch(&mut tasks.map(Runnable::into_raw));
    }

    fn push_raw(&mut self, raw: NonNull<Header>) -> Placed<'_> {
        match self.ring.push(raw) {
            Ok(was_empty) if was_empty.0 => Placed::InEmptyRing,
            Ok(_) => announce_once(&mut self.unannounced),
            Err(overflow) => Placed::Overflowed(OverflowedTasks(overflow)),
        }
    }

    /// Takes the task in runnext while the chain's time slice lasts. When it is spent, that task
    /// goes to the ring's tail and the oldest in the ring begins a new slice.
    ///
    /// Inlined always, in its one place: a call costs each poll 14 instructions.
    #[inline(always)]
    pub(crate) fn next_in_chain(&mut self) -> Option<Found> {
        let raw = self.shared.runnext().take()?;
        if self.clock.now().saturating_sub(self.slice_began) < TIME_SLICE {
            return Some(runnable(raw).found(FoundIn::RUNNEXT));
        }
        self.begin_slice();
        let Some(oldest) = self.ring.pop() else {
            return Some(runnable(raw).found(FoundIn::RUNNEXT));
        };
        let was_empty = self.ring.push(raw).expect("only the owner fills the ring, and it has just made room");
        // The oldest was the only one, and a machine that went idle between the two moves has seen
        // an empty ring.
        self.unannounced |= was_empty.0;
        Some(runnable(oldest).found(FoundIn::RING))
    }

    /// Takes the oldest task in the ring; it has its own time slice.
    pub(crate) fn pop(&mut self) -> Option<Runnable> {
        let raw = self.ring.pop()?;
        self.begin_slice();
        Some(runnable(raw))
    }

    /// The injector's turn begins: the task in runnext now waits for its end.
    pub(crate) fn set_runnext_aside(&mut self) {
        self.set_aside = self.runnext_address();
    }

    /// Returns whether something is in runnext that was not there when the injector's turn began:
    /// then a task of that turn has put it there.
    pub(crate) fn has_more_in_runnext(&self) -> bool {
        let now = self.runnext_address();
        now != 0 && now != self.set_aside
    }

    fn runnext_address(&self) -> usize {
        self.shared.runnext().peek().map_or(0, SlotAddress::address)
    }

    /// Begins a new time slice for a task from the injector, unless a chain through runnext is on:
    /// were its slice to begin anew with each task of the injector that comes between, no task in
    /// the ring would ever have a turn.
    pub(crate) fn begin_slice_unless_in_chain(&mut self) {
        if self.shared.runnext().is_empty() {
            self.begin_slice();
        }
    }

    /// Begins a new time slice, for a task that did not come through runnext.
    pub(crate) fn begin_slice(&mut self) {
        self.slice_began = self.clock.now();
    }

    /// A background task is polled next. The look after that poll notes the time, and ends it.
    pub(in crate::scheduler) fn begin_background(&mut self, now: u64) {
        self.shared.counters().background_polls.add(1);
        self.fairness.begin_background(now);
        self.clock.hurry();
        self.begin_slice_unless_in_chain();
    }

    /// Steals the newest half of `victim`'s ring into this one's, which is empty. Returns how many
    /// that were.
    pub(crate) fn steal_from(&mut self, victim: &Shared) -> usize {
        victim.ring().steal_into(&mut self.ring)
    }

    /// Takes the task that was sighted in `victim`'s runnext, if it is still there.
    pub(crate) fn take_runnext_of(&mut self, victim: &Shared, seen: SlotAddress<Header>) -> Option<Runnable> {
        let raw = victim.runnext().take_if(seen)?;
        self.begin_slice();
        Some(runnable(raw))
    }

    /// Empties runnext and ring, oldest first, for one that will not be run again or has to wait
    /// with empty hands.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = Runnable> + '_ {
        std::iter::from_fn(|| self.ring.pop().or_else(|| self.shared.runnext().take()).map(runnable))
    }

    /// Notes that the netpoller was looked at.
    pub(crate) fn note_network_polled(&mut self) {
        self.polled_network = self.clock.now();
    }

    /// How long ago, in nanoseconds, this processor looked at the netpoller.
    pub(crate) fn since_network_polled(&self) -> u64 {
        self.clock.now().saturating_sub(self.polled_network)
    }
}

fn announce_once<'a>(unannounced: &mut bool) -> Placed<'a> {
    if std::mem::take(unannounced) { Placed::InEmptyRing } else { Placed::Quietly }
}

impl fmt::Debug for Processor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Processor")
            .field("index", &self.index)
            .field("ring", &self.ring)
            .field("clock", &self.clock)
            .field("searching", &self.searching)
            .finish_non_exhaustive()
    }
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests;

// Where a task goes that a processor's holder has woken.

/// Where a task that was woken by this processor's holder has gone.
#[must_use]
pub(crate) enum Placed<'a> {
    /// In runnext, where it is next: no machine needs a wake, unless this poll lasts.
    InRunnext,
    /// Behind other tasks that were announced to the idle: no machine needs a wake.
    Quietly,
    /// In a ring that was empty: an idle processor should hear of it.
    InEmptyRing,
    /// The ring was full: these go to the injector.
    Overflowed(OverflowedTasks<'a>),
}

/// The oldest half of a full ring and the task that did not fit.
pub(crate) struct OverflowedTasks<'a>(Overflow<'a, Header>);

impl Iterator for OverflowedTasks<'_> {
    type Item = Runnable;

    fn next(&mut self) -> Option<Runnable> {
        self.0.next().map(runnable)
    }
}
