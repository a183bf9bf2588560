//! Spreading a batch: what one turn of the netpoller or one firing of timers has readied goes to
//! several processors.

use crate::scheduler::limits::LARGEST_SHARE;
use crate::scheduler::machine_loop::MachineLoop;
use crate::scheduler::processor::Processor;
use crate::scheduler::wake_batch::WakeBatch;

impl MachineLoop<'_> {
    /// Spreads `batch` in its order: the first share to `processor`'s ring, the rest to the
    /// injector, with a machine woken at once for every doubling of what there is to do.
    pub(crate) fn spread(&self, processor: &mut Processor, batch: WakeBatch) {
        let mut batch = batch.into_tasks();
        let count = batch.len();
        if count == 0 {
            return;
        }
        if self.scheduler.config.keeps_order() {
            return self.scheduler.push_all_in_line(processor, batch);
        }
        let idle = self.scheduler.idle.count_idle();
        let share = count.div_ceil(idle + 1).min(LARGEST_SHARE);
        let placed = processor.push_own_batch(&mut batch.by_ref().take(share));
        self.scheduler.settle(processor.index(), placed);
        let left = batch.len();
        if left == 0 {
            return;
        }
        self.scheduler.injector.push_all(batch);
        self.scheduler.wake_several(doublings(left).min(idle));
        // A processor may have gone idle since the count above.
        self.scheduler.wake_one();
    }
}

/// How many machines to wake at once for `count` tasks: one for the first, one more for each
/// doubling. They wake others in turn as they find work; waking all here would hold up the tasks in
/// hand.
fn doublings(count: usize) -> usize {
    (usize::BITS - count.leading_zeros()) as usize
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::doublings;

    #[test]
    fn wakes_grow_with_the_logarithm_of_the_batch() {
        let wakes = [0, 1, 2, 3, 4, 8, 1024].map(doublings);
        assert_eq!(wakes, [0, 1, 2, 2, 3, 4, 11]);
    }
}
