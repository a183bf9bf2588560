//! The loop that every machine runs: take a processor, look for a task, poll it; with nothing
//! found, sleep.

use std::sync::Arc;

use wsrt_reactor::budget;

use crate::scheduler::charge::Work;
use crate::scheduler::context::Innermost;
use crate::scheduler::driver::{Driver, WakeBatch};
use crate::scheduler::fairness::Grant;
use crate::scheduler::found::{Found, FoundIn};
use crate::scheduler::idle::Resume;
use crate::scheduler::idle_work::Spinner;
use crate::scheduler::limits::INJECTOR_BATCH;
use crate::scheduler::machine::Machine;
use crate::scheduler::processor::Processor;
use crate::scheduler::root::Root;
use crate::scheduler::spin_time::SpinTime;
use crate::scheduler::stalled::Suspect;
use crate::scheduler::{Context, Scheduler};
use crate::util::backoff::Backoff;

mod leaving;
mod past;
#[cfg(feature = "sim")]
mod steps;
pub(crate) use self::past::Past;
#[cfg(feature = "sim")]
pub(in crate::scheduler) use self::steps::Pending;

/// One machine at work.
pub(crate) struct MachineLoop<'a> {
    pub(crate) scheduler: &'a Arc<Scheduler>,
    pub(crate) context: &'a Context,
    innermost: Innermost,
    pub(crate) machine: &'a Arc<Machine>,
    pub(crate) driver: Driver<'a>,
    /// Whether the machine stands on the list of the idle, or was chosen from it and has yet to
    /// collect its processor.
    pub(crate) listed: bool,
    /// Whether the polls on the processor that it had last took next to no time.
    pub(crate) light: bool,
    /// Whether the machine has slept so long that the runtime can do without it.
    pub(crate) surplus: bool,
    pub(crate) spinner: Spinner,
    spin_time: SpinTime,
    /// The processor that the machine gave up last, and how many polls that had counted.
    retired: (usize, u64),
    /// How long it has come back for tasks that are out of reach.
    gap: Backoff,
    pub(crate) suspect: Suspect,
}

impl<'a> MachineLoop<'a> {
    /// A loop for the current thread, which has entered `context` with a machine.
    pub(crate) fn new(context: &'a Context) -> Self {
        Self::continued(context, Past::new())
    }

    /// Makes the loop of a machine that was just started: see [`Past::of_a_started_machine`].
    pub(crate) fn started(context: &'a Context) -> Self {
        Self::continued(context, Past::of_a_started_machine())
    }

    /// A loop for the current thread, which goes on where the one with this past was.
    pub(crate) fn continued(context: &'a Context, past: Past) -> Self {
        let machine = context.machine().expect("only a thread with a machine runs the loop");
        Self {
            scheduler: context.scheduler(),
            context,
            innermost: Innermost::of_this_thread(),
            machine,
            driver: Driver::new(context),
            listed: past.listed,
            light: past.light,
            surplus: past.surplus,
            spinner: past.spinner,
            spin_time: past.spin_time,
            retired: past.retired,
            gap: past.gap,
            suspect: past.suspect,
        }
    }

    /// Runs until the runtime shuts down, the root future is done, or the machine is surplus.
    pub(crate) fn run(&mut self, root: &impl Root) {
        let _outer_budget = budget::keep();
        while !self.is_over() && !self.poll_root(root) {
            match self.processor() {
                None => {
                    root.end_wait();
                    self.sleep(root);
                }
                Some(processor) => self.turn(processor, root),
            }
        }
    }

    /// Polls the root if it was woken. `true` when the root is done.
    ///
    /// The machine is on no list during the poll: the root may block, in a loop of its own, which
    /// puts the machine on the list of the idle again.
    #[inline]
    fn poll_root(&mut self, root: &impl Root) -> bool {
        if self.listed {
            if !root.is_woken() {
                return false;
            }
            self.wake_up_with(WakeBatch::default(), true);
        }
        root.poll_if_woken(self.context)
    }

    /// One round of the loop, with `processor`.
    ///
    /// Inlined always: it is the loop's body, and has a name of its own for simulated machines.
    #[inline(always)]
    pub(super) fn turn(&mut self, mut processor: Box<Processor>, root: &impl Root) {
        let processors = &self.scheduler.processors;
        if processors.is_retirement_due() && processor.index() >= processors.regular() {
            return self.retire_for_good(processor);
        }
        match self.look(&mut processor) {
            Some(found) => {
                self.poll(processor, found);
                self.innermost.come_back_to(self.context);
            }
            None if root.is_woken() => {
                root.end_wait();
                self.hold_for_root(processor);
            }
            None if self.spin_beside_sleepers(&processor) => self.context.put_processor(processor),
            None => self.retire(processor),
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.surplus || self.scheduler.shutdown.has_begun()
    }

    /// The processor that this machine holds: the one it had, unless the last task has handed that
    /// over, or one that it was given meanwhile.
    pub(super) fn processor(&mut self) -> Option<Box<Processor>> {
        self.context.take_processor().or_else(|| self.collect_processor())
    }

    #[inline(never)]
    fn collect_processor(&mut self) -> Option<Box<Processor>> {
        let delivered = self.machine.collect()?;
        self.listed = false;
        Some(self.context.begin_hold(delivered))
    }

    /// The list of places where a task may be found, in order. `None` also where it is the turn of
    /// the root future, which was woken.
    ///
    /// The nearest work comes first, and work that would starve behind it comes first now and then:
    /// timers and the netpoller when their time has come, the injector at one tick in 61 at least.
    /// Ticks count polls, those of a chain through runnext too, so that no chain can hold anything
    /// off. The netpoller comes before stealing, since its events wait for no other machine to be
    /// done; but not before tasks of a machine that has polled nothing for a while.
    fn look(&mut self, processor: &mut Processor) -> Option<Found> {
        processor.clock().advance();
        if self.keep_time(processor) {
            return None;
        }
        self.injector_in_its_turn(processor)
            .or_else(|| processor.next_in_chain())
            .or_else(|| processor.pop().map(|task| task.found(FoundIn::RING)))
            .or_else(|| self.look_elsewhere(processor))
    }

    /// The places beyond the processor's own queues. Those are all that it looks into on an errand.
    fn look_elsewhere(&mut self, processor: &mut Processor) -> Option<Found> {
        if processor.is_on_errand() {
            return None;
        }
        self.batch_from_injector(processor)
            .or_else(|| self.rob_stalled(processor))
            .or_else(|| self.look_at_network(processor))
            .or_else(|| self.steal(processor))
    }

    /// Inlined always, in its one place: a call costs each poll some 18 instructions.
    #[inline(always)]
    fn poll(&mut self, processor: Box<Processor>, found: Found) {
        processor.shared().counters().count_poll(found.source.kind());
        processor.shared().watch().begin_poll(found.task.id().as_u64(), found.task.spawned_at());
        if processor.is_special() {
            return self.poll_after_all_else(processor, found);
        }
        self.context.put_processor(processor);
        budget::refill();
        found.task.run();
    }

    /// Steps that precede some polls: other machines are woken for work, and observers see the
    /// poll.
    #[inline(never)]
    fn poll_after_all_else(&self, mut processor: Box<Processor>, found: Found) {
        if processor.is_searching() {
            self.stop_searching(&mut processor);
        }
        if processor.take_unannounced() {
            self.scheduler.wake_one();
        }
        let (index, observed) = (processor.index(), processor.is_observed());
        self.context.put_processor(processor);
        budget::refill();
        if observed {
            let _poll = self.scheduler.observer.polled(index, &found.task, found.source.number());
            return found.task.run();
        }
        found.task.run();
    }

    /// The last searcher to find work wakes the next, if there is more: threads that submitted
    /// while it searched have woken none, on its account.
    ///
    /// Where processors are many, each wakes two, so that those awake double with each wake.
    #[cold]
    fn stop_searching(&self, processor: &mut Processor) {
        self.scheduler.charge(Work::IdleWord, 1);
        let (was_last, are_many) = (self.scheduler.idle.stop_searching(), self.scheduler.are_processors_many());
        if (was_last || are_many) && self.scheduler.work_is_visible() {
            if are_many { self.scheduler.wake_several(2) } else { self.scheduler.wake_one() }
        }
        // Shown until now: the look is part of the search.
        processor.set_searching(false);
    }

    fn injector_in_its_turn(&self, processor: &mut Processor) -> Option<Found> {
        let interval = self.scheduler.config.global_queue_interval;
        if !processor.fairness().tick(interval) {
            return None;
        }
        self.one_from_injector(processor, interval)
    }

    /// The next task of the injector's turn. It ends here if there is none; and if there is nothing
    /// else to do, no turns are needed.
    #[inline(never)]
    fn one_from_injector(&self, processor: &mut Processor, interval: u32) -> Option<Found> {
        let now = processor.clock().now();
        if self.scheduler.config.keeps_order() {
            // Tasks in the injector came later than those in the ring.
            processor.fairness().end(now);
            return None;
        }
        match processor.fairness().grant(interval, now) {
            Grant::Own => return None,
            Grant::First => processor.set_runnext_aside(),
            // The turn goes on with the tasks that its tasks have readied.
            Grant::Another if processor.has_more_in_runnext() => return None,
            Grant::Another => {}
        }
        let injector = &self.scheduler.injector;
        if processor.has_no_task() || injector.is_empty() {
            processor.fairness().end(now);
            return None;
        }
        // Where a push is under way there may be none for a moment; the turn goes on.
        self.scheduler.charge(Work::TakeInjected, 1);
        let task = injector.take()?;
        self.scheduler.charge(Work::InjectedTask, 1);
        processor.begin_slice_unless_in_chain();
        Some(task.found(FoundIn::INJECTOR))
    }

    /// Takes this processor's share of the injector, one task to run and the others for the ring,
    /// which is empty.
    fn batch_from_injector(&self, processor: &mut Processor) -> Option<Found> {
        if self.scheduler.injector.is_empty() {
            return None;
        }
        let waiting = self.scheduler.injector.len().max(1);
        let share = INJECTOR_BATCH.min(waiting).min(waiting / self.scheduler.processors.regular() + 1);
        self.scheduler.charge(Work::TakeInjected, 1);
        self.scheduler.charge(Work::InjectedTask, share);
        let mut batch = self.scheduler.injector.take_batch(share);
        let first = batch.next()?;
        let placed = processor.push_own_batch(&mut batch);
        drop(batch);
        self.scheduler.settle(processor.index(), placed);
        processor.begin_slice();
        Some(first.found(FoundIn::INJECTOR))
    }

    /// Takes the processor out of play: a stuck poll that one stood in for has returned, or the
    /// runtime has shrunk, or its errand is over. If it stays, others find it idle.
    #[inline(never)]
    fn retire_for_good(&self, mut processor: Box<Processor>) {
        self.context.put_down(&processor);
        self.scheduler.part_with(&mut processor);
        let _ = self.scheduler.idle.retire_for_good(&mut processor);
        if let Some(stays) = self.scheduler.processors.take_out_of_play(processor) {
            self.scheduler.idle.add(stays);
        }
        if self.scheduler.work_is_visible() {
            self.scheduler.wake_one();
        }
        // Not left to the sleep that follows: the machine may find another processor idle, and go
        // on.
        self.watch_own_deadlines();
    }

    /// Goes on with the root future, which yielded: all others have had their turn, and the
    /// netpoller was looked at.
    fn hold_for_root(&self, mut processor: Box<Processor>) {
        if processor.is_searching() {
            self.stop_searching(&mut processor);
        }
        self.context.put_processor(processor);
    }

    /// Spins for a moment before the machine sleeps, if it has just woken a thread that waits
    /// beside the machines: that may send the next request. Returns whether there is work.
    ///
    /// Only as a searcher, which finds all that is submitted meanwhile, and which others rely on.
    fn spin_beside_sleepers(&mut self, processor: &Processor) -> bool {
        let scheduler = self.scheduler;
        self.context.take_woken_sleeper()
            && processor.is_searching()
            && self.spin_time.spin(|| scheduler.work_is_visible() || scheduler.shutdown.has_begun())
    }

    /// The retiring side of the sleeping protocol: give the processor up, then look at everything
    /// once more.
    #[inline(never)]
    fn retire(&mut self, mut processor: Box<Processor>) {
        if processor.is_on_errand() {
            self.light = false;
            return self.retire_for_good(processor);
        }
        processor.shared().counters().parks.add(1);
        self.light = processor.clock().polls_are_light();
        self.context.put_down(&processor);
        let (given_up, polls) = (processor.index(), processor.shared().counters().polls());
        self.scheduler.charge(Work::IdleList, 1);
        self.scheduler.charge(Work::IdleWord, 1);
        self.scheduler.idle.retire(processor, self.machine);
        self.listed = true;
        self.wait_at_gap(given_up, polls);
        self.look_again_without(given_up);
    }

    /// Waits for a moment if the machine comes back without having polled anything, and there is
    /// something in the injector: then it lies behind a push under way, and the pusher may need
    /// this core to go on.
    fn wait_at_gap(&mut self, given_up: usize, polls: u64) {
        let before = std::mem::replace(&mut self.retired, (given_up, polls));
        if before != self.retired || self.scheduler.injector.is_empty() {
            self.gap = Backoff::new();
        } else {
            self.gap.wait();
        }
    }

    /// Looks at all queues once more after giving a processor up. A machine that goes to sleep then
    /// notifies the poll owner of the timers on that one (`try_own_poll`), and one that has it back
    /// looks at them itself. If another machine was quicker to take it, that one does either; but
    /// the watcher may have taken it out of play.
    fn look_again_without(&mut self, given_up: usize) {
        if self.look_again() && !self.holds(given_up) {
            self.watch_own_deadlines();
        }
    }

    fn holds(&self, index: usize) -> bool {
        self.context.with_processor(|processor| processor.is_some_and(|processor| processor.index() == index))
    }

    /// Looks at all queues once more, now that the machine is on the list of the idle, and comes
    /// back from there if there is work and a processor to do it with. `true` if it has one.
    pub(crate) fn look_again(&mut self) -> bool {
        if !self.scheduler.work_is_visible() {
            return false;
        }
        self.charge_for_position();
        let Resume::With(processor) = self.scheduler.idle.resume(self.machine) else {
            return false;
        };
        self.listed = false;
        self.context.take_up(processor);
        true
    }

    /// Takes the machine off the list of the idle. `Some` if it was chosen already: then it has a
    /// processor.
    pub(crate) fn stand_up(&mut self) -> Option<Box<Processor>> {
        if !std::mem::take(&mut self.listed) {
            return None;
        }
        // A machine with a processor in its mailbox was chosen, so the list has it no more: it
        // need not look for itself there, among up to 1,000, under the lock that choosers want.
        if let Some(processor) = self.machine.collect() {
            return Some(processor);
        }
        self.charge_for_position();
        if self.scheduler.idle.delist(self.machine) {
            return None;
        }
        Some(self.await_delivery())
    }

    /// Waits for the processor that is on its way, which takes the other side a few instructions.
    fn await_delivery(&self) -> Box<Processor> {
        loop {
            if let Some(processor) = self.machine.collect() {
                return processor;
            }
            self.machine.parker().park();
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
