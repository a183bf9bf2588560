//! Keeping time: due timers, and the netpoller of a processor that is never out of work.

use std::future::Future;
use std::iter::once;
use std::panic::Location;
use std::sync::Arc;
use std::time::Duration;

use wsrt_reactor::timer::TimerEntry;

use crate::scheduler::clock::CannotAdvance;
use crate::scheduler::driver::{Driver, WakeBatch};
use crate::scheduler::limits::NETWORK_PERIOD;
use crate::scheduler::machine_loop::MachineLoop;
use crate::scheduler::processor::Processor;
use crate::scheduler::root::RootRef;
use crate::scheduler::{Context, Scheduler};
use crate::task::JoinHandle;

/// A deadline later than timers can count becomes this one, some 584 years from now: the queue
/// holds it like any other, and wakes the waiter when it is shut down.
const LAST_DEADLINE: u64 = u64::MAX - 1;

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
    fn read_clock(&mut self, processor: &mut Processor, mut one_by_one: bool) {
        let now = self.scheduler.clock.elapsed();
        processor.note_time(now);
        processor.set_observed(self.scheduler.observer.is_on());
        if processor.is_errand_over(now) {
            return self.cut_errand_short(processor);
        }
        if processor.since_network_polled() > NETWORK_PERIOD {
            one_by_one |= self.poll_network(processor);
        }
        if !one_by_one {
            self.fire_own_timers(processor, self.scheduler.clock.timer_time(now));
        }
    }

    /// Tasks that the network has readied, and a root future that it has woken, come before a task
    /// that yielded when there was no other to run.
    #[inline(never)]
    fn poll_network_on_tick(&mut self, processor: &mut Processor) -> NetworkTick {
        let lone = processor.take_lone();
        let root_may_be_woken = lone.is_some() && !self.is_root_woken();
        let one_by_one = self.poll_network(processor);
        match lone {
            Some(lone) if self.scheduler.config.keeps_order() => self.scheduler.push_in_line(processor, lone, false),
            Some(lone) => self.scheduler.settle(processor.index(), processor.push_own(lone)),
            None => {}
        }
        NetworkTick { one_by_one, is_for_root: root_may_be_woken && self.is_root_woken() }
    }

    fn is_root_woken(&self) -> bool {
        self.context.root().is_some_and(RootRef::is_any_woken)
    }

    /// How many due timers to fire now, of which the first is `late` by so many nanoseconds. Where
    /// tasks run in order all that are due come together, before the tasks that the first of them
    /// spawns.
    pub(crate) fn timers_at_once(&self, processor: &mut Processor, late: u64) -> usize {
        if self.scheduler.config.keeps_order() { usize::MAX } else { processor.timers_at_once(late) }
    }

    /// Fires the processor's own due timers.
    fn fire_own_timers(&mut self, processor: &mut Processor, now: u64) {
        let earliest = processor.shared().timers().next_deadline();
        if earliest > now {
            return;
        }
        let most = self.timers_at_once(processor, now - earliest);
        let own = processor.shared();
        let batch = self.driver.collect_timers(&own.counters().arrivals, once(own), now, most);
        self.place_with_timers(processor, batch);
    }

    /// Places a batch that due timers have readied, or the network with them.
    ///
    /// Where polls are long it goes to the injector, whose turn comes after one poll at most, and
    /// not behind the tasks in the ring, which would each make it later by a poll.
    pub(crate) fn place_with_timers(&self, processor: &mut Processor, batch: WakeBatch) {
        let now = processor.clock().now();
        let would_wait = !self.scheduler.config.keeps_order() && !processor.has_no_task();
        if would_wait && processor.shared().has_long_polls(now) {
            self.scheduler.inject_all(batch.into_tasks());
        } else {
            self.spread(processor, batch);
        }
    }
}

impl Context {
    /// Moves the clock on, and readies the tasks of the timers that have come due, in the order of
    /// their deadlines and behind everything that waits already. Spawns `last` behind them.
    #[track_caller]
    pub(crate) fn advance_clock(
        &self,
        by: Duration,
        last: impl Future<Output = ()> + Send + 'static,
    ) -> Result<JoinHandle<()>, CannotAdvance> {
        let scheduler = self.scheduler();
        scheduler.clock.advance(by)?;
        let caller = Location::caller();
        let mut spawned = None;
        let batch = Driver::new(self).collect_timers_and(|| spawned = Some(scheduler.spawn(last, caller)));
        self.place_in_order(batch.into_tasks());
        Ok(spawned.expect("spawned above"))
    }
}

/// Arms a timer: in the queue of the processor that this thread holds, or in one that is seen to by
/// another thread.
///
/// Once the runtime shuts down, the timer is cancelled instead.
pub(crate) fn arm_timer(scheduler: &Scheduler, entry: &Arc<TimerEntry>, deadline: u64) {
    let deadline = deadline.min(LAST_DEADLINE);
    let own = Context::with_own(scheduler, |here| {
        here?.with_processor(|processor| processor.map(|processor| processor.index()))
    });
    match own {
        // The holder looks at its own timers on every turn of the loop, and leaves them to the poll
        // owner when it sleeps.
        Some(index) => drop(scheduler.processors.get(index).timers().arm(entry, deadline)),
        None if scheduler.processors.take_timer_turn().timers().arm(entry, deadline) => {
            scheduler.watch_deadline(deadline);
        }
        None => {}
    }
}
