//! A deadline and the timer that watches it: the base of sleeps, timeouts and intervals.
//!
//! The timer is armed by the first poll that has to wait, and not before: a future that is ready
//! sooner leaves nothing behind. Only the scheduler fires it; the clock is read once, before
//! arming, to see whether there is anything to wait for.

use std::cell::Cell;
use std::sync::Arc;
use std::task::{self, Poll};
use std::time::Duration;

use wsrt_reactor::budget;
use wsrt_reactor::timer::TimerEntry;
use wsrt_sync::drop_in::{OUTSIDE, SHUT_DOWN};

use super::Instant;
pub(super) use crate::observe::console::TimerSpan;
use crate::scheduler::drop_in::require_timers;
use crate::scheduler::runtime_id::{self, RuntimeId};
use crate::scheduler::timers::arm_timer;
use crate::scheduler::{Context, Scheduler};
use crate::util::unwind::wake_quietly;
use crate::util::world;

/// The number of polls after the end of the runtime that return pending if that end will drop the
/// polling future: a set of futures polls woken futures several times before it returns.
const POLLS_AFTER_END: u8 = 16;

/// A deadline that can be waited for, and can be set again for another wait.
#[derive(Debug)]
pub(super) struct Deadline {
    instant: Instant,
    wait: DeadlineWait,
    /// The number of polls after the end of the runtime by a future that this end drops.
    polls_after_end: u8,
    /// The timer entry, created when first needed, and kept for later deadlines.
    entry: Option<Arc<TimerEntry>>,
    /// The runtime in which the timer was last armed, or else created.
    home: Option<RuntimeId>,
    /// The timer's span in the console, of zero size without feature `console`.
    span: TimerSpan,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DeadlineWait {
    /// No poll has waited for the deadline yet.
    NotBegun,
    /// The entry was armed. Since then, it may have fired or its runtime may have ended.
    Armed,
    /// The deadline has passed, and a poll has returned ready.
    Over,
}

impl Deadline {
    #[inline]
    #[track_caller]
    pub(super) fn new(instant: Instant, span: TimerSpan) -> Self {
        require_timers();
        let home = Context::with(|context| context.map(|context| context.scheduler().id));
        Self { instant, wait: DeadlineWait::NotBegun, polls_after_end: 0, entry: None, home, span }
    }

    pub(super) fn instant(&self) -> Instant {
        self.instant
    }

    /// Returns whether the deadline is known to have passed. Only a poll that has waited for the
    /// deadline can find out.
    pub(super) fn has_passed(&self) -> bool {
        match self.wait {
            DeadlineWait::NotBegun => false,
            DeadlineWait::Armed => self.entry.as_ref().is_some_and(|entry| entry.is_fired()),
            DeadlineWait::Over => true,
        }
    }

    /// Polls until the deadline has passed. `owner` names the waiting future in the message of a
    /// panic outside a runtime.
    #[inline]
    pub(super) fn poll(&mut self, cx: &mut task::Context<'_>, owner: &str) -> Poll<()> {
        self.poll_shown(|this| budget::poll_spending(cx, |cx| this.poll_passed(cx, owner)))
    }

    /// Polls until the deadline has passed, even if the task's budget is spent.
    #[inline]
    pub(super) fn poll_unbudgeted(&mut self, cx: &mut task::Context<'_>, owner: &str) -> Poll<()> {
        self.poll_shown(|this| this.poll_passed(cx, owner))
    }

    #[inline]
    fn poll_shown(&mut self, poll: impl FnOnce(&mut Self) -> Poll<()>) -> Poll<()> {
        let instant = self.instant;
        let entered = self.span.enter(|| remaining(instant));
        let polled = poll(self);
        self.span.leave(entered, polled);
        polled
    }

    fn poll_passed(&mut self, cx: &mut task::Context<'_>, owner: &str) -> Poll<()> {
        if self.wait == DeadlineWait::NotBegun {
            // Counted: if the runtime has ended, a waker that was left behind is woken in there.
            match Context::current() {
                Some(context) => self.start(context.scheduler()),
                None => self.start_at_home(owner),
            }
        }
        if let (DeadlineWait::Armed, Some(entry)) = (self.wait, &self.entry) {
            if entry.poll_fired(cx).is_pending() {
                if entry.is_cancelled() {
                    self.poll_after_end(cx, owner);
                }
                return Poll::Pending;
            }
            self.wait = DeadlineWait::Over;
            if world::EXISTS && self.is_early() {
                self.wait = DeadlineWait::NotBegun;
                return self.poll_passed(cx, owner);
            }
        }
        Poll::Ready(())
    }

    /// Returns whether the timer has fired before the deadline, which happens in a simulation if
    /// the clock of the task's host was slowed down after arming.
    fn is_early(&self) -> bool {
        let has_time_left = |scheduler: &Scheduler| {
            let deadline = || scheduler.clock.nanos_for_task(self.instant.into_std());
            scheduler.simulation.is_some() && deadline() > scheduler.clock.timer_now()
        };
        Context::with(|context| context.is_some_and(|context| has_time_left(context.scheduler())))
    }

    /// Changes the deadline to `instant`.
    ///
    /// A waiting task is woken at the new deadline without polling again, or immediately if the new
    /// deadline has passed, in which case the next poll is ready. If the calling thread is not in
    /// the runtime that watches the deadline, no timer is armed: the task is woken immediately, and
    /// its next poll arms the timer in the task's own runtime.
    pub(super) fn set(&mut self, instant: Instant) {
        self.instant = instant;
        match self.wait {
            DeadlineWait::NotBegun => {}
            DeadlineWait::Over => self.wait = DeadlineWait::NotBegun,
            DeadlineWait::Armed => {
                self.wait = DeadlineWait::NotBegun;
                // Counted: if the runtime ends just now, the waker of the task that waits is woken
                // in there.
                if let Some(context) = Context::current().filter(|context| self.home == Some(context.scheduler().id)) {
                    self.start(context.scheduler());
                }
                if self.wait != DeadlineWait::Armed {
                    self.disarm();
                }
            }
        }
        self.span.set(|| remaining(instant));
    }

    /// Arms the timer, unless the deadline has already passed.
    fn start(&mut self, scheduler: &Scheduler) {
        let deadline = scheduler.clock.nanos_for_task(self.instant.into_std());
        if deadline <= scheduler.clock.timer_now() {
            self.wait = DeadlineWait::Over;
            return;
        }
        self.home = Some(scheduler.id);
        self.wait = DeadlineWait::Armed;
        let kept = if self.entry.is_none() { take_kept(scheduler.id) } else { None };
        let is_revived = kept.as_ref().is_some_and(|kept| kept.revive(deadline));
        let entry = self.entry.get_or_insert_with(|| kept.unwrap_or_else(TimerEntry::new));
        if !is_revived {
            arm_timer(scheduler, entry, deadline);
        }
    }

    /// Arms the timer in the runtime in which the deadline was created: the thread has no runtime.
    #[cold]
    fn start_at_home(&mut self, owner: &str) {
        match self.home.map(runtime_id::find::<Scheduler>) {
            Some(Some(scheduler)) => self.start(&scheduler),
            Some(None) => panic_after_end(owner),
            None => panic!(
                "wsrt: {OUTSIDE}{owner} was polled outside a wsrt runtime: await it inside `#[wsrt::main]`, a spawned \
                 task or `Runtime::block_on`"
            ),
        }
    }

    /// Disarms the timer and wakes the waiting task, whose next poll finds that the deadline has
    /// passed, or arms the timer again.
    #[cold]
    fn disarm(&mut self) {
        let waiting = self.entry.as_ref().and_then(|entry| entry.take_back());
        waiting.into_iter().for_each(wake_quietly);
    }

    /// Handles a poll after the timer's runtime has ended: panics to report the end, unless the
    /// runtime is about to drop the future that waits here.
    ///
    /// The runtime drops the future after the task's poll. But the task may be in another
    /// executor's `block_on`, which polls whenever it is woken: the task is therefore woken until
    /// it has polled often enough to panic.
    #[cold]
    fn poll_after_end(&mut self, cx: &task::Context<'_>, owner: &str) {
        let is_dropped_soon = Context::with(|context| context.is_some_and(Context::drops_what_waits));
        if !is_dropped_soon || self.polls_after_end == POLLS_AFTER_END {
            panic_after_end(owner);
        }
        self.polls_after_end += 1;
        cx.waker().wake_by_ref();
    }
}

impl Drop for Deadline {
    fn drop(&mut self) {
        let waits = |entry: &Arc<TimerEntry>| !entry.is_fired() && !entry.is_cancelled();
        if let (DeadlineWait::Armed, Some(entry)) = (self.wait, self.entry.take().filter(waits)) {
            entry.cancel();
            keep(self.home, entry);
        }
    }
}

thread_local! {
    /// The timer that was last cancelled on this thread, for the next that is armed: a server
    /// cancels the time limit of a request and sets that of the next in one poll.
    static KEPT: Cell<Option<(RuntimeId, Arc<TimerEntry>)>> = const { Cell::new(None) };
}

fn take_kept(runtime: RuntimeId) -> Option<Arc<TimerEntry>> {
    let (home, entry) = KEPT.try_with(Cell::take).ok()??;
    (home == runtime).then_some(entry)
}

/// Not where tasks run in order: a timer that is put off loses its place in that order.
fn keep(home: Option<RuntimeId>, entry: Arc<TimerEntry>) {
    let has_no_order = |here: &Context| home == Some(here.scheduler().id) && !here.scheduler().config.keeps_order();
    if let (Some(home), true) = (home, Context::with(|here| here.is_some_and(has_no_order))) {
        let _ = KEPT.try_with(|kept| kept.set(Some((home, entry))));
    }
}

fn panic_after_end(owner: &str) -> ! {
    panic!(
        "wsrt: {SHUT_DOWN}{owner} was polled after its runtime had been shut down: no timer is left to end the wait; keep \
         the runtime until its waits are over"
    )
}

fn remaining(instant: Instant) -> Duration {
    instant.saturating_duration_since(Instant::now())
}
