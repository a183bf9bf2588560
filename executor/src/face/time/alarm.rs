//! A deadline and the timer that watches it: what sleeps, timeouts and intervals have in common.
//!
//! The timer is armed by the first poll that has to wait, and not before: whoever is ready sooner leaves nothing behind.
//! It fires by the scheduler's word alone; the clock is asked once, before arming, whether there is anything to wait for.

use std::sync::Arc;
use std::task::{self, Poll, ready};

use wsrt_reactor::budget;
use wsrt_reactor::timer::TimerEntry;

use super::Instant;
use crate::policy::{Context, Scheduler};

/// A deadline that can be waited for, again and again if it is set anew.
#[derive(Debug)]
pub(super) struct Alarm {
    deadline: Instant,
    stage: Stage,
    /// Made when first needed, and kept for later deadlines.
    entry: Option<Arc<TimerEntry>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Nobody has waited for the deadline yet.
    Unset,
    /// The entry was armed for this moment and may have fired since. Another moment than the deadline after a `set` that
    /// had no runtime to arm in.
    ArmedFor(Instant),
    /// The deadline has passed, and was reported.
    Rung,
}

impl Alarm {
    pub(super) fn new(deadline: Instant) -> Self {
        Self { deadline, stage: Stage::Unset, entry: None }
    }

    pub(super) fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Whether the deadline is known to have passed. An alarm that nobody waits for does not know.
    pub(super) fn has_rung(&self) -> bool {
        match self.stage {
            Stage::Unset => false,
            Stage::ArmedFor(moment) => {
                moment == self.deadline && self.entry.as_ref().is_some_and(|entry| entry.is_fired())
            }
            Stage::Rung => true,
        }
    }

    /// Ready from the deadline on. `owner` is who is waiting, for the message of a panic outside a runtime.
    pub(super) fn poll(&mut self, cx: &mut task::Context<'_>, owner: &str) -> Poll<()> {
        budget::poll_spending(cx, |cx| self.poll_rung(cx, owner))
    }

    /// The same, whatever is left of the budget.
    pub(super) fn poll_rung(&mut self, cx: &mut task::Context<'_>, owner: &str) -> Poll<()> {
        if !self.is_current() {
            Context::with(|context| self.start(scheduler(context, owner)));
        }
        if let (Stage::ArmedFor(_), Some(entry)) = (self.stage, &self.entry) {
            ready!(entry.poll_fired(cx));
            self.stage = Stage::Rung;
        }
        Poll::Ready(())
    }

    /// Sets another deadline.
    ///
    /// A task that waits is woken at the new one, whether it polls again or not. Outside a runtime, where nothing can be
    /// armed, it is woken at the old one and waits on from there: late if the new one came first, but not never.
    pub(super) fn set(&mut self, deadline: Instant) {
        self.deadline = deadline;
        match self.stage {
            Stage::Unset => {}
            Stage::Rung => self.stage = Stage::Unset,
            Stage::ArmedFor(_) => Context::with(|context| {
                if let Some(context) = context {
                    // Armed even if it is over: the task that waits has to hear of it.
                    self.arm(context.scheduler());
                }
            }),
        }
    }

    fn is_current(&self) -> bool {
        match self.stage {
            Stage::Unset => false,
            Stage::ArmedFor(moment) => moment == self.deadline,
            Stage::Rung => true,
        }
    }

    /// Arms the timer, unless the deadline has passed already.
    fn start(&mut self, scheduler: &Scheduler) {
        if scheduler.nanos(self.deadline.into_std()) > scheduler.timer_now() {
            self.arm(scheduler);
        } else {
            self.disarm();
            self.stage = Stage::Rung;
        }
    }

    fn arm(&mut self, scheduler: &Scheduler) {
        let entry = self.entry.get_or_insert_with(TimerEntry::new);
        scheduler.arm_timer(entry, scheduler.nanos(self.deadline.into_std()));
        self.stage = Stage::ArmedFor(self.deadline);
    }

    fn disarm(&self) {
        if let (Stage::ArmedFor(_), Some(entry)) = (self.stage, &self.entry) {
            entry.cancel();
        }
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        self.disarm();
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
    let scheduler = context.scheduler();
    // The second question takes a lock, and is asked only on the way out.
    if scheduler.shutdown.has_begun() && scheduler.is_shut_down() {
        panic!("wsrt: {owner} was polled after its runtime had been shut down: nobody is left to end the wait");
    }
    scheduler
}
