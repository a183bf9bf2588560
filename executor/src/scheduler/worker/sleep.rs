//! The sleep of a machine: retire, look again, park or become the poll owner, get up, leave.
//!
//! Two sides race here. A *submitter* makes a task visible, and then reads the idle word, to wake a
//! machine if a processor is idle and no machine searches (`Scheduler::wake_one`). A *retiring*
//! machine raises the idle word, and then looks at everything that is visible ([`look_again`]). A
//! full barrier (`fence(SeqCst)`, in `core/idle.rs`) lies between the two steps of each. So at
//! least one side sees the store of the other: the submitter finds the processor idle, and wakes a
//! machine for it, or the machine finds the task. A submitter that wakes nobody, since a machine
//! searches, relies on that machine, which looks at everything once more when its search is over:
//! here, or in `stop_searching`. No task is left beside a sleeper. `docs/SLEEPING.md` has the steps
//! by number, the races, and the loom models.
//!
//! A machine that sleeps or leaves also owes something to the timers of the processor that it gives
//! up, and to the netpoller. Nobody but the holder of a processor fires the timers in its queue:
//! once the processor is given up, the timers need the poll owner. And one machine has to be that,
//! and block in the netpoller. [`GivenUp`] names the ways to give a processor up, and
//! [`MachineLoop::give_up`] has what each owes.
//!
//! [`look_again`]: MachineLoop::look_again

use super::driver::{Wait, WakeBatch};
use super::step::Step;
use super::{MachineLoop, RunIdleWork};
use crate::scheduler::block_on::root::LoopRoot;
use crate::scheduler::core::idle::Resume;
use crate::scheduler::core::processor::Processor;
use crate::scheduler::scheduler::Hook;
use crate::util::backoff::Backoff;

/// The ways in which a machine gives its processor up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GivenUp {
    /// The machine has found no task. The processor is idle, and the machine goes to sleep.
    ToSleep,
    /// The processor goes out of play: a stuck poll that it replaced has returned, or the
    /// runtime has shrunk. The machine stays.
    ForGood,
    /// The loop ends. The processor is idle, and the machine is no more.
    ToLeave,
}

/// Giving a processor up.
impl MachineLoop<'_> {
    #[inline(never)]
    pub(super) fn retire(&mut self, mut processor: Box<Processor>) {
        processor.shared().counters().parks.add(1);
        self.state.light = processor.clock().polls_are_light();
        self.give_up(processor, GivenUp::ToSleep);
    }

    #[inline(never)]
    pub(super) fn retire_for_good(&mut self, processor: Box<Processor>) {
        self.give_up(processor, GivenUp::ForGood);
    }

    /// Ends the loop: the tasks of the processor go to the injector, the processor to the idle.
    pub(crate) fn leave(&mut self) {
        let delivered = |machine: &mut Self| Some(machine.context.begin_hold(machine.leave_list()?));
        match self.context.take_processor().or_else(|| delivered(self)) {
            Some(processor) => self.give_up(processor, GivenUp::ToLeave),
            None => self.see_to_work_and_timers(GivenUp::ToLeave),
        }
    }

    /// Ends the loop inside a task of a current-thread runtime: the task continues, with the
    /// processor if there is one. Nothing is owed, for the loop around the task's poll continues
    /// with all of it, and there is no other machine.
    pub(crate) fn leave_to_task(&mut self) {
        if let Some(processor) = self.leave_list() {
            self.context.take_up(processor);
        }
    }

    /// Gives `processor` up, and sees to everything that relied on the machine to hold it.
    fn give_up(&mut self, mut processor: Box<Processor>, way: GivenUp) {
        let scheduler = self.scheduler;
        let (index, polls) = (processor.index(), processor.shared().counters().polls());
        self.context.put_down(&processor);
        match way {
            GivenUp::ToSleep => {
                // One step, and a full barrier behind it: from here on submitters see the processor
                // idle and this machine on the list. For a task that was made visible before, its
                // submitter may have woken nobody: `look_again` finds it.
                scheduler.idle.retire(processor, self.machine);
                self.state.listed = true;
                self.wait_at_gap(index, polls);
                self.look_again();
                return;
            }
            GivenUp::ForGood => {
                scheduler.part_with(&mut processor);
                let _ = scheduler.idle.retire_for_good(&mut processor);
                if let Some(stays) = scheduler.processors.take_out_of_play(processor) {
                    scheduler.idle.add(stays);
                }
            }
            GivenUp::ToLeave => {
                scheduler.part_with(&mut processor);
                if scheduler.config.keeps_order() {
                    // Work and timers wait for the next thread to come, unless one is there.
                    if !scheduler.idle.give_up_only(processor) {
                        return;
                    }
                } else {
                    scheduler.idle.give_up(processor, None);
                }
            }
        }
        self.see_to_work_and_timers(way);
    }

    /// Wakes another machine for what this one would have found, and tells the poll owner of the
    /// timers that this one would have fired.
    fn see_to_work_and_timers(&self, way: GivenUp) {
        let scheduler = self.scheduler;
        if scheduler.shutdown.has_begun() {
            // All of it is dropped.
            return;
        }
        // A machine that leaves may have been the last that would have blocked in the netpoller:
        // then another is woken for it. One that falls asleep later sees that there is no poll
        // owner. A machine that stays becomes the poll owner itself.
        let leaves_netpoller = way == GivenUp::ToLeave && !scheduler.poll_owner.is_present();
        if scheduler.work_is_visible() || leaves_netpoller {
            scheduler.wake_one();
        }
        // Not only if none was woken: a machine that was finds work, and may be busy with the work
        // for longer than until the timers are due. Nor is it left to the sleep of a machine that
        // stays, which may find another processor idle, and continue.
        self.watch_own_deadlines();
    }

    /// Waits for a moment if the machine comes back without having polled anything, and there is
    /// something in the injector: then the task lies behind a push under way, and the pusher may
    /// need this core to continue.
    pub(super) fn wait_at_gap(&mut self, given_up: usize, polls: u64) {
        let before = std::mem::replace(&mut self.state.retired, (given_up, polls));
        if before != self.state.retired || self.scheduler.injector.is_empty() {
            self.state.gap = Backoff::new();
        } else {
            self.state.gap.wait();
        }
    }

    /// Tells the poll owner of the timers of the processor that was given up last, if the machine
    /// comes back with another one before it sleeps: it had been chosen, or was too late for its
    /// own. A machine that sleeps does so in `begin_own_poll`, and one that has its processor back
    /// fires its timers itself.
    pub(super) fn hand_over_left_timers(&self, comes_back_with: &Processor) {
        if comes_back_with.index() != self.state.retired.0 {
            self.watch_own_deadlines();
        }
    }

    /// Looks at all queues once more, now that the machine is on the list of the idle, and comes
    /// back from there if there is work and a processor to do it with. `true` if it has one.
    ///
    /// If there is work and no processor, it stays: either a submitter has chosen this machine, and
    /// a processor is on its way to the mailbox, which ends the sleep; or other machines hold all
    /// processors, and each of them looks again before it sleeps.
    pub(super) fn look_again(&mut self) -> bool {
        if !self.scheduler.work_is_visible() {
            return false;
        }
        let Resume::With(processor) = self.scheduler.idle.resume(self.machine) else {
            return false;
        };
        self.state.listed = false;
        self.hand_over_left_timers(&processor);
        self.context.take_up(processor);
        true
    }
}

/// Falling asleep and getting up.
impl MachineLoop<'_> {
    /// Goes to sleep, up to the sleep itself: in the netpoller, for one machine, on its own parker
    /// for the others. The machine holds no processor.
    pub(super) fn fall_asleep(&mut self, root: &impl LoopRoot) -> Step {
        if !self.is_to_sleep(root) {
            return Step::Again;
        }
        self.call_park_hook();
        // Both checks come after the barrier of retiring or enlisting: a thread that wakes the root
        // or shuts down sees the machine on the list, or is seen here.
        if root.is_woken() || self.scheduler.shutdown.has_begun() {
            self.get_up(root, WakeBatch::default(), false);
            return Step::Again;
        }
        let Some(until) = self.begin_own_poll() else { return Step::Park };
        if self.machine.parker().begin_polling() {
            return Step::BlockInNetpoller { until };
        }
        let batch = self.end_own_poll();
        self.get_up(root, batch, false);
        Step::Again
    }

    /// The steps before a sleep: the machine comes on the list of the idle, and looks whether there
    /// is something to do after all.
    fn is_to_sleep(&mut self, root: &impl LoopRoot) -> bool {
        if root.gives_up(self.counted) {
            return false;
        }
        if !self.state.listed {
            self.scheduler.idle.enlist(self.machine);
            self.state.listed = true;
            // Work that came while no machine was on the list has woken nobody.
            if self.look_again() {
                return false;
            }
        }
        let runner = self.scheduler.idle_work.runner().downcast_ref::<RunIdleWork>();
        !runner.expect("it is one")(self)
    }

    /// The steps after a sleep in the netpoller.
    pub(in crate::scheduler) fn leave_netpoller(&mut self, root: &impl LoopRoot) {
        self.machine.parker().end_polling();
        let batch = self.end_own_poll();
        self.get_up(root, batch, false);
    }

    /// The steps after a sleep: `batch` has the tasks that it yielded. `timed_out` says that it has
    /// lasted for the keep-alive time.
    pub(in crate::scheduler) fn get_up(&mut self, root: &impl LoopRoot, batch: WakeBatch, timed_out: bool) {
        let scheduler = self.scheduler;
        let batch = self.call_unpark_hook(batch);
        let wanted = !batch.is_empty() || root.is_woken() || scheduler.timer_is_due();
        let held = self.wake_up_with(batch, wanted);
        // Asked only after leaving the list: a thread that offered work before may have found this
        // machine there, and counts on it.
        let needed = || held || scheduler.idle_work.is_wanted();
        self.state.surplus = timed_out && !needed() && scheduler.threads.let_one_go(scheduler.processors.regular());
    }

    /// Comes back from sleep with tasks in hand: with the processor that this machine was woken
    /// for, or, if one is wanted, with an idle one. With neither, the tasks go to the injector,
    /// where the busy processors find them. `true` if the machine has a processor now.
    pub(crate) fn wake_up_with(&mut self, batch: WakeBatch, wanted: bool) -> bool {
        let given = self.leave_list();
        match given.or_else(|| if wanted { self.scheduler.idle.acquire() } else { None }) {
            Some(processor) => {
                let mut processor = self.context.begin_hold(processor);
                self.spread(&mut processor, batch);
                self.context.put_processor(processor);
                true
            }
            None => {
                self.scheduler.inject_all(batch.into_tasks());
                // The tasks that `end_own_poll` has left for a processor, which the machine did not
                // get.
                let batch = self.driver.collect(&*self.scheduler.elsewhere, Wait::Skip, usize::MAX);
                self.scheduler.inject_all(batch.into_tasks());
                false
            }
        }
    }

    /// Takes the machine off the list of the idle. `Some` if the machine was chosen already: then
    /// it has a processor.
    pub(crate) fn leave_list(&mut self) -> Option<Box<Processor>> {
        if !std::mem::take(&mut self.state.listed) {
            return None;
        }
        // A machine with a processor in its mailbox was chosen, so the list has it no more: it
        // need not look for itself there, among up to 1,000, under the lock that choosers want.
        if let Some(processor) = self.machine.collect() {
            return Some(processor);
        }
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

/// The netpoller, and the timers of processors without a holder.
impl MachineLoop<'_> {
    /// Becomes the poll owner, if there is none, and returns the deadline that is published.
    fn begin_own_poll(&mut self) -> Option<u64> {
        let helpers = &self.scheduler.helpers;
        if helpers.any_watch() && helpers.watch_network(self.scheduler.clock.elapsed()) {
            // They may come upon a long piece of work. Then the watcher sees to the netpoller: it
            // has to be up.
            self.scheduler.idle.watcher().wake_if_asleep();
            return None;
        }
        let published = self.scheduler.earliest_deadline();
        if !self.scheduler.poll_owner.take_over(published) {
            self.watch_own_deadlines();
            return None;
        }
        self.scheduler.idle.choose_last(self.machine);
        Some(published)
    }

    /// The poll owner leaves, and returns the tasks that the netpoller and the timers have woken.
    fn end_own_poll(&mut self) -> WakeBatch {
        self.scheduler.poll_owner.leave();
        let most = if self.state.light { 0 } else { usize::MAX };
        self.driver.collect(&*self.scheduler.elsewhere, Wait::Skip, most)
    }

    /// Tells the poll owner of the earliest deadline: the timers of the processor that this machine
    /// has just given up are now the poll owner's to fire.
    pub(crate) fn watch_own_deadlines(&self) {
        let deadline = self.scheduler.earliest_deadline();
        if deadline != u64::MAX {
            self.scheduler.watch_deadline(deadline);
        }
    }
}

/// The user's hooks around a sleep. They may wake and spawn: the machine is on the list of the
/// idle, so that it is woken for that if no other is.
impl MachineLoop<'_> {
    /// Calls the hook before a sleep. It may wait, perhaps for a timer that this machine has left:
    /// so the poll owner is notified before.
    #[inline]
    fn call_park_hook(&self) {
        let hook = self.scheduler.config.on_thread_park.as_ref();
        if hook.is_some() {
            self.watch_own_deadlines();
        }
        self.call_sleep_hook("on_thread_park", hook);
    }

    /// Calls the hook after a sleep. It may wait, perhaps for one of the tasks of `batch`: so they
    /// are placed before, and none is left.
    #[inline]
    fn call_unpark_hook(&self, mut batch: WakeBatch) -> WakeBatch {
        let hook = self.scheduler.config.on_thread_unpark.as_ref();
        if hook.is_some() {
            self.scheduler.inject_all(std::mem::take(&mut batch).into_tasks());
        }
        self.call_sleep_hook("on_thread_unpark", hook);
        batch
    }

    #[inline]
    fn call_sleep_hook(&self, name: &str, hook: Option<&Hook>) {
        if let Some(hook) = hook {
            self.scheduler.call_in_hook(self.counted, self.machine, name, hook);
        }
    }
}
