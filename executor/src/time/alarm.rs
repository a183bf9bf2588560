//! A deadline and the timer that watches it: what sleeps, timeouts and intervals have in common.
//!
//! The timer is armed by the first poll that has to wait, and not before: whoever is ready sooner
//! leaves nothing behind. It fires by the scheduler's word alone; the clock is asked once, before
//! arming, whether there is anything to wait for.

use std::ptr;
use std::sync::Arc;
use std::task::{self, Poll};

use wsrt_reactor::budget;
use wsrt_reactor::timer::TimerEntry;

use super::Instant;
use crate::scheduler::{Context, Scheduler};
use crate::util::unwind::wake_quietly;

/// So many polls after the end are pending where the end will drop what polls: a set of futures
/// polls those that were woken again, some times, before it returns.
const PATIENCE: u8 = 16;

/// A deadline that can be waited for, again and again if it is set anew.
#[derive(Debug)]
pub(super) struct Alarm {
    deadline: Instant,
    stage: Stage,
    /// How often it was polled, inside of what the end of its runtime drops, after that end.
    asked_after_the_end: u8,
    /// Made when first needed, and kept for later deadlines.
    entry: Option<Arc<TimerEntry>>,
    /// The address of the scheduler that it was last armed with, to be compared and for nothing
    /// else.
    armed_with: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Nobody has waited for the deadline yet.
    Unset,
    /// The entry was armed for the deadline. It may have fired since, or its runtime may have
    /// ended.
    Armed,
    /// The deadline has passed, and was reported.
    Rung,
}

impl Alarm {
    pub(super) fn new(deadline: Instant) -> Self {
        Self { deadline, stage: Stage::Unset, asked_after_the_end: 0, entry: None, armed_with: 0 }
    }

    pub(super) fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Whether the deadline is known to have passed. An alarm that nobody waits for does not know.
    pub(super) fn has_rung(&self) -> bool {
        match self.stage {
            Stage::Unset => false,
            Stage::Armed => self.entry.as_ref().is_some_and(|entry| entry.is_fired()),
            Stage::Rung => true,
        }
    }

    /// Ready from the deadline on. `owner` is who is waiting, for the message of a panic outside a
    /// runtime.
    pub(super) fn poll(&mut self, cx: &mut task::Context<'_>, owner: &str) -> Poll<()> {
        budget::poll_spending(cx, |cx| self.poll_rung(cx, owner))
    }

    /// The same, whatever is left of the budget.
    pub(super) fn poll_rung(&mut self, cx: &mut task::Context<'_>, owner: &str) -> Poll<()> {
        if self.stage == Stage::Unset {
            Context::with(|context| self.start(scheduler(context, owner)));
        }
        if let (Stage::Armed, Some(entry)) = (self.stage, &self.entry) {
            if entry.poll_fired(cx).is_pending() {
                if entry.is_cancelled() {
                    self.tell_of_the_end(cx, owner);
                }
                return Poll::Pending;
            }
            self.stage = Stage::Rung;
        }
        Poll::Ready(())
    }

    /// Sets another deadline.
    ///
    /// A task that waits is woken at the new one, whether it polls again or not: at once if that
    /// has passed, and the next poll is ready. In another runtime than the one whose timers watch,
    /// or in none, nothing is armed: there the task is woken at once, to wait on in its own.
    pub(super) fn set(&mut self, deadline: Instant) {
        self.deadline = deadline;
        match self.stage {
            Stage::Unset => {}
            Stage::Rung => self.stage = Stage::Unset,
            Stage::Armed => {
                self.stage = Stage::Unset;
                let home = ptr::without_provenance(self.armed_with);
                // Counted: if the runtime ends just now, the waker of the task that waits is woken
                // in there.
                if let Some(context) = Context::current().filter(|context| context.is_of(home)) {
                    self.start(context.scheduler());
                }
                if self.stage != Stage::Armed {
                    self.disarm();
                }
            }
        }
    }

    /// Arms the timer, unless the deadline has passed already.
    fn start(&mut self, scheduler: &Scheduler) {
        if scheduler.nanos(self.deadline.into_std()) > scheduler.timer_now() {
            self.arm(scheduler);
        } else {
            self.stage = Stage::Rung;
        }
    }

    fn arm(&mut self, scheduler: &Scheduler) {
        let entry = self.entry.get_or_insert_with(TimerEntry::new);
        scheduler.arm_timer(entry, scheduler.nanos(self.deadline.into_std()));
        self.armed_with = ptr::from_ref(scheduler).addr();
        self.stage = Stage::Armed;
    }

    /// Takes the timer back, and wakes the task that waits: its next poll finds the deadline
    /// passed, or arms the timer.
    #[cold]
    fn disarm(&mut self) {
        let waiting = self.entry.as_ref().and_then(|entry| entry.take_back());
        waiting.into_iter().for_each(wake_quietly);
    }

    /// The timer's runtime has ended. The poll tells of it by a panic, unless the runtime is about
    /// to drop what waits here.
    ///
    /// That is, when the task's poll has ended. But the task may be in another executor's
    /// `block_on`, which polls for as long as it is woken: so it is woken, until it has asked often
    /// enough to be told.
    #[cold]
    fn tell_of_the_end(&mut self, cx: &task::Context<'_>, owner: &str) {
        let is_dropped_soon = Context::with(|context| context.is_some_and(Context::drops_what_waits));
        if !is_dropped_soon || self.asked_after_the_end == PATIENCE {
            panic!("wsrt: {owner} was polled after its runtime had been shut down: nobody is left to end the wait");
        }
        self.asked_after_the_end += 1;
        cx.waker().wake_by_ref();
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        if let (Stage::Armed, Some(entry)) = (self.stage, &self.entry) {
            entry.cancel();
        }
    }
}

/// The scheduler whose timers fire for this thread.
fn scheduler<'a>(context: Option<&'a Context>, owner: &str) -> &'a Scheduler {
    let Some(context) = context else {
        panic!(
            "wsrt: {owner} was polled outside of a wsrt runtime: await it inside `#[wsrt::main]`, a spawned task or \
             `Runtime::block_on`"
        );
    };
    context.scheduler()
}
