//! The sleep of a machine, as far as it is more than the protocol: the root future, idle work, the
//! user's hooks, and the tasks that a sleep has yielded.
//!
//! `core/sleep.rs` has the protocol, and why no wake-up is lost. Here the scheduler is its runtime,
//! and the loop its machine.

use super::driver::WakeBatch;
use super::start::try_start_with;
use super::step::Step;
use super::{MachineLoop, RunIdleWork};
use crate::scheduler::block_on::root::LoopRoot;
use crate::scheduler::core::idle::Idle;
use crate::scheduler::core::machine::Machine;
use crate::scheduler::core::parker::Unparked;
use crate::scheduler::core::poll_owner::PollOwner;
use crate::scheduler::core::processor::Processor;
use crate::scheduler::core::processors::Processors;
use crate::scheduler::core::sleep::{FellAsleep, GivenUp, Listing, SleepingSide, WakingSide};
use crate::scheduler::scheduler::Hook;
use crate::scheduler::{RuntimeFlavor, Scheduler};
use crate::util::backoff::Backoff;
use crate::util::sync::Arc;

impl WakingSide for Scheduler {
    fn idle(&self) -> &Idle {
        &self.idle
    }

    fn poll_owner(&self) -> &PollOwner {
        &self.poll_owner
    }

    fn processors(&self) -> &Processors {
        &self.processors
    }

    fn work_is_visible(&self) -> bool {
        self.foreground_is_visible() || self.background_may_run()
    }

    fn earliest_deadline(&self) -> u64 {
        self.processors.earliest_deadline()
    }

    fn is_ending(&self) -> bool {
        self.shutdown.has_begun()
    }

    fn helpers_watch_network(&self) -> bool {
        self.helpers.any_watch() && self.helpers.watch_network(self.clock.elapsed())
    }

    fn part_with(&self, processor: &mut Processor) {
        if !self.config.keeps_order() {
            self.injector.push_all(processor.drain());
        }
    }

    fn start_machine_with(&self, processor: Box<Processor>) {
        // The machines of a current-thread runtime are the threads in `block_on`. And machines that
        // come during shutdown would only leave again, and each that finds work as it leaves would
        // start the next.
        let is_useless = self.config.flavor == RuntimeFlavor::CurrentThread
            || self.shutdown.has_begun()
            || self.simulation.as_ref().is_some_and(|simulation| !simulation.is_staged());
        if is_useless || self.threads.refusals.are_recent(self.clock.elapsed()) {
            return self.give_back(processor);
        }
        let machine = Machine::with_processor(processor);
        if let Err(processor) = try_start_with(self, machine) {
            // The machines that there are will come to its work when they next look.
            self.give_back(processor);
        }
    }

    fn interrupt_netpoller(&self) {
        match &self.simulation {
            Some(simulation) => simulation.interrupt(),
            None => self.netpoller.interrupt(),
        }
    }

    fn note_roused(&self, machine: &Machine, unparked: Unparked) {
        if let Some(simulation) = &self.simulation {
            simulation.note_roused(machine, unparked);
        }
    }
}

impl SleepingSide for MachineLoop<'_> {
    type Runtime = Scheduler;

    fn runtime(&self) -> &Scheduler {
        self.scheduler
    }

    fn machine(&self) -> &Arc<Machine> {
        self.machine
    }

    fn listing(&mut self) -> &mut Listing {
        &mut self.state.listing
    }

    fn take_up(&mut self, processor: Box<Processor>) {
        self.context.take_up(processor);
    }

    fn put_down(&mut self, processor: &Processor) {
        self.context.put_down(processor);
    }

    /// Waits for a moment if there is something in a shared queue: then a push is under way there,
    /// or another machine takes, and that thread may need this core to continue.
    fn pause_on_list(&mut self, polled_nothing: bool) {
        if !polled_nothing || (self.scheduler.injector.is_empty() && self.scheduler.background.is_empty()) {
            self.state.gap = Backoff::new();
        } else {
            self.state.gap.wait();
        }
    }
}

impl MachineLoop<'_> {
    #[inline(never)]
    pub(super) fn retire(&mut self, mut processor: Box<Processor>) {
        processor.shared().counters().parks.add(1);
        self.state.light = processor.clock().polls_are_light();
        self.give_up(processor, GivenUp::ToSleep);
    }

    #[inline(never)]
    pub(super) fn take_out_of_play(&mut self, processor: Box<Processor>) {
        self.give_up(processor, GivenUp::OutOfPlay);
    }

    /// Ends the loop: the tasks of the processor go to the injector, the processor to the idle.
    pub(crate) fn leave(&mut self) {
        let way = GivenUp::ToLeave { is_only: self.scheduler.config.keeps_order() };
        let delivered = |machine: &mut Self| Some(machine.context.begin_hold(machine.leave_list()?));
        match self.context.take_processor().or_else(|| delivered(self)) {
            Some(processor) => self.give_up(processor, way),
            None => self.see_to_work_and_timers(way),
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

    /// Goes to sleep, up to the sleep itself: in the netpoller, for one machine, on its own parker
    /// for the others. The machine holds no processor.
    pub(super) fn rest(&mut self, root: &impl LoopRoot) -> Step {
        if root.gives_up(self.counted) {
            return Step::Again;
        }
        match self.fall_asleep(|machine| machine.is_wanted(root)) {
            FellAsleep::No => Step::Again,
            FellAsleep::Parked => Step::Park,
            FellAsleep::InNetpoller { until } => Step::BlockInNetpoller { until },
            FellAsleep::Woken => {
                self.leave_netpoller(root);
                Step::Again
            }
        }
    }

    /// Does the idle work, if there is any, calls the hook, and returns whether the machine has got
    /// up for any of it, or for the root or the shutdown.
    fn is_wanted(&mut self, root: &impl LoopRoot) -> bool {
        let runner = self.scheduler.idle_work.runner().downcast_ref::<RunIdleWork>();
        if runner.expect("it is one")(self) {
            return true;
        }
        // A parallel call that held them back when the machine looked again has no work left.
        if self.scheduler.background_may_run() && self.look_again() {
            return true;
        }
        self.call_park_hook();
        let is_wanted = root.is_woken() || self.scheduler.shutdown.has_begun();
        if is_wanted {
            self.get_up(root, WakeBatch::default(), false);
        }
        is_wanted
    }

    /// The steps after a sleep in the netpoller: the tasks are collected that the netpoller and the
    /// timers have woken. A thread in `block_on` is woken by the poll owner; other wakers may be
    /// users' code, and wait for what the next poll owner brings.
    pub(in crate::scheduler) fn leave_netpoller(&mut self, root: &impl LoopRoot) {
        self.driver.fire_due(&*self.scheduler.elsewhere, if self.state.light { 0 } else { usize::MAX });
        let stays = self.driver.wakes_only_threads();
        let batch = self.leave_poll_owner(stays, |machine| machine.driver.wake());
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
                processor.note_fetched(batch.len());
                batch.spread(self.scheduler, &mut processor);
                self.context.put_processor(processor);
                true
            }
            None => {
                self.scheduler.inject_all(batch.into_tasks());
                // The timers that `leave_netpoller` has left for a processor, which the machine did
                // not get.
                self.driver.fire_due(&*self.scheduler.elsewhere, usize::MAX);
                self.scheduler.inject_all(self.driver.wake().into_tasks());
                false
            }
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
            self.scheduler.notify_poll_owner();
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
