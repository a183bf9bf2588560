//! Keeping time: due timers, and the netpoller of a processor that is never out of work.

use std::future::Future;
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use wsrt_reactor::timer::TimerEntry;

use crate::scheduler::clock::CannotAdvance;
use crate::scheduler::machine_loop::MachineLoop;
use crate::scheduler::processor::Processor;
use crate::scheduler::{Context, Scheduler};
use crate::task::JoinHandle;
use crate::util::unwind::wake_quietly;

/// A busy processor looks at the netpoller after this time, in nanoseconds, however few polls that
/// were.
const NETWORK_PERIOD: u64 = 1_000_000;

/// A crowd of timers shares a wake for so many times what setting the netpoller's alarm takes: then
/// sleeps between timers take some two hundredths of a core, however many timers there are. It is a
/// millisecond at most.
const WORTH_OF_A_WAKE: u64 = 160;
/// Timers that come closer together than this share a wake in any case, in nanoseconds.
const LEAST_GRAIN: u64 = 50_000;
/// So many timers are a crowd; fewer are woken for one by one, each on time.
const CROWD: usize = 4;

/// What is due later than timers can count is due then, some 584 years from now: the queue holds it
/// like any other, and wakes the waiter when it is shut down.
const LAST_DEADLINE: u64 = u64::MAX - 1;

impl MachineLoop<'_> {
    /// Fires the processor's own timers and looks at the netpoller, when their time has come.
    pub(crate) fn keep_time(&mut self, processor: &mut Processor) {
        let mut one_by_one = false;
        if processor.is_network_tick(self.scheduler.config.event_interval) {
            one_by_one = self.poll_network_on_tick(processor);
        }
        if !processor.clock().is_due() {
            return;
        }
        let now = self.scheduler.now();
        processor.note_time(now);
        processor.set_observed(self.scheduler.observer.is_on());
        if processor.since_network_polled() > NETWORK_PERIOD {
            one_by_one |= self.poll_network(processor);
        }
        if !one_by_one {
            self.fire_own_timers(processor, self.scheduler.timer_time(now));
        }
    }

    /// What the network has readied comes before a task that yielded when there was no other to
    /// run.
    #[inline(never)]
    fn poll_network_on_tick(&mut self, processor: &mut Processor) -> bool {
        let lone = processor.take_lone();
        let one_by_one = self.poll_network(processor);
        if let Some(lone) = lone {
            self.scheduler.put_back_yielded(processor, lone);
        }
        one_by_one
    }

    /// How many due timers to fire now, of which the first is `late` by so many nanoseconds. Where
    /// tasks run in order all that are due come together, before what the first of them spawns.
    pub(crate) fn timers_at_once(&self, processor: &mut Processor, late: u64) -> usize {
        if self.scheduler.keeps_order() { usize::MAX } else { processor.timers_at_once(late) }
    }

    /// Fires what is due of the processor's own.
    fn fire_own_timers(&mut self, processor: &mut Processor, now: u64) {
        let earliest = processor.shared().timers().next_deadline();
        if earliest > now {
            return;
        }
        let most = self.timers_at_once(processor, now - earliest);
        let fired = processor.shared().timers().fire_some_due(now, most, &mut self.wakers);
        processor.shared().counters().arrivals.count_fired(fired);
        let batch = self.gather_wakers();
        self.spread(processor, batch);
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
        let now = scheduler.timer_now();
        let mut wakers = Vec::new();
        for processor in scheduler.processors.iter() {
            let fired = processor.timers().fire_some_due(now, usize::MAX, &mut wakers);
            scheduler.observer.elsewhere.count_fired(fired);
        }
        let caller = Location::caller();
        let mut spawned = None;
        let batch = self.gather(|| {
            wakers.into_iter().for_each(wake_quietly);
            spawned = Some(scheduler.spawn(last, caller));
        });
        self.place_in_order(batch);
        Ok(spawned.expect("spawned above"))
    }
}

impl Scheduler {
    /// Until when to sleep at the latest if the first timer is due at `deadline`. To put a thread
    /// to sleep and wake it takes some 3 µs of processor time on hardware and 16 on a virtual
    /// machine, many times what firing a timer does: a crowd has to come together, and the dearer a
    /// wake is here, the longer it waits for each other.
    pub(crate) fn shared_wake(&self, deadline: u64) -> u64 {
        let grain = self.netpoller.alarm_cost().as_nanos() as u64 * WORTH_OF_A_WAKE;
        let end = deadline.saturating_add(grain.max(LEAST_GRAIN));
        let mut crowd = 0;
        for processor in self.processors.iter() {
            crowd += processor.timers().count_until(end, CROWD - crowd);
            if crowd == CROWD {
                return end;
            }
        }
        deadline
    }

    /// Arms a timer: in the queue of the processor that this thread holds, or in one that is seen
    /// to by somebody else.
    ///
    /// Once the runtime shuts down, the timer is cancelled instead.
    pub(crate) fn arm_timer(&self, entry: &Arc<TimerEntry>, deadline: u64) {
        let deadline = deadline.min(LAST_DEADLINE);
        let own = Context::with(|context| {
            let context = context.filter(|context| context.is_of(self))?;
            context.with_processor(|processor| processor.map(|processor| processor.index()))
        });
        match own {
            // The holder looks at its own timers on every turn of the loop, and leaves them to the
            // keeper when it sleeps.
            Some(index) => drop(self.processors.get(index).timers().arm(entry, deadline)),
            None => self.arm_from_outside(entry, deadline),
        }
    }

    fn arm_from_outside(&self, entry: &Arc<TimerEntry>, deadline: u64) {
        let index = self.next_timer_queue.fetch_add(1, Relaxed) % self.processors.regular();
        if self.processors.get(index).timers().arm(entry, deadline) {
            self.watch_deadline(deadline);
        }
    }
}
