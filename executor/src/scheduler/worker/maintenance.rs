//! Maintenance between polls: due timers, and the netpoller, for a processor that is never out of
//! work.

use std::iter::once;

use super::MachineLoop;
use crate::scheduler::block_on::root::RootRef;
use crate::scheduler::core::found::{Found, FoundIn};
use crate::scheduler::core::limits::ACCEPTED_DELAY;
use crate::scheduler::core::processor::Processor;

/// The outcome of a tick on which the netpoller was looked at.
#[derive(Default)]
struct NetworkTick {
    /// Timers fire one by one, and it is the turn of the task of one.
    one_by_one: bool,
    /// It has woken the root future, which comes before the task that yielded.
    is_for_root: bool,
}

impl MachineLoop<'_> {
    /// Fires the processor's own timers and looks at the netpoller, when their time has come.
    /// Returns whether the root future comes before the next task.
    pub(crate) fn keep_time(&mut self, processor: &mut Processor) -> bool {
        let mut tick = NetworkTick::default();
        if processor.is_network_tick(self.scheduler.config.event_interval) {
            tick = self.poll_network_on_tick(processor);
        }
        if processor.clock().is_due() {
            self.read_clock(processor, tick.one_by_one);
        }
        tick.is_for_root
    }

    /// Does what is due by the clock. `one_by_one` says that the turn of the netpoller has fired a
    /// timer whose task comes first.
    fn read_clock(&mut self, processor: &mut Processor, one_by_one: bool) {
        let now = self.scheduler.clock.elapsed();
        processor.note_time(now);
        self.scheduler.idle.watcher().vouch(now, |seen| self.relieve_others(processor.index(), now, seen));
        processor.set_observed(self.scheduler.observer.is_on());
        let one_by_one = one_by_one || self.fire_own_timers(processor, self.scheduler.clock.timer_time(now));
        if processor.since_network_polled() > ACCEPTED_DELAY {
            self.poll_network(processor, !one_by_one);
        }
    }

    /// Tasks that the network has woken, and a root future that it has woken, come before a task
    /// that yielded when there was no other to run.
    #[inline(never)]
    fn poll_network_on_tick(&mut self, processor: &mut Processor) -> NetworkTick {
        let lone = processor.take_lone();
        let root_may_be_woken = lone.is_some() && !self.is_root_woken();
        let one_by_one = self.poll_network(processor, true);
        match lone {
            Some(lone) if self.scheduler.config.keeps_order() => self.scheduler.push_in_line(processor, lone, false),
            Some(lone) => self.scheduler.settle(processor.index(), processor.push_own(lone)),
            None => {}
        }
        NetworkTick { one_by_one, is_for_root: root_may_be_woken && self.is_root_woken() }
    }

    pub(super) fn is_root_woken(&self) -> bool {
        self.context.root().is_some_and(RootRef::is_any_woken)
    }

    /// Returns how many due timers to fire now, if the first is `late` by so many nanoseconds.
    /// Where tasks run in order all that are due come together, before the tasks that the first of
    /// them spawns.
    pub(crate) fn timers_at_once(&self, processor: &mut Processor, late: u64) -> usize {
        if self.scheduler.config.keeps_order() { usize::MAX } else { processor.timers_at_once(late) }
    }

    /// Fires the processor's own due timers. The task of the first comes next, as in Go: in the
    /// ring it would wait for the polls of all tasks there. It is of the chain through runnext, so
    /// that the ring has its turn after a time slice. Returns whether they fire one by one, and one
    /// has.
    fn fire_own_timers(&mut self, processor: &mut Processor, now: u64) -> bool {
        let earliest = processor.shared().timers().next_deadline();
        if earliest > now {
            return false;
        }
        let most = self.timers_at_once(processor, now - earliest);
        let own = processor.shared();
        let mut batch = self.driver.collect_timers(&own.counters().arrivals, once(own), now, most);
        if !self.scheduler.config.keeps_order() {
            if let Some(first) = batch.pop() {
                self.scheduler.settle(processor.index(), processor.push_next(first));
            }
        }
        batch.spread(self.scheduler, processor);
        most == 1
    }

    /// Looks at the netpoller without blocking.
    pub(crate) fn look_at_network(&mut self, processor: &mut Processor) -> Option<Found> {
        self.poll_network(processor, true);
        Some(processor.pop()?.found(FoundIn::NETWORK))
    }

    /// One turn of the netpoller that does not block, and one of due timers if it is `with_timers`;
    /// the woken tasks are spread over this processor and the idle ones. `true` if timers fire one
    /// by one, and it is the turn of the task of one.
    fn poll_network(&mut self, processor: &mut Processor, with_timers: bool) -> bool {
        processor.note_network_polled();
        processor.shared().counters().netpolls.add(1);
        if self.scheduler.poll_owner.is_present() {
            return false;
        }
        // No other machine looks at the timers of idle processors while there is no poll owner.
        let now = self.scheduler.clock.timer_time(processor.clock().now());
        let earliest = self.scheduler.processors.earliest_deadline();
        let most = if with_timers { self.timers_at_once(processor, now.saturating_sub(earliest)) } else { 0 };
        let batch = self.driver.collect(&processor.shared().counters().arrivals, most);
        processor.note_fetched(batch.len());
        batch.spread(self.scheduler, processor);
        most == 1 && !processor.has_no_task()
    }
}
