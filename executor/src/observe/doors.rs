//! The doors of observation: one call at each place where something happens to a task.
//!
//! While every switch is off, a door costs one relaxed load of the [`Switches`](super::switches)
//! word. The remaining work is out of line, together with a copy of the caller's next steps, so the
//! fast path keeps the task in a register and saves no registers for a call that it does not make.

use super::latency::TimedPoll;
use super::observer::Observer;
use super::switches::Switch;
use super::task_hooks::HookedPoll;
use super::timeline::RecordedPoll;
use crate::task::{CountedPoll, Identity, Runnable, TaskRef};

impl Observer {
    /// Starts to count the polls and wakes of each task that is spawned from now on.
    pub(crate) fn keep_task_stats(&self) {
        self.switches.turn_on(Switch::Tasks);
    }

    /// Returns the identity of a new task, with counters if tasks are counted.
    #[inline]
    pub(crate) fn identity(&self, identity: Identity) -> Identity {
        if self.is_on() { self.with_counts_if_on(identity) } else { identity }
    }

    #[cold]
    #[inline(never)]
    fn with_counts_if_on(&self, identity: Identity) -> Identity {
        if self.switches.is_on(Switch::Tasks) { identity.with_counts() } else { identity }
    }

    /// Returns the identity of a new task of the runtime's own, with counters if tasks are counted,
    /// and with the data that the user's hook has attached. Call this while a switch is on, where
    /// users' code may run.
    #[cold]
    #[inline(never)]
    pub(crate) fn seen_identity(&self, identity: Identity) -> Identity {
        let mut identity = self.with_counts_if_on(identity);
        self.call_spawn_hook(&mut identity);
        identity
    }

    /// Observes a spawn, and queues the new task with `place`.
    #[inline(always)]
    pub(crate) fn spawned(&self, task: Runnable, place: impl FnOnce(Runnable)) {
        if self.is_on() {
            return self.ready_aloud(task, true, place);
        }
        place(task);
    }

    /// Observes a wake, and queues the woken task with `place`. Called where the wake happens: in
    /// the poll of another task, after a turn of the netpoller or the timers, or on an external
    /// thread.
    #[inline(always)]
    pub(crate) fn woken(&self, task: Runnable, place: impl FnOnce(Runnable)) {
        if self.is_on() {
            return self.ready_aloud(task, false, place);
        }
        place(task);
    }

    #[cold]
    #[inline(never)]
    fn ready_aloud(&self, task: Runnable, is_new: bool, place: impl FnOnce(Runnable)) {
        self.note_ready_time(task.id());
        if !is_new {
            task.count_wake();
        }
        self.record_ready(&task, is_new);
        place(task);
    }

    /// Observes the poll of a task until the guard is dropped. The holder of the processor with
    /// index `processor` has found the task in `source`, one of the timeline's numbers.
    #[cold]
    #[inline(never)]
    pub(crate) fn polled(&self, processor: usize, task: &Runnable, source: u32) -> ObservedPoll<'_> {
        let readied = self.take_ready_time(task.id());
        let hooked = self.call_poll_hooks(task, readied);
        let timed = self.time_poll(processor, readied);
        let counted = task.begin_counted();
        let recorded = self.record_poll(processor, task, source);
        ObservedPoll { _recorded: recorded, _counted: counted, _timed: timed, _hooked: hooked }
    }

    /// Observes the poll of a `LocalSet` task until the guard is dropped, within the poll of the
    /// task or root future that polls the set.
    pub(crate) fn polled_in_set(&self, task: &Runnable) -> Option<RecordedPoll<'_>> {
        self.is_on().then(|| self.record_local_poll(task))
    }

    /// Observes that a task has completed and that its future has been dropped.
    #[inline]
    pub(crate) fn completed(&self, task: &TaskRef) {
        if self.is_on() {
            self.completed_aloud(task);
        }
    }

    #[cold]
    #[inline(never)]
    fn completed_aloud(&self, task: &TaskRef) {
        self.record_completed(task.id());
        self.call_terminate_hook(task);
    }
}

/// A guard that ends each kind of observation of one poll, in reverse order of the beginnings.
pub(crate) struct ObservedPoll<'a> {
    _recorded: RecordedPoll<'a>,
    _counted: Option<CountedPoll>,
    _timed: Option<TimedPoll<'a>>,
    _hooked: Option<HookedPoll<'a>>,
}
