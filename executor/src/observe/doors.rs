//! The doors of observation: the one call at each place where something happens to a task.
//!
//! While every switch is off a door is one relaxed load of the [`Switches`](super::switches) word.
//! Its other work is out of line, together with a copy of the caller's further steps: so the fast
//! path keeps the task in a register, and saves none for a call that it does not make.

use super::latency::TimedPoll;
use super::observer::Observer;
use super::switches::Switch;
use super::task_hooks::HookedPoll;
use super::timeline::RecordedPoll;
use crate::task::{CountedPoll, Identity, Runnable, TaskRef};

impl Observer {
    /// Counts the polls and wakes of each task that is spawned from now on.
    pub(crate) fn keep_task_stats(&self) {
        self.switches.turn_on(Switch::Tasks);
    }

    /// Returns the identity of a task that is about to be made, with counts if tasks are counted.
    #[inline]
    pub(crate) fn identity(&self, identity: Identity) -> Identity {
        if self.is_on() { self.with_counts_if_on(identity) } else { identity }
    }

    #[cold]
    #[inline(never)]
    fn with_counts_if_on(&self, identity: Identity) -> Identity {
        if self.switches.is_on(Switch::Tasks) { identity.with_counts() } else { identity }
    }

    /// Returns the identity of a task of the runtime's own that is about to be made: with counts if
    /// tasks are counted, and with the data that the user's hook has attached. To be called while a
    /// switch is on, where users' code may run.
    #[cold]
    #[inline(never)]
    pub(crate) fn seen_identity(&self, identity: Identity) -> Identity {
        let mut identity = self.with_counts_if_on(identity);
        self.call_spawn_hook(&mut identity);
        identity
    }

    /// Places a new task, by `place`.
    #[inline(always)]
    pub(crate) fn spawned(&self, task: Runnable, place: impl FnOnce(Runnable)) {
        if self.is_on() {
            return self.ready_aloud(task, true, place);
        }
        place(task);
    }

    /// Places a task that was woken, by `place`. Called where it was woken: in the poll of another
    /// task, after a turn of the netpoller or the timers, or on an external thread.
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

    /// Observes the poll of a task, until the guard is dropped. The holder of the processor with
    /// index `processor` has found the task in `source`, a number of the timeline's.
    #[cold]
    #[inline(never)]
    pub(crate) fn polled(&self, processor: usize, task: &Runnable, source: u32) -> ObservedPoll<'_> {
        let hooked = self.call_poll_hooks(task);
        let timed = self.time_poll(processor, task.id());
        let counted = task.begin_counted();
        let recorded = self.record_poll(processor, task, source);
        ObservedPoll { _recorded: recorded, _counted: counted, _timed: timed, _hooked: hooked }
    }

    /// Observes the poll of a task of a `LocalSet`, within the poll of the task or root future that
    /// polls the set, until the guard is dropped.
    pub(crate) fn polled_in_set(&self, task: &Runnable) -> Option<RecordedPoll<'_>> {
        self.is_on().then(|| self.record_local_poll(task))
    }

    /// Observes that a task is complete, and its future gone.
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

/// Ends each kind of observation of one poll: the last to begin is the first to end.
pub(crate) struct ObservedPoll<'a> {
    _recorded: RecordedPoll<'a>,
    _counted: Option<CountedPoll>,
    _timed: Option<TimedPoll<'a>>,
    _hooked: Option<HookedPoll<'a>>,
}
