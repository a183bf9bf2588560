//! Observation: what the scheduler shows of itself while it runs.
//!
//! All of it is in the ordinary build, and off. A poll, a spawn, a wake and the end of a task look
//! at one word, the [`Switches`]; only where one is on do they go by way of this module, out of
//! line. Each kind of observer has a file of its own and is one named call here.

use crossbeam_utils::CachePadded;

use super::switches::Switches;
use super::{local_sets, tasks};
use crate::observe::counters::{Arrivals, SharedCounter};
use crate::observe::latency::Latency;
use crate::observe::timeline::Timeline;
use crate::scheduler::Scheduler;
use crate::scheduler::found::Found;
use crate::task::{Id, Runnable};

/// What is looked at in one runtime.
#[derive(Debug, Default)]
pub(crate) struct Observer {
    pub(crate) switches: Switches,
    /// What came by way of threads that held no processor: the poll owner, helpers, the watcher.
    pub(crate) elsewhere: CachePadded<Arrivals<SharedCounter>>,
    pub(crate) latency: Latency,
    pub(crate) local_sets: local_sets::LocalSets,
    pub(crate) timeline: Timeline,
}

impl Observer {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Whether anything is looked at.
    #[inline]
    pub(crate) fn is_on(&self) -> bool {
        self.switches.is_any_on()
    }
}

impl Scheduler {
    /// Polls a task that was found by the holder of the processor with index `processor`.
    #[cold]
    #[inline(never)]
    pub(crate) fn poll_observed(&self, processor: usize, found: Found) {
        let _timed = self.time_poll(processor, found.task.id());
        let _counted = tasks::begin_poll(&found.task);
        let shown = self.observer.begin_poll(processor, &found);
        found.task.run();
        self.observer.end_poll(shown);
    }

    /// A task was made, and is about to be placed for the first time.
    #[cold]
    #[inline(never)]
    pub(crate) fn spawned_observed(&self, task: Runnable) -> Runnable {
        self.stamp(task.id());
        self.observer.note_spawned(&task);
        task
    }

    /// A task was woken, and is about to be placed. Called where it was woken: by the task that is
    /// polled there, or with what the netpoller or a timer has readied, or on a thread that is not
    /// the runtime's. The task is passed through by value so that the fast path may keep it in a
    /// register.
    #[cold]
    #[inline(never)]
    pub(crate) fn readied_observed(&self, task: Runnable) -> Runnable {
        self.stamp(task.id());
        tasks::readied(&task);
        self.observer.note_readied(&task);
        task
    }

    /// A task is complete, and its future gone.
    #[cold]
    #[inline(never)]
    pub(crate) fn ended_observed(&self, id: Id) {
        self.observer.note_ended(id);
    }
}
