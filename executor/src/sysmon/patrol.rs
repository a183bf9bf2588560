//! The pace of the patrol: the watcher's look for tasks that can never run again, in steps that
//! each take some hundred microseconds at most. Nobody is in a hurry for it, so there is
//! a round each second, and none while no task is polled.

use std::sync::Arc;
use std::time::Duration;

use crate::scheduler::Scheduler;
use crate::scheduler::core::limits::PERIOD;
use crate::util::sync::HAS_PATROL;

/// A round of the patrol, or the pause before it. Times are in nanoseconds since the start of the
/// runtime.
#[derive(Debug, Default)]
pub(super) struct Patrol {
    step: usize,
    /// When the next step is due.
    due: u64,
    /// The polls of all processors when the last round began.
    polls: u64,
}

impl Patrol {
    /// Makes a step, if one is due.
    pub(super) fn look(&mut self, scheduler: &Arc<Scheduler>, now: u64) {
        if now < self.due || !self.has_news(scheduler) {
            return;
        }
        if self.step == 0 {
            self.polls = polls(scheduler);
        }
        match (scheduler.config.patrol)(scheduler, self.step) {
            Some(next) => self.step = next,
            None => (self.step, self.due) = (0, now.saturating_add(PERIOD)),
        }
    }

    /// Returns how long the watcher may sleep before the next step, or `None` if no step is to be
    /// made until a task is polled.
    pub(super) fn time_left(&self, scheduler: &Scheduler) -> Option<Duration> {
        let left = self.due.saturating_sub(scheduler.clock.elapsed());
        self.has_news(scheduler).then(|| Duration::from_nanos(left))
    }

    /// Returns whether a round is under way, a task was polled since the last one began, or a
    /// deadlock that it has found is to be seen for a second time.
    fn has_news(&self, scheduler: &Scheduler) -> bool {
        let is_to_look_again = || scheduler.observer.deadlocks.wants_another_look();
        HAS_PATROL && (self.step > 0 || self.polls != polls(scheduler) || is_to_look_again())
    }
}

/// Returns the number of polls of all processors since the start.
fn polls(scheduler: &Scheduler) -> u64 {
    scheduler.processors.all().map(|processor| processor.counters().polls()).sum()
}
