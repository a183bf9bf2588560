//! Relief: tasks and timers behind a stuck poll that no machine comes for by itself.

use super::Watcher;
use crate::scheduler::core::limits::TIME_SLICE;
use crate::scheduler::core::processor::Shared;
use crate::scheduler::worker::steal::stays_in_runnext;

impl Watcher<'_> {
    /// Sends a machine for a task in the runnext of a processor that stays in its poll, while
    /// another processor is idle. That takes no second look: a hand-off would be over by now, and a
    /// wake once in a tick is cheap. Whether the poll is long, which calls for closer looks, shows
    /// on the next.
    pub(super) fn relieve_runnext(&mut self) {
        let scheduler = self.scheduler;
        if scheduler.idle.count_idle() == 0 {
            return;
        }
        let keeps = |&(_, busy): &(usize, &Shared)| stays_in_runnext(busy).is_some();
        if let Some((index, _)) = scheduler.processors.iter().enumerate().take(self.watched.len()).find(keeps) {
            self.watched[index].relieved = true;
            self.send_somebody(self.overslept());
        }
    }

    /// How many tasks wait behind this processor's poll, if that is stuck.
    pub(super) fn waiting_behind(&self, index: usize) -> usize {
        if self.watched[index].stuck { self.scheduler.processors.get(index).waiting() } else { 0 }
    }

    /// Moves the tasks behind a poll that has lasted for a whole time slice to the injector, which
    /// has its turn on each processor.
    ///
    /// A thief would come for them once its own queues are empty: with tasks there that yield for
    /// ever, or others that arrive as fast as they are run, it never does. Only behind a poll that
    /// has a spare: a thread that waits for a core continues with its own tasks when it has one.
    /// Not where tasks run in order, and no other thread may run them.
    pub(super) fn give_away_late_tasks(&self, now: u64) {
        if self.scheduler.config.keeps_order() {
            return;
        }
        for (index, watched) in self.watched.iter().enumerate() {
            let is_late = watched.compensation.is_some() && now - watched.since >= TIME_SLICE;
            if is_late && self.waiting_behind(index) > 0 {
                self.scheduler.rescues.count();
                self.scheduler.injector.push_all(self.scheduler.processors.get(index).rob());
                self.scheduler.wake_one();
            }
        }
    }

    /// Fires due timers of processors whose holder does not: stuck ones, and idle ones with no
    /// poll owner in the netpoller.
    ///
    /// The timers of stuck processors even if there is a poll owner: it may have gone to sleep
    /// before they were armed, and a holder tells it of none. While a processor is idle, it is
    /// woken for them; but no processor may be.
    pub(super) fn fire_forgotten_timers(&mut self, now: u64) {
        let timer_time = self.scheduler.clock.timer_time(now);
        if self.scheduler.processors.earliest_deadline() > timer_time {
            return;
        }
        let scheduler = self.scheduler;
        let is_attended = scheduler.poll_owner.is_present();
        let watched = &self.watched;
        let forgotten = scheduler.processors.iter().enumerate().filter(|&(index, _)| {
            let stuck = watched.get(index).is_some_and(|watched| watched.since < now);
            stuck || (!is_attended && scheduler.idle.is_idle(index))
        });
        let processors = forgotten.map(|(_, processor)| processor);
        let batch = self.driver.collect_timers(&*scheduler.elsewhere, processors, timer_time, usize::MAX);
        self.give_to_all(batch);
    }
}
