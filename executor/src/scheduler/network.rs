//! The netpoller as a place to look, and as a place to sleep.

use std::ops::RangeInclusive;
use std::time::Duration;

use wsrt_reactor::Turn;
use wsrt_trace::{Activity, EventKind};

use crate::observe::counters::{Arrivals, Count};
use crate::scheduler::found::{Found, FoundIn};
use crate::scheduler::machine_loop::MachineLoop;
use crate::scheduler::processor::Processor;
use crate::scheduler::root::Root;
use crate::task::TaskQueue;
use crate::util::backoff::Backoff;

fn poller_failed(error: &std::io::Error) -> ! {
    panic!("wsrt: the operating system's poller failed: {error}")
}

impl MachineLoop<'_> {
    /// Looks at the netpoller without blocking.
    pub(crate) fn look_at_network(&mut self, processor: &mut Processor) -> Option<Found> {
        self.poll_network(processor);
        Some(processor.pop()?.found(FoundIn::NETWORK))
    }

    /// One turn of the netpoller that does not block; what it readied is spread over this processor
    /// and the idle ones. `true` if timers fire one by one, and it is the turn of the task of one.
    pub(crate) fn poll_network(&mut self, processor: &mut Processor) -> bool {
        processor.note_network_polled();
        let counters = processor.shared().counters();
        counters.netpolls.add(1);
        if self.scheduler.poll_owner.is_present() {
            return false;
        }
        if !self.scheduler.netpoller.is_unused() {
            counters.arrivals.count_turn(self.turn(Some(Duration::ZERO)));
        }
        // Nobody else looks at the timers of idle processors while there is no poll owner.
        let now = self.scheduler.timer_time(processor.clock().now());
        let most = self.timers_at_once(processor, now.saturating_sub(self.scheduler.earliest_deadline()));
        self.collect_due_timers(most, &processor.shared().counters().arrivals);
        let batch = self.gather_wakers();
        self.spread(processor, batch);
        most == 1 && !processor.has_no_task()
    }

    /// Sleeps until there may be something to do: in the netpoller, for one machine, on its own
    /// parker for the others. The machine holds no processor when this begins, and is off the list
    /// of the idle when it returns.
    pub(crate) fn sleep(&mut self, root: &impl Root) {
        if !self.listed {
            self.scheduler.idle.enlist(self.machine);
            self.listed = true;
            // Work that came while this machine was on no list, and no other was, has woken nobody.
            if self.look_again() {
                return;
            }
        }
        if self.help() {
            return;
        }
        let mut batch = TaskQueue::new();
        let mut timed_out = false;
        // Both after the barrier of retiring or enlisting: who wakes the root or shuts down sees
        // the machine on the list, or is seen here.
        if !root.is_woken() && !self.scheduler.shutdown.has_begun() {
            match self.try_own_poll() {
                Some(readied) => batch = readied,
                None => timed_out = self.scheduler.park_machine(self.machine),
            }
        }
        let wanted = !batch.is_empty() || root.is_woken() || self.scheduler.timer_is_due();
        let held = self.wake_up_with(batch, wanted);
        // Looked at off the list: the owner of a region may have found this machine there, and
        // relies on its coming.
        let needed = || held || self.scheduler.computing.open_regions.find().is_some();
        self.surplus = timed_out && !needed() && self.scheduler.can_spare_a_machine();
    }

    /// Blocks in the netpoller, unless somebody does already, and returns what that and the timers
    /// have readied.
    fn try_own_poll(&mut self) -> Option<TaskQueue> {
        let helpers = &self.scheduler.computing.helpers;
        if helpers.any_watch() && helpers.watch_network(self.scheduler.now()) {
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
        if self.machine.parker().begin_polling() {
            self.scheduler.observer.show(EventKind::Enter(Activity::Netpoller));
            self.block_in_netpoller(published);
            self.scheduler.observer.show(EventKind::Leave(Activity::Netpoller));
            self.machine.parker().end_polling();
        }
        self.scheduler.poll_owner.leave();
        if !self.light {
            self.collect_due_timers(usize::MAX, &self.scheduler.observer.elsewhere);
        }
        Some(self.gather_wakers())
    }

    /// The timers of the processor that this machine has just given up are now the keeper's to
    /// watch. Which exit from the loop owes this is said in `docs/SLEEPING.md`, section 5.
    pub(crate) fn watch_own_deadlines(&self) {
        let deadline = self.scheduler.earliest_deadline();
        if deadline != u64::MAX {
            self.scheduler.watch_deadline(deadline);
        }
    }

    /// `published` is the deadline that others rely on: whoever arms a timer behind it does not
    /// interrupt.
    fn block_in_netpoller(&mut self, published: u64) {
        let mut backoff = Backoff::new();
        loop {
            // Read again, now that the keeper's deadline is published: see `PollOwner`.
            let turn = match self.scheduler.earliest_deadline().min(published) {
                u64::MAX => self.turn(None),
                _ if self.scheduler.clock.is_stopped() => self.turn_without_time(),
                deadline => self.turn_until(deadline..=self.scheduler.shared_wake(deadline)),
            };
            self.scheduler.observer.elsewhere.count_turn(turn);
            match turn {
                Turn::Polled { .. } => return,
                // Another machine polls without blocking, and is done in a microsecond.
                Turn::Busy | Turn::Kept => backoff.wait(),
            }
        }
    }

    /// A turn while the clock stands: there is nothing to wait for but the outside. If nothing has
    /// come from there, and no blocking job may yet bring something, the clock is moved on to the
    /// next timer.
    fn turn_without_time(&mut self) -> Turn {
        let deadline = self.scheduler.next_deadline();
        if deadline == u64::MAX || self.scheduler.blocking.is_at_work() {
            return self.turn(None);
        }
        let turn = self.turn(Some(Duration::ZERO));
        if matches!(turn, Turn::Polled { events: 0, .. }) && self.wakers.is_empty() {
            self.scheduler.clock.skip_to(self.scheduler.instant(deadline));
        }
        turn
    }

    pub(crate) fn turn(&mut self, timeout: Option<Duration>) -> Turn {
        self.scheduler.observer.show_turn_begin(timeout != Some(Duration::ZERO));
        let turn = self.scheduler.netpoller.turn(timeout, &mut self.wakers);
        self.end_turn(turn)
    }

    /// A turn that ends at one of `deadlines` if nothing happens: which, is for the netpoller to
    /// choose.
    fn turn_until(&mut self, deadlines: RangeInclusive<u64>) -> Turn {
        let moment = |deadline| self.scheduler.clock.in_system_time(self.scheduler.instant(deadline));
        let moments = moment(*deadlines.start())..=moment(*deadlines.end());
        self.scheduler.observer.show_turn_begin(true);
        let turn = self.scheduler.netpoller.turn_until_one_of(moments, &mut self.wakers);
        self.end_turn(turn)
    }

    fn end_turn(&mut self, turn: std::io::Result<Turn>) -> Turn {
        let turn = turn.unwrap_or_else(|error| poller_failed(&error));
        self.from_network = self.wakers.len();
        self.scheduler.observer.show_turn_end(if let Turn::Polled { events, .. } = turn { events } else { 0 });
        turn
    }

    /// Collects the wakers of the timers that are due, whichever processor they belong to, but not
    /// of more than `most`, and counts them in `books`.
    pub(crate) fn collect_due_timers(&mut self, mut most: usize, counts: &Arrivals<impl Count>) {
        if self.scheduler.earliest_deadline() == u64::MAX {
            return;
        }
        let now = self.scheduler.timer_now();
        for processor in self.scheduler.processors.iter() {
            let fired = processor.timers().fire_some_due(now, most, &mut self.wakers);
            counts.count_fired(fired);
            most -= fired.count;
            if most == 0 {
                return;
            }
        }
    }

    /// Wakes what was collected, and returns the tasks that it readied.
    pub(crate) fn gather_wakers(&mut self) -> TaskQueue {
        let from_network = std::mem::take(&mut self.from_network);
        self.context.gather_wakers(&mut self.wakers, from_network)
    }

    /// Comes back from sleep with tasks in hand: with the processor that this machine was woken
    /// for, or, if one is wanted, with an idle one. With neither, the tasks go to the injector,
    /// where the busy processors find them. `true` if it has one now.
    pub(crate) fn wake_up_with(&mut self, batch: TaskQueue, wanted: bool) -> bool {
        let given = self.stand_up();
        match given.or_else(|| if wanted { self.scheduler.idle.acquire() } else { None }) {
            Some(mut processor) => {
                let now = self.scheduler.now();
                processor.begin_hold(now);
                self.scheduler.observer.show(EventKind::Enter(Activity::Holds(processor.index() as u16)));
                self.spread(&mut processor, batch);
                self.context.put_processor(processor);
                true
            }
            None => {
                self.scheduler.inject_all(batch);
                // What was left to the processor that was hoped for.
                self.collect_due_timers(usize::MAX, &self.scheduler.observer.elsewhere);
                let batch = self.gather_wakers();
                self.scheduler.inject_all(batch);
                false
            }
        }
    }
}
