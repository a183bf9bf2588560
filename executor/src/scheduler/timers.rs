//! Timers: where a timer is armed, and a clock that is moved by hand.

use std::future::Future;
use std::panic::Location;
use std::sync::Arc;
use std::time::Duration;

use wsrt_reactor::timer::TimerEntry;

use crate::scheduler::clock::CannotAdvance;
use crate::scheduler::core::sleep::WakingSide;
use crate::scheduler::worker::driver::Driver;
use crate::scheduler::{Context, Scheduler};
use crate::task::JoinHandle;

/// A deadline later than timers can count becomes this one, some 584 years from now: the queue
/// holds it like any other, and wakes the waiter when it is shut down.
const LAST_DEADLINE: u64 = u64::MAX - 1;

impl Context {
    /// Moves the clock on, and wakes the tasks of the timers that have come due, in the order of
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
            scheduler.notify_poll_owner_of(deadline);
        }
        None => {}
    }
}
