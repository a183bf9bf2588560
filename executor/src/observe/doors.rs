//! The doors of observation: the one call at each place where something happens to a task.
//!
//! While every switch is off a door is one relaxed load of the [`Switches`](super::switches) word.
//! What it does otherwise is out of line, together with a copy of what the caller goes on with: so
//! the fast path keeps the task in a register, and saves none for a call that it does not make.

use std::sync::Arc;

use super::counters::{Arrivals, SharedCounter};
use super::latency::TimedPoll;
use super::switches::Switch;
use super::timeline::RecordedPoll;
use crate::scheduler::found::Found;
use crate::scheduler::{Context, Scheduler};
use crate::task::{CountedPoll, Id, Identity, Runnable};

impl Scheduler {
    /// Returns the counts of what threads without a processor have readied.
    pub(crate) fn arrivals_elsewhere(&self) -> &Arrivals<SharedCounter> {
        &self.observer.elsewhere
    }

    /// Counts the polls and wakes of each task that is spawned from now on.
    pub(crate) fn keep_task_stats(&self) {
        self.observer.switches.turn_on(Switch::Tasks);
    }

    /// Returns the identity of a task that is about to be made, with counts if tasks are counted.
    #[inline]
    pub(crate) fn observe_identity(&self, identity: Identity) -> Identity {
        if self.observer.is_on() { self.with_counts_if_on(identity) } else { identity }
    }

    #[cold]
    #[inline(never)]
    fn with_counts_if_on(&self, identity: Identity) -> Identity {
        if self.observer.switches.is_on(Switch::Tasks) { identity.with_counts() } else { identity }
    }

    /// Places a new task, by `place`.
    #[inline(always)]
    pub(crate) fn observe_spawned(&self, task: Runnable, place: impl FnOnce(Runnable)) {
        if self.observer.is_on() {
            return self.record_spawned(task, place);
        }
        place(task);
    }

    #[cold]
    #[inline(never)]
    fn record_spawned(&self, task: Runnable, place: impl FnOnce(Runnable)) {
        self.note_ready_time(task.id());
        self.observer.record_spawned(&task);
        place(task);
    }

    /// Places a task that was woken, by `place`. Called where it was woken: in the poll of another
    /// task, with what the netpoller or a timer has readied, or on an external thread.
    #[inline(always)]
    pub(crate) fn observe_woken(&self, task: Runnable, place: impl FnOnce(Runnable)) {
        if self.observer.is_on() {
            return self.record_woken(task, place);
        }
        place(task);
    }

    #[cold]
    #[inline(never)]
    fn record_woken(&self, task: Runnable, place: impl FnOnce(Runnable)) {
        self.note_ready_time(task.id());
        task.count_wake();
        self.observer.record_woken(&task);
        place(task);
    }

    /// Observes the poll of a task that the holder of the processor with index `processor` has
    /// found, until the guard is dropped.
    #[cold]
    #[inline(never)]
    pub(crate) fn observe_poll(&self, processor: usize, found: &Found) -> ObservedPoll<'_> {
        let timed = self.time_poll(processor, found.task.id());
        let counted = found.task.begin_counted();
        let recorded = self.observer.record_poll(processor, found);
        ObservedPoll { _recorded: recorded, _counted: counted, _timed: timed }
    }

    /// Polls a task of a `LocalSet`, within the poll of the task or root future that polls the set,
    /// and observes that for the thread's runtime.
    pub(crate) fn poll_local(task: Runnable) {
        let scheduler = Context::with(|context| {
            let scheduler = context.map(Context::scheduler).filter(|scheduler| scheduler.observer.is_on());
            scheduler.map(Arc::clone)
        });
        let _recorded = scheduler.as_ref().map(|scheduler| scheduler.observer.record_local_poll(&task));
        task.run_counted();
    }

    /// Observes that a task is complete, and its future gone.
    #[inline]
    pub(crate) fn observe_completed(&self, task: Id) {
        if self.observer.is_on() {
            self.observer.record_completed(task);
        }
    }
}

/// Ends each kind of observation of one poll: the last to begin is the first to end.
pub(crate) struct ObservedPoll<'a> {
    _recorded: RecordedPoll<'a>,
    _counted: Option<CountedPoll>,
    _timed: Option<TimedPoll<'a>>,
}
