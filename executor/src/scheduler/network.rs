//! The netpoller as a place to look, and as a place to sleep.

use crate::scheduler::Scheduler;
use crate::scheduler::driver::{Wait, WakeBatch};
use crate::scheduler::found::{Found, FoundIn};
use crate::scheduler::machine_loop::MachineLoop;
use crate::scheduler::poll_owner::Watch;
use crate::scheduler::processor::Processor;
use crate::scheduler::root::Root;
use crate::scheduler::scheduler::Hook;

impl MachineLoop<'_> {
    /// Looks at the netpoller without blocking.
    pub(crate) fn look_at_network(&mut self, processor: &mut Processor) -> Option<Found> {
        self.poll_network(processor);
        Some(processor.pop()?.found(FoundIn::NETWORK))
    }

    /// One turn of the netpoller that does not block; the readied tasks are spread over this
    /// processor and the idle ones. `true` if timers fire one by one, and it is the turn of the
    /// task of one.
    pub(crate) fn poll_network(&mut self, processor: &mut Processor) -> bool {
        processor.note_network_polled();
        processor.shared().counters().netpolls.add(1);
        if self.scheduler.poll_owner.is_present() {
            return false;
        }
        // No other machine looks at the timers of idle processors while there is no poll owner.
        let now = self.scheduler.clock.timer_time(processor.clock().now());
        let earliest = self.scheduler.earliest_deadline();
        let most = self.timers_at_once(processor, now.saturating_sub(earliest));
        let batch = self.driver.collect(&processor.shared().counters().arrivals, Wait::Poll, most);
        if earliest <= now {
            self.place_with_timers(processor, batch);
        } else {
            self.spread(processor, batch);
        }
        most == 1 && !processor.has_no_task()
    }

    /// Sleeps until there may be something to do: in the netpoller, for one machine, on its own
    /// parker for the others. The machine holds no processor when this begins, and is off the list
    /// of the idle when it returns.
    pub(crate) fn sleep(&mut self, root: &impl Root) {
        if !self.is_to_sleep(root) {
            return;
        }
        let scheduler = self.scheduler;
        let mut batch = WakeBatch::default();
        let mut timed_out = false;
        self.call_park_hook();
        // Both after the barrier of retiring or enlisting: a thread that wakes the root or shuts
        // down sees the machine on the list, or is seen here.
        if !root.is_woken() && !self.scheduler.shutdown.has_begun() {
            match self.try_own_poll() {
                Some(readied) => batch = readied,
                None => {
                    let _parked = scheduler.observer.parked();
                    timed_out = scheduler.threads.park(self.machine, scheduler);
                }
            }
        }
        self.get_up(root, batch, timed_out);
    }

    /// The steps before a sleep: the machine comes on the list of the idle, and looks whether there
    /// is something to do after all.
    pub(super) fn is_to_sleep(&mut self, root: &impl Root) -> bool {
        if root.gives_up(self.context) {
            return false;
        }
        if !self.listed {
            self.scheduler.idle.enlist(self.machine);
            self.listed = true;
            // Work that came while this machine was on no list, and no other was, has woken none.
            if self.look_again() {
                return false;
            }
        }
        !self.scheduler.idle_work.run(self)
    }

    /// The steps after a sleep, which has readied `batch`, or has lasted for the keep-alive time.
    pub(super) fn get_up(&mut self, root: &impl Root, batch: WakeBatch, timed_out: bool) {
        let scheduler = self.scheduler;
        let batch = self.call_unpark_hook(batch);
        let wanted = !batch.is_empty() || root.is_woken() || self.scheduler.timer_is_due();
        let held = self.wake_up_with(batch, wanted);
        // Asked off the list: a thread with work to offer may have found this machine there, and
        // relies on its coming.
        let needed = || held || scheduler.idle_work.is_wanted();
        self.surplus = timed_out && !needed() && scheduler.threads.let_one_go(scheduler.processors.regular());
    }

    /// Calls the user's hook before a sleep, if there is one. It may wait, perhaps for a timer that
    /// this machine has left: so the poll owner is notified before.
    #[inline]
    pub(super) fn call_park_hook(&self) {
        let hook = self.scheduler.config.on_thread_park.as_ref();
        if hook.is_some() {
            self.watch_own_deadlines();
        }
        self.call_sleep_hook("on_thread_park", hook);
    }

    /// Calls the user's hook after a sleep, if there is one. It may wait, perhaps for one of the
    /// tasks of `batch`: so they are placed before, and none is left.
    #[inline]
    fn call_unpark_hook(&self, mut batch: WakeBatch) -> WakeBatch {
        let hook = self.scheduler.config.on_thread_unpark.as_ref();
        if hook.is_some() {
            self.scheduler.inject_all(std::mem::take(&mut batch).into_tasks());
        }
        self.call_sleep_hook("on_thread_unpark", hook);
        batch
    }

    /// Calls the user's hook around a sleep, if there is one. It may wake and spawn: the machine is
    /// on the list of the idle, so that it is woken for that if no other is.
    #[inline]
    fn call_sleep_hook(&self, name: &str, hook: Option<&Hook>) {
        if let Some(hook) = hook {
            self.scheduler.call_in_hook(self.context, self.machine, name, hook);
        }
    }

    /// Blocks in the netpoller, unless another machine does already, and returns the tasks that it
    /// and the timers have readied.
    fn try_own_poll(&mut self) -> Option<WakeBatch> {
        let published = self.begin_own_poll()?;
        if self.machine.parker().begin_polling() {
            let sleeping = self.scheduler.observer.in_netpoller();
            self.driver.block(published);
            drop(sleeping);
            self.machine.parker().end_polling();
        }
        Some(self.end_own_poll())
    }

    /// Becomes the poll owner, if there is none, and returns the deadline that is published.
    pub(super) fn begin_own_poll(&mut self) -> Option<u64> {
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

    /// The poll owner leaves, and returns the tasks that the netpoller and the timers have readied.
    pub(super) fn end_own_poll(&mut self) -> WakeBatch {
        self.scheduler.poll_owner.leave();
        let most = if self.light { 0 } else { usize::MAX };
        self.driver.collect(&*self.scheduler.elsewhere, Wait::Skip, most)
    }

    /// The timers of the processor that this machine has just given up are now the poll owner's to
    /// watch. Which exit from the loop owes this is said in `docs/SLEEPING.md`, section 5.
    pub(crate) fn watch_own_deadlines(&self) {
        let deadline = self.scheduler.earliest_deadline();
        if deadline != u64::MAX {
            self.scheduler.watch_deadline(deadline);
        }
    }

    /// Comes back from sleep with tasks in hand: with the processor that this machine was woken
    /// for, or, if one is wanted, with an idle one. With neither, the tasks go to the injector,
    /// where the busy processors find them. `true` if it has one now.
    pub(crate) fn wake_up_with(&mut self, batch: WakeBatch, wanted: bool) -> bool {
        let given = self.stand_up();
        match given.or_else(|| if wanted { self.scheduler.idle.acquire() } else { None }) {
            Some(processor) => {
                let mut processor = self.context.begin_hold(processor);
                self.spread(&mut processor, batch);
                self.context.put_processor(processor);
                true
            }
            None => {
                if let Some(processor) = wanted.then(|| self.begin_errand()).flatten() {
                    self.run_errand(processor, batch);
                    return true;
                }
                self.scheduler.inject_all(batch.into_tasks());
                // The tasks left to the processor that was hoped for.
                let batch = self.driver.collect(&*self.scheduler.elsewhere, Wait::Skip, usize::MAX);
                self.scheduler.inject_all(batch.into_tasks());
                false
            }
        }
    }
}

impl Scheduler {
    /// Ends the poll owner's sleep, or the next one's.
    pub(crate) fn interrupt_netpoller(&self) {
        match &self.simulation {
            Some(simulation) => simulation.interrupt(),
            None => self.netpoller.interrupt(),
        }
    }

    /// Sees to it that a timer for `deadline`, in a queue that no running machine looks at, fires
    /// in time.
    pub(crate) fn watch_deadline(&self, deadline: u64) {
        match self.poll_owner.watch(deadline) {
            Watch::InTime => {}
            Watch::TooLate => self.interrupt_netpoller(),
            // The woken machine finds nothing to do and becomes the poll owner, with the right
            // deadline.
            Watch::Unattended => self.wake_one(),
        }
    }
}
