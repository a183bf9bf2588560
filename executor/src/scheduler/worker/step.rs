//! The loop of a machine, and its one body, the step: take a processor, look for a task, poll the
//! task; with nothing found, fall asleep.

use wsrt_reactor::budget;

use super::MachineLoop;
use super::driver::WakeBatch;
use crate::scheduler::block_on::root::LoopRoot;
use crate::scheduler::core::fairness::Grant;
use crate::scheduler::core::found::{Found, FoundIn};
use crate::scheduler::core::processor::Processor;
use crate::scheduler::core::queue::HALF_RING;
use crate::scheduler::core::sleep::{SleepingSide, WakingSide};

/// The outcome of a step. A thread obeys by sleeping, a simulated machine by giving
/// the turn to another one.
pub(crate) enum Step {
    /// The machine has had a turn with this processor: step again.
    #[allow(dead_code, reason = "a simulation asks for the processor")]
    Turn { processor: usize },
    /// The machine was about to sleep, and has something to do after all: step again.
    Again,
    /// The machine is on the list of the idle. Park it, then [`get_up`](MachineLoop::get_up).
    Park,
    /// The machine is the poll owner, and has begun to sleep there. Block in the netpoller, up to
    /// this deadline, then [`leave_netpoller`](MachineLoop::leave_netpoller).
    BlockInNetpoller { until: u64 },
    /// The runtime shuts down, the root future is done, or the machine is surplus.
    Exit,
}

impl MachineLoop<'_> {
    /// Runs until the runtime shuts down, the root future is done, or the machine is surplus.
    pub(crate) fn run(&mut self, root: &impl LoopRoot) {
        let _outer_budget = budget::keep();
        loop {
            match self.step(root) {
                Step::Turn { .. } | Step::Again => {}
                Step::Park => {
                    let timed_out = self.park();
                    self.get_up(root, WakeBatch::default(), timed_out);
                }
                Step::BlockInNetpoller { until } => {
                    self.block_in_netpoller(until);
                    self.leave_netpoller(root);
                }
                Step::Exit => return,
            }
        }
    }

    /// Parks the thread, for the keep-alive time at most where there are more machines than
    /// processors. Returns whether the time ran out.
    fn park(&self) -> bool {
        let _parked = self.scheduler.observer.parked();
        if self.scheduler.threads.alive() <= self.scheduler.processors.regular() {
            self.machine.parker().park();
            return false;
        }
        !self.machine.parker().park_timeout(self.scheduler.config.thread_keep_alive)
    }

    fn block_in_netpoller(&mut self, until: u64) {
        let _sleeping = self.scheduler.observer.in_netpoller();
        self.driver.block(until);
    }

    /// Does one step: the only body of the loop.
    #[inline(always)]
    pub(crate) fn step(&mut self, root: &impl LoopRoot) -> Step {
        if self.is_over() || self.poll_root(root) {
            return Step::Exit;
        }
        match self.processor() {
            Some(processor) => self.turn(processor, root),
            None => {
                root.end_wait();
                self.rest(root)
            }
        }
    }

    pub(in crate::scheduler) fn is_over(&self) -> bool {
        self.state.surplus || self.scheduler.shutdown.has_begun()
    }

    /// Polls the root if it was woken. `true` when the root is done.
    ///
    /// The machine is on no list during the poll: a `block_on` in the root runs a loop that puts
    /// the machine on the list of the idle again. A root is a current-thread runtime's, which has
    /// no other machine: none searches, and none is to be told of tasks.
    #[inline]
    fn poll_root(&mut self, root: &impl LoopRoot) -> bool {
        if self.state.listing.listed {
            if !root.is_woken() {
                return false;
            }
            self.wake_up_with(WakeBatch::default(), true);
        }
        root.poll_if_woken(self.counted)
    }

    /// The processor that this machine holds: the one it had, unless the last task has handed that
    /// processor over, or another one that the machine was given.
    pub(in crate::scheduler) fn processor(&mut self) -> Option<Box<Processor>> {
        self.context.take_processor().or_else(|| self.collect_processor())
    }

    #[inline(never)]
    fn collect_processor(&mut self) -> Option<Box<Processor>> {
        Some(self.context.begin_hold(self.collect()?))
    }

    /// Looks for a task with `processor`, and polls the task. With none, `retire` gives the
    /// processor up and looks again (`core/sleep.rs`); the next step comes to `rest`, which falls
    /// asleep.
    #[inline(always)]
    fn turn(&mut self, mut processor: Box<Processor>, root: &impl LoopRoot) -> Step {
        let index = processor.index();
        let processors = &self.scheduler.processors;
        if processors.is_retirement_due() && index >= processors.regular() {
            self.take_out_of_play(processor);
            return Step::Turn { processor: index };
        }
        match self.look(&mut processor) {
            Some(found) => self.poll(processor, found),
            None if root.is_woken() => {
                root.end_wait();
                self.hold_for_root(processor);
            }
            None if self.spin_beside_sleepers(&processor) => self.context.put_processor(processor),
            None => self.retire(processor),
        }
        Step::Turn { processor: index }
    }

    /// The list of places where a task may be found, in order. `None` also where it is the turn of
    /// the root future, which was woken.
    ///
    /// The nearest work comes first, and work that would starve behind it comes first now and then:
    /// timers and the netpoller when their time has come, the injector at one tick in 61 at least.
    /// Ticks count polls, including the polls of a chain through runnext, so that no chain can hold
    /// anything off. The netpoller comes before stealing, since its events wait for no other
    /// machine to be done. `steal` makes the machine a searcher, unless enough search already.
    /// Background tasks have the time that nothing else wants, and a small share of a busy
    /// processor's.
    pub(super) fn look(&mut self, processor: &mut Processor) -> Option<Found> {
        processor.clock().advance();
        if self.keep_time(processor) {
            return None;
        }
        self.injector_in_its_turn(processor)
            .or_else(|| processor.next_in_chain())
            .or_else(|| processor.pop().map(|task| task.found(FoundIn::RING)))
            .or_else(|| self.batch_from_injector(processor))
            .or_else(|| self.look_at_network(processor))
            .or_else(|| self.steal(processor))
            .or_else(|| self.background(processor))
    }

    /// Polls the task, and leaves the contexts that its code has entered and kept.
    ///
    /// Inlined always, in its one place: a call costs each poll some 18 instructions.
    #[inline(always)]
    pub(in crate::scheduler) fn poll(&mut self, processor: Box<Processor>, found: Found) {
        processor.shared().counters().count_poll(found.source.kind());
        processor.shared().watch().begin_poll(found.task.id().as_u64(), found.task.spawned_at());
        if processor.is_special() {
            self.poll_after_all_else(processor, found);
        } else {
            self.context.put_processor(processor);
            budget::refill();
            found.task.run();
        }
        if !self.context.is_innermost() {
            self.counted.come_back();
        }
    }

    /// Steps that precede some polls: other machines are woken for work, and observers see the
    /// poll.
    #[inline(never)]
    fn poll_after_all_else(&self, mut processor: Box<Processor>, found: Found) {
        if processor.is_searching() {
            self.scheduler.stop_searching(&mut processor);
        }
        if processor.take_unannounced() {
            self.scheduler.wake_one();
        }
        let (index, observed) = (processor.index(), processor.is_observed());
        self.context.put_processor(processor);
        budget::refill();
        if observed {
            return self.scheduler.observer.poll(index, found.task, found.source.number());
        }
        found.task.run();
    }

    fn injector_in_its_turn(&self, processor: &mut Processor) -> Option<Found> {
        let interval = self.scheduler.config.global_queue_interval;
        if !processor.fairness().tick(interval) {
            return None;
        }
        self.one_from_injector(processor, interval)
    }

    /// A background task, if some of this processor's time is owed to them; else the next task of
    /// the injector's turn. The turn ends if the injector is empty, or if the processor has no task
    /// of its own, and takes a batch.
    #[inline(never)]
    fn one_from_injector(&self, processor: &mut Processor, interval: u32) -> Option<Found> {
        if let Some(found) = self.background_in_its_turn(processor) {
            return Some(found);
        }
        let now = processor.clock().now();
        // Where tasks run in order, those in the injector came later than those in the ring.
        if self.scheduler.config.keeps_order() || processor.has_no_task() || self.scheduler.injector.is_empty() {
            processor.fairness().begin_own(now);
            return None;
        }
        match processor.fairness().grant(interval, now) {
            Grant::Own => return None,
            Grant::First => processor.set_runnext_aside(),
            // The turn continues with the tasks that its tasks have woken.
            Grant::Another if processor.has_more_in_runnext() => return None,
            Grant::Another => {}
        }
        // Where a push is under way, or another machine takes, there may be none for a moment.
        let task = self.scheduler.injector.take_batch(1)?.next()?;
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
        let share = HALF_RING.min(waiting).min(waiting / self.scheduler.processors.regular() + 1);
        let mut batch = self.scheduler.injector.take_batch(share)?;
        let first = batch.next()?;
        let placed = processor.push_own_batch(&mut batch);
        drop(batch);
        self.scheduler.settle(processor.index(), placed);
        processor.begin_slice();
        Some(first.found(FoundIn::INJECTOR))
    }

    /// Continues with the root future, which yielded: all others have had their turn, and the
    /// netpoller was looked at.
    fn hold_for_root(&self, mut processor: Box<Processor>) {
        if processor.is_searching() {
            self.scheduler.stop_searching(&mut processor);
        }
        self.context.put_processor(processor);
    }

    /// Spins for a moment before the machine sleeps, if it has just woken a thread that waits
    /// beside the machines: that may send the next request. Returns whether there is work.
    ///
    /// Only as a searcher, which finds all that is submitted during the search, and which others
    /// rely on.
    fn spin_beside_sleepers(&mut self, processor: &Processor) -> bool {
        let scheduler = self.scheduler;
        self.context.take_woken_sleeper()
            && processor.is_searching()
            && self.state.spin_time.spin(|| scheduler.work_is_visible() || scheduler.shutdown.has_begun())
    }
}
