//! sysmon: the watcher, on a thread that needs no processor. It is the net under everything that
//! trusts a poll to return.
//!
//! It looks while a processor is busy, unless machines vouch for all
//! (`scheduler/core/watcher_sleep.rs`). At each look it notes the processors that are in the same
//! poll as on the last one, and makes sure that no task waits for them:
//!
//! * If work waits and a processor is idle, a machine is woken: it takes the stuck processor's
//!   tasks like any thief.
//! * If none is idle, a *spare* processor is put into play: for a thread that sleeps, and did at
//!   the look before or has been off the cores for most of its poll, unless another waits for a
//!   core; for a thread that computes, when it has used CPU time from one look to the next, and
//!   only as far as stuck polls leave tasks less than half of the processors, or a core is left.
//!   Nothing is taken from under the stuck thread: its task may continue to wake and spawn.
//! * When such polls have returned, as many processors are taken out of play again, after a grace
//!   that grows with the poll, since a task that blocked once will do so again.
//!
//! It also looks at the netpoller and fires timers when no machine has for a while, follows the
//! quota of the control group, and looks, at a slow pace, for tasks that can never run again.

use std::cell::LazyCell;
use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use crate::scheduler::context::Role;
use crate::scheduler::core::limits::TIME_SLICE;
use crate::scheduler::core::poll_watch::PollState;
use crate::scheduler::core::sleep::WakingSide;
use crate::scheduler::core::watcher_sleep::LOOK;
use crate::scheduler::overslept::Overslept;
use crate::scheduler::worker::driver::{Driver, WakeBatch};
use crate::scheduler::{Context, Scheduler, shutdown};
use crate::sysmon::cpu_meter::{BurnMeter, three_ticks};
use crate::sysmon::patrol::Patrol;
use crate::sysmon::quota::QuotaFollower;
use crate::util::report::report;
use crate::util::sync::{self, thread};
use crate::util::thread_state::is_asleep;
use crate::util::time_slice;
use crate::util::unwind::AbortOnUnwind;

/// A poll that computes has had 0.5 ms of CPU time between the look that first saw it and this.
const BURNED: u64 = 500_000;

/// The watcher's record of one processor.
#[derive(Debug, Clone, Copy, Default)]
struct Watched {
    /// The stamp of the poll that it was in; none if it was idle.
    poll: Option<u64>,
    /// True if it was in the same poll on the last tick.
    stuck: bool,
    /// When the watcher first saw it in that poll.
    since: u64,
    /// When it last saw it in `block_in_place` or at work in a parallel call, or else first saw it:
    /// a poll that says that it blocks, or gives way, is no stall.
    silent_since: u64,
    /// True if its thread was asleep when last looked at in this poll.
    asleep: bool,
    /// Why a spare was added for it, if one was.
    compensation: Option<Why>,
    /// True if the poll has lasted for long enough to be compensated, whether it was or not.
    is_held: bool,
    reported: bool,
    burnt: BurnMeter,
}

/// Why a poll does not return.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    Asleep,
    Burning,
}

struct Watcher<'a> {
    scheduler: &'a Arc<Scheduler>,
    watched: Vec<Watched>,
    driver: Driver<'a>,
    /// Turns of the netpoller by processors, as last counted, and when that count last changed.
    network: (u64, u64),
    /// True if a task waited behind a stuck poll when this tick began.
    holds_up_tasks: bool,
    /// Until when spares stay in play that no stuck poll needs.
    grace_until: u64,
    /// The cores that the process may use: asked for at the first poll that computes.
    cores: LazyCell<usize>,
    limit_reported: bool,
    /// True if this look is an early one, for a task in runnext.
    is_early: bool,
    /// True if it was in vain: the next is not early, for where tasks are handed on all the time,
    /// in polls that take somewhat longer, such looks would cost more than the polls.
    was_in_vain: bool,
    /// Until the number of processors is set by hand.
    quota: Option<QuotaFollower>,
    /// The stalls that last, or whose stacks are captured.
    followed: Vec<stalls::Followed>,
    patrol: Patrol,
}

/// Starts the watcher of a runtime that is being built.
pub(crate) fn start(scheduler: &Arc<Scheduler>) -> io::Result<()> {
    let arrived = scheduler.shutdown.arrive();
    debug_assert!(arrived, "a runtime that is being built has not ended");
    let watched = Arc::clone(scheduler);
    let quota = QuotaFollower::begin(scheduler);
    match thread::Builder::new().name("wsrt-sysmon".into()).spawn(move || serve(watched, quota)) {
        Ok(handle) => scheduler.threads.keep(handle),
        Err(error) => {
            shutdown::depart(scheduler);
            report(format_args!("could not start the watcher's thread: {error}"));
            return Err(error);
        }
    }
    Ok(())
}

/// The loop of the watcher's thread.
fn serve(scheduler: Arc<Scheduler>, quota: Option<QuotaFollower>) {
    let guard = AbortOnUnwind::OF_A_THREAD;
    let sleep = scheduler.idle.watcher();
    sleep.adopt_current_thread();
    time_slice::ask_for_short_ones();
    let _tokio = scheduler.tokio.enter();
    let entered = Context::enter(&scheduler, Role::Watching);
    let mut watcher = Watcher::new(&scheduler, &entered, quota);
    while !scheduler.shutdown.has_begun() {
        watcher.tick();
        watcher.sleep();
    }
    watcher.report_all();
    drop(entered);
    shutdown::outstay_others(&scheduler, Duration::from_nanos(TIME_SLICE));
    shutdown::depart(&scheduler);
    std::mem::forget(guard);
}

impl<'a> Watcher<'a> {
    fn new(scheduler: &'a Arc<Scheduler>, context: &'a Context, quota: Option<QuotaFollower>) -> Self {
        Self {
            scheduler,
            watched: Vec::new(),
            driver: Driver::new(context),
            network: (0, 0),
            holds_up_tasks: false,
            grace_until: 0,
            cores: LazyCell::new(|| thread::available_parallelism().map_or(1, NonZeroUsize::get)),
            is_early: false,
            was_in_vain: false,
            limit_reported: false,
            quota,
            followed: Vec::new(),
            patrol: Patrol::default(),
        }
    }

    fn tick(&mut self) {
        let now = self.scheduler.clock.elapsed();
        self.watched.resize(self.scheduler.processors.scan_len(), Watched::default());
        // All are looked at first: the action for one depends on the state of the others.
        for index in 0..self.watched.len() {
            self.watched[index].stuck = self.is_in_the_same_poll(index, now);
        }
        self.holds_up_tasks = (0..self.watched.len()).any(|index| self.waiting_behind(index) > 0);
        for index in 0..self.watched.len() {
            if self.watched[index].stuck {
                self.note_long_poll(index);
                self.report_if_stalled(index, now);
                self.revoke_if_shared(index, now);
                self.help(index, now);
            }
        }
        self.follow_stalls(now);
        let found_in_runnext = self.relieve_runnext();
        self.was_in_vain = std::mem::take(&mut self.is_early) && !found_in_runnext;
        self.give_tasks_away();
        self.fire_forgotten_timers(now);
        self.watch_network(now);
        self.take_back_spares(now);
        self.scheduler.start_refused_threads(now);
        if self.quota.as_mut().is_some_and(|quota| !quota.look(self.scheduler, now)) {
            self.quota = None;
        }
        self.patrol.look(self.scheduler, now);
    }

    /// Sleeps until the next look is due. It rests, unless there is more to see to than polls: a
    /// stall is followed, or a spare stands in for a poll, or is to go.
    fn sleep(&mut self) {
        let (scheduler, sleep) = (self.scheduler, self.scheduler.idle.watcher());
        let sees_to_spares = self.count_compensated() > 0 || scheduler.processors.is_retirement_due();
        if sees_to_spares || !self.followed.is_empty() || !watches_only_polls(scheduler) {
            return sleep.nap(LOOK);
        }
        let grace = || Duration::from_nanos(self.grace_until.saturating_sub(scheduler.clock.elapsed()));
        let grace = self.spares_to_spare().then(grace);
        let at_most = self.patrol.time_left(scheduler).into_iter().chain(grace).min();
        let (is_busy, may_rest) = (|| scheduler.idle.count_busy() > 0, || watches_only_polls(scheduler));
        let may_be_early = !self.was_in_vain && scheduler.processors.regular() > 1;
        self.is_early = sleep.rest(at_most, may_be_early, is_busy, may_rest);
    }

    /// Returns whether the processor's holder is in a poll that the watcher has seen before.
    fn is_in_the_same_poll(&mut self, index: usize, now: u64) -> bool {
        let poll = self.scheduler.poll_stamp(index);
        if poll.is_none() || poll != self.watched[index].poll {
            self.end_compensation(index, now);
            self.watched[index] = Watched { poll, since: now, silent_since: now, ..Watched::default() };
            self.ask_ahead(index, now);
            return false;
        }
        true
    }

    /// Leaves in state since when the poll has been under way, for dumps.
    fn note_long_poll(&self, index: usize) {
        if let Watched { poll: Some(poll), since, .. } = self.watched[index] {
            self.scheduler.processors.get(index).watch().note_long_poll(poll, since);
        }
    }

    /// Notes the CPU time of a thread whose poll may turn out to be stuck, so that the next look
    /// shows whether the thread sleeps or computes. Only where tasks, sockets or timers wait for
    /// it.
    fn ask_ahead(&mut self, index: usize, now: u64) {
        let idle = &self.scheduler.idle;
        if idle.is_idle(index) || idle.count_idle() > 0 {
            return;
        }
        let processor = self.scheduler.processors.get(index);
        if processor.waiting() > 0 || !self.scheduler.injector.is_empty() || self.scheduler.needs_poll_owner(now) {
            let thread = processor.watch().state().thread;
            let _ = self.watched[index].burnt.read(thread, now);
        }
    }

    /// Sees to it that no task waits for this processor, which is stuck.
    fn help(&mut self, index: usize, now: u64) {
        if !self.somebody_waits(index, now) {
            return;
        }
        // Before a spare is put into play.
        let overslept = self.overslept();
        if self.scheduler.idle.count_idle() == 0 && !self.compensate(index, now) {
            return;
        }
        self.send_somebody(overslept);
    }

    /// Wakes a machine for the waiting tasks. Not if one searches, for that one will find it,
    /// unless it is stuck itself, in a foreign waker.
    fn send_somebody(&self, overslept: Option<Overslept>) {
        let idle = &self.scheduler.idle;
        let chosen = if self.a_searcher_is_stuck() { idle.wake_another() } else { idle.submit() };
        if let Some(chosen) = chosen {
            match overslept {
                Some(beside) => self.scheduler.rescues.count_unexplained(beside),
                None => self.scheduler.rescues.count(),
            }
            self.scheduler.put_to_work(chosen);
        }
    }

    /// Returns the work beside which a machine sleeps. Under a controlled schedule the others
    /// continue between two looks, until none can be just short of the wake.
    fn overslept(&self) -> Option<Overslept> {
        let first = self.scheduler.overslept()?;
        sync::let_others_go_on();
        self.scheduler.overslept().filter(|second| *second == first)
    }

    /// Returns whether a processor searches now that has not begun a poll since the last tick.
    fn a_searcher_is_stuck(&self) -> bool {
        let mut processors = self.scheduler.processors.iter().zip(&self.watched);
        processors.any(|(processor, watched)| watched.stuck && processor.watch().state().searching)
    }

    /// Returns whether a task or a timer waits that a free processor would see to, or the network
    /// waits for a poll owner.
    ///
    /// The task may be in the runnext of another stuck processor, for which this one stood in: a
    /// machine that searches finds it.
    ///
    /// A background task wants no time while a poll takes some. So a background task waits only
    /// behind a poll whose thread sleeps, and that for long.
    fn somebody_waits(&mut self, index: usize, now: u64) -> bool {
        let stuck = self.scheduler.processors.get(index);
        stuck.waiting() > 0
            || self.scheduler.foreground_is_visible()
            || (self.holds_up_tasks && self.scheduler.idle.count_searching() == 0)
            || self.scheduler.needs_poll_owner(now)
            || (self.scheduler.background_may_run()
                && now - self.watched[index].since >= TIME_SLICE
                && self.looks_asleep(index, stuck.watch().state().thread, now))
    }

    /// Why the poll does not return, once it has lasted long enough for that to matter. A thread
    /// that is neither asleep nor on a core waits for one: others have it, and a spare would only
    /// wait beside it.
    fn why_stuck(&mut self, index: usize, now: u64) -> Option<Why> {
        let PollState { blocking, computing, thread, .. } = self.scheduler.processors.get(index).watch().state();
        if blocking {
            return Some(Why::Asleep);
        }
        let asleep = self.looks_asleep(index, thread, now);
        let was_asleep = std::mem::replace(&mut self.watched[index].asleep, asleep);
        if asleep {
            // A lock of the allocator, say, is held for a moment, or until the kernel gives its
            // holder a core again: no spare would be quicker than that.
            let is_brief = now - self.watched[index].since < LOOK.as_nanos() as u64 / 2;
            let sleeps = (was_asleep || self.watched[index].burnt.lacked_core(thread, now)) && !is_brief;
            return (sleeps || self.serving() == 0).then_some(Why::Asleep);
        }
        if computing {
            return Some(Why::Burning);
        }
        let watched = &mut self.watched[index];
        let has_burned = match watched.burnt.read(thread, now) {
            Some(burnt) => burnt >= BURNED,
            None => now - watched.since >= three_ticks(),
        };
        has_burned.then_some(Why::Burning)
    }

    /// Returns whether the thread sleeps in the kernel. In a process that can open no more files
    /// its clock has to show it.
    fn looks_asleep(&mut self, index: usize, thread: u32, now: u64) -> bool {
        is_asleep(thread).unwrap_or_else(|| self.watched[index].burnt.is_at_rest(thread, now))
    }

    /// Looks at the netpoller when no thread has for long, and wakes a machine to own it if there
    /// is one.
    fn watch_network(&mut self, now: u64) {
        let processors = self.scheduler.processors.iter().map(|processor| processor.counters().netpolls.get());
        let turns = processors.sum::<u64>() + self.scheduler.helpers.netpolls();
        if !self.scheduler.needs_poll_owner(now) || self.network.0 != turns {
            self.network = (turns, now);
            return;
        }
        if self.scheduler.idle.count_idle() > 0 {
            // The machine that is woken finds nothing to do and blocks in the netpoller.
            self.send_somebody(self.overslept());
        } else if now - self.network.1 >= TIME_SLICE {
            self.network.1 = now;
            loop {
                let batch = self.driver.collect(&*self.scheduler.elsewhere, 0);
                if batch.is_empty() {
                    return;
                }
                self.give_to_all(batch);
            }
        }
    }

    /// Puts tasks that the watcher has woken where all machines find them.
    fn give_to_all(&self, batch: WakeBatch) {
        if !batch.is_empty() {
            self.scheduler.rescues.count();
        }
        self.scheduler.inject_all(batch.into_tasks());
    }
}

/// Returns whether there is nothing to watch but polls: no helper watches the netpoller in a poll
/// owner's stead, no blocking job waits for a thread that was refused, and the runtime has not
/// ended. Whether any task waits for the netpoller does not matter: an external thread that comes
/// to do so does not announce it.
fn watches_only_polls(scheduler: &Scheduler) -> bool {
    let is_attended = scheduler.poll_owner.is_present() || !scheduler.helpers.any_watch();
    is_attended && !scheduler.wants_refused_threads() && !scheduler.shutdown.has_begun()
}

mod relief;
pub(crate) mod stalls;

#[cfg(test)]
mod tests;
