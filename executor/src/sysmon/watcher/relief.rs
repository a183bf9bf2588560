//! Relief of stuck polls: which of them get a spare processor put in for them, and when it goes
//! again; and the tasks and timers behind one that no machine comes for by itself.

use crate::scheduler::core::poll_watch::PollState;
use crate::scheduler::core::processor::Shared;
use crate::scheduler::core::watcher_sleep::LONGEST_VOUCH;
use crate::scheduler::worker::steal::stays_in_runnext;
use crate::sysmon::watcher::{Watched, Watcher, Why};
use crate::util::report::report;

/// A spare stays in play for 16 times the length of its poll, as the watcher saw it: a task that
/// blocked once will do so again, but a wait for the allocator's lock is short. 140 ms at most.
const GRACE_FACTOR: u64 = 16;
const LONGEST_GRACE: u64 = 140_000_000;

impl Watcher<'_> {
    /// Puts a spare into play for a stuck processor. `false` if it has one, does not need one yet
    /// or may have none, or there is no more.
    pub(super) fn compensate(&mut self, index: usize, now: u64) -> bool {
        if self.watched[index].compensation.is_some() {
            return false;
        }
        let Some(why) = self.why_stuck(index, now) else { return false };
        self.watched[index].is_held = true;
        if self.is_to_go(index) || !self.may_have_one(index, why, now) {
            return false;
        }
        if self.spares_to_spare() {
            // One is in play that no stuck poll needs any more.
            self.watched[index].compensation = Some(why);
            return false;
        }
        if !self.scheduler.processors.are_all_in_play() && self.nobody_could_run_another() {
            self.scheduler.threads.report_limit(self.scheduler.config.most_machines());
            return false;
        }
        let Some(spare) = self.scheduler.processors.put_into_play() else {
            self.report_limit();
            return false;
        };
        self.watched[index].compensation = Some(why);
        self.scheduler.idle.add(spare);
        true
    }

    fn may_have_one(&mut self, index: usize, why: Why, now: u64) -> bool {
        match why {
            Why::Asleep if now - self.watched[index].since >= LONGEST_VOUCH => true,
            Why::Asleep => !self.another_waits_for_a_core(index, now),
            Why::Burning => self.may_compute(self.serving(), self.count_burning()),
        }
    }

    /// Returns whether the thread of another poll waits for a core: others have them, and a spare
    /// would wait beside it.
    fn another_waits_for_a_core(&mut self, own: usize, now: u64) -> bool {
        (0..self.watched.len()).any(|index| {
            let PollState { thread, blocking, .. } = self.scheduler.processors.get(index).watch().state();
            let Watched { stuck, asleep, .. } = self.watched[index];
            let may_wait = index != own && stuck && !asleep && !blocking;
            let may_wait = may_wait && self.watched[index].burnt.lacked_core(thread, now);
            self.watched[index].asleep |= may_wait && self.looks_asleep(index, thread, now);
            may_wait && !self.watched[index].asleep
        })
    }

    /// Returns whether every thread that there may be has something to do: tasks that wait in
    /// `block_on` have one each, and no processor.
    fn nobody_could_run_another(&self) -> bool {
        self.scheduler.threads.is_at_limit(self.scheduler.config.most_machines())
            && self.scheduler.idle.count_machines() == 0
    }

    /// Lets the spare of a poll that computes go, once tasks have enough processors without it.
    pub(super) fn revoke_if_shared(&mut self, index: usize, now: u64) {
        let is_due = || self.may_compute(self.serving().saturating_sub(1), self.count_burning() - 1);
        if self.watched[index].compensation == Some(Why::Burning) && !is_due() {
            self.end_compensation(index, now);
        }
    }

    /// Begins the grace of the spare that this processor's poll has, if it has one.
    pub(super) fn end_compensation(&mut self, index: usize, now: u64) {
        let Watched { compensation, since, .. } = &mut self.watched[index];
        if compensation.take().is_some() {
            let grace = (GRACE_FACTOR * (now - *since)).min(LONGEST_GRACE);
            self.grace_until = self.grace_until.max(now + grace);
        }
    }

    /// Returns whether a poll that computes may have a spare, beside `burning` others that have
    /// one, and while `serving` processors serve tasks: those are less than half, or a core is
    /// left. The others are fewer than the processors.
    fn may_compute(&self, serving: usize, burning: usize) -> bool {
        let regular = self.scheduler.processors.regular();
        burning < regular && (serving < regular.div_ceil(2) || regular + burning < *self.cores)
    }

    fn count_burning(&self) -> usize {
        self.watched.iter().filter(|watched| watched.compensation == Some(Why::Burning)).count()
    }

    /// Processors that are not stuck in a poll, but for spares that no stuck poll needs any more.
    pub(super) fn serving(&self) -> usize {
        let stuck = self.watched.iter().filter(|watched| watched.stuck).count();
        let to_go = self.stuck_beyond().min(self.scheduler.processors.retirements_due());
        (self.scheduler.processors.regular() + self.count_compensated() + to_go).saturating_sub(stuck)
    }

    /// Returns whether the processor goes out of play when its poll returns: then no other replaces
    /// it. If fewer are due than are stuck, none of those is known to be the one that stays.
    fn is_to_go(&self, index: usize) -> bool {
        let processors = &self.scheduler.processors;
        processors.is_retirement_due()
            && index >= processors.regular()
            && self.stuck_beyond() <= processors.retirements_due()
    }

    /// Stuck processors beyond the regular ones that no spare replaces.
    fn stuck_beyond(&self) -> usize {
        let beyond = self.watched.iter().skip(self.scheduler.processors.regular());
        beyond.filter(|watched| watched.stuck && watched.compensation.is_none()).count()
    }

    pub(super) fn count_compensated(&self) -> usize {
        self.watched.iter().filter(|watched| watched.compensation.is_some()).count()
    }

    /// Returns whether more spares are in play than there are stuck polls.
    pub(super) fn spares_to_spare(&self) -> bool {
        self.scheduler.processors.lasting_spares() > self.count_compensated()
    }

    /// Takes spares out of play that no stuck poll needs, after their grace: idle ones here and
    /// now, also those that became idle unasked; busy ones by having their holders give them up.
    pub(super) fn take_back_spares(&self, now: u64) {
        while now >= self.grace_until && self.spares_to_spare() {
            self.scheduler.processors.ask_for_one();
        }
        if self.scheduler.processors.is_retirement_due() {
            self.scheduler.take_due_from_idle();
        }
    }

    fn report_limit(&mut self) {
        if std::mem::replace(&mut self.limit_reported, true) {
            return;
        }
        report(format_args!(
            "the limit of {} processors is reached, and tasks wait behind stuck polls (reported once; \
             `Builder::max_machines` sets the limit)",
            self.scheduler.processors.capacity()
        ));
    }
}

impl Watcher<'_> {
    /// Sends a machine for a task in the runnext of a processor that stays in its poll, while
    /// another processor is idle. Returns whether there was one. That takes no second look: a
    /// hand-off would be over by now, and a wake once in a look is cheap.
    pub(super) fn relieve_runnext(&mut self) -> bool {
        let scheduler = self.scheduler;
        if scheduler.idle.count_idle() == 0 {
            return false;
        }
        let keeps = |busy: &Shared| stays_in_runnext(busy).is_some();
        let is_found = scheduler.processors.iter().take(self.watched.len()).any(keeps);
        if is_found {
            self.send_somebody(self.overslept());
        }
        is_found
    }

    /// How many tasks wait behind this processor's poll, if that is stuck.
    pub(super) fn waiting_behind(&self, index: usize) -> usize {
        if self.watched[index].stuck { self.scheduler.processors.get(index).waiting() } else { 0 }
    }

    /// Moves the tasks behind a stuck poll to the injector, which has its turn on each processor.
    ///
    /// A thief comes once its own queues are empty: never, beside tasks that yield forever.
    /// Only behind a poll that blocks or computes, whether it has a spare or not: a thread that
    /// waits for a core continues with its own tasks, but for those that a machine which vouches
    /// has taken. Not where no other thread may run them.
    pub(super) fn give_tasks_away(&self) {
        if self.scheduler.config.keeps_order() || self.scheduler.processors.capacity() == 1 {
            return;
        }
        for (index, watched) in self.watched.iter().enumerate() {
            if watched.is_held && self.waiting_behind(index) > 0 {
                self.scheduler.rescues.count();
                self.scheduler.inject_all(self.scheduler.processors.get(index).rob());
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
