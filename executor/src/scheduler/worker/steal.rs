//! Stealing: for a machine whose own queues, the injector and the netpoller have nothing.

use std::iter::once;
use std::time::Duration;

use super::MachineLoop;
use crate::scheduler::core::found::{Found, FoundIn};
use crate::scheduler::core::processor::{Processor, Shared};
use crate::scheduler::core::queue::SlotAddress;
use crate::task::Header;
use crate::util::sync;

/// How long a thief watches a task in runnext before it takes it. A hand-off, from the push into
/// runnext to its poll, takes a fraction of a microsecond when the task that did it is about to
/// wait; a victim that has stayed in one poll for this long will not reach it soon. Go
/// sleeps for 3 µs here, which Linux stretches to some 55.
const LONGER_THAN_A_HAND_OFF: Duration = Duration::from_micros(5);

impl MachineLoop<'_> {
    /// Looks at the rings of the other processors, and then at their timers and runnext too, in an
    /// order drawn anew for each pass.
    pub(crate) fn steal(&mut self, processor: &mut Processor) -> Option<Found> {
        if !self.may_search(processor) {
            return None;
        }
        [false, true].into_iter().find_map(|is_last| {
            let order = VictimOrder::draw(processor, self.scheduler.processors.scan_len());
            self.visit(processor, order, is_last)
        })
    }

    /// Looks at `victims` in their order.
    fn visit(
        &mut self,
        processor: &mut Processor,
        victims: impl Iterator<Item = usize>,
        is_last: bool,
    ) -> Option<Found> {
        for victim in victims {
            if victim == processor.index() {
                continue;
            }
            let found = match self.scheduler.idle.is_idle(victim) {
                false => self.rob(processor, victim, is_last),
                // It has no tasks, but its timers continue.
                true if is_last => self.fire_timers_of(processor, self.scheduler.processors.get(victim)),
                true => None,
            };
            if found.is_some() {
                return found;
            }
        }
        None
    }

    fn may_search(&self, processor: &mut Processor) -> bool {
        if !processor.is_searching() {
            let searching = self.scheduler.idle.start_searching();
            processor.set_searching(searching);
        }
        processor.is_searching()
    }

    fn rob(&mut self, processor: &mut Processor, index: usize, is_last: bool) -> Option<Found> {
        let scheduler = self.scheduler;
        let victim = scheduler.processors.get(index);
        let stolen = processor.steal_from(victim);
        if stolen > 0 {
            self.count_steal(processor, index, stolen);
            return Some(processor.pop()?.found(FoundIn::stolen_from(index)));
        }
        if !is_last {
            return None;
        }
        self.fire_timers_of(processor, victim).or_else(|| self.rob_runnext(processor, index, victim))
    }

    fn fire_timers_of(&mut self, processor: &mut Processor, victim: &Shared) -> Option<Found> {
        let deadline = victim.timers().next_deadline();
        if deadline == u64::MAX {
            return None;
        }
        let now = self.scheduler.clock.timer_now();
        if deadline > now {
            return None;
        }
        let counts = &processor.shared().counters().arrivals;
        let batch = self.driver.collect_timers(counts, once(victim), now, usize::MAX);
        batch.spread(self.scheduler, processor);
        Some(processor.pop()?.found(FoundIn::TIMER))
    }

    /// Takes the task in the runnext of a victim that has nothing else, if it stays there.
    fn rob_runnext(&self, processor: &mut Processor, index: usize, victim: &Shared) -> Option<Found> {
        let seen = match &self.scheduler.simulation {
            Some(simulation) => victim.runnext().peek().filter(|_| simulation.is_victim_held_up())?,
            None => stays_in_runnext(victim)?,
        };
        if !victim.ring().is_empty() {
            return None;
        }
        let task = processor.take_runnext_of(victim, seen)?;
        self.count_steal(processor, index, 1);
        Some(task.found(FoundIn::stolen_from(index)))
    }

    fn count_steal(&self, processor: &Processor, victim: usize, stolen: usize) {
        processor.shared().counters().steals.count(victim, stolen);
        self.scheduler.observer.steal(processor.index(), victim, stolen);
    }
}

/// The task in `victim`'s runnext, if it stays there, with the victim in one and the same poll, for
/// longer than a hand-off takes.
pub(crate) fn stays_in_runnext(victim: &Shared) -> Option<SlotAddress<Header>> {
    let seen = victim.runnext().peek()?;
    let polls = victim.counters().polls();
    let until = sync::now() + LONGER_THAN_A_HAND_OFF;
    while sync::now() < until {
        sync::spin();
        if victim.runnext().peek() != Some(seen) || victim.counters().polls() != polls {
            return None;
        }
    }
    Some(seen)
}

/// All processors, each once: from a random start in steps of a random number that shares no
/// divisor with their count.
#[derive(Debug)]
struct VictimOrder {
    next: usize,
    step: usize,
    count: usize,
    left: usize,
}

impl VictimOrder {
    fn draw(processor: &mut Processor, count: usize) -> Self {
        let rng = processor.rng();
        let next = rng.below(count);
        let mut step = rng.below(count).max(1);
        while greatest_common_divisor(step, count) != 1 {
            step = step % count + 1;
        }
        Self { next, step, count, left: count }
    }
}

impl Iterator for VictimOrder {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        let victim = self.next;
        self.next = (self.next + self.step) % self.count;
        Some(victim)
    }
}

fn greatest_common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests {
    use super::*;
    use crate::scheduler::core::processors::Processors;

    #[test]
    fn every_victim_comes_once_in_each_order() {
        for count in 1..=64 {
            let (_, mut owned) = Processors::new(1, 1);
            for _ in 0..20 {
                let mut order: Vec<_> = VictimOrder::draw(&mut owned[0], count).collect();
                order.sort_unstable();
                assert!(order.iter().copied().eq(0..count), "{count}: {order:?}");
            }
        }
    }

    #[test]
    fn orders_differ_in_start_and_step() {
        let (_, mut owned) = Processors::new(1, 1);
        let orders: std::collections::HashSet<Vec<usize>> =
            (0..200).map(|_| VictimOrder::draw(&mut owned[0], 8).collect()).collect();
        assert!(orders.len() > 16, "{} orders of 8 victims in 200 draws", orders.len());
    }
}
