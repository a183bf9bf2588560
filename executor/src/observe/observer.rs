//! The observer of a runtime: its switches, and the data of each kind of observation.
//!
//! Every kind of observation is in the ordinary build, and off by default. Each spawn, wake, poll
//! and end of a task reads one word, the [`Switches`], at its door, and calls the out-of-line
//! recording functions only if a switch is on.
//!
//! The doors are one call at each place where something happens to a task. While every switch is
//! off, a door costs one relaxed load of the word. The remaining work is out of line, together with
//! a copy of the caller's next steps, so the fast path keeps the task in a register and saves no
//! registers for a call that it does not make.

use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Weak};

use crate::observe::counters::ShedCounters;
use crate::observe::deadlocks::Deadlocks;
use crate::observe::latency::LatencyRecords;
use crate::observe::orphans::Orphans;
use crate::observe::sites::SiteRecords;
use crate::observe::task_hooks::{Hooked, TaskHooks};
use crate::observe::timeline::{RecordedPoll, Timeline};
use crate::task::{Identity, OwnedTasks, Runnable, TaskRef};
use crate::util::sync::Mutex;

/// The observation state of one runtime.
#[derive(Debug)]
pub(crate) struct Observer {
    pub(crate) switches: Switches,
    pub(crate) latency: LatencyRecords,
    pub(crate) sites: SiteRecords,
    pub(crate) local_sets: LocalSets,
    pub(crate) timeline: Timeline,
    pub(crate) hooked: Hooked,
    pub(crate) orphans: Orphans,
    pub(crate) deadlocks: Deadlocks,
    pub(crate) shed: ShedCounters,
}

impl Observer {
    pub(crate) fn new(hooks: TaskHooks) -> Self {
        let observer = Self {
            switches: Switches::default(),
            latency: LatencyRecords::new(),
            sites: SiteRecords::default(),
            local_sets: LocalSets::default(),
            timeline: Timeline::default(),
            hooked: Hooked::new(hooks),
            orphans: Orphans::default(),
            deadlocks: Deadlocks::default(),
            shed: ShedCounters::default(),
        };
        observer.hook_on();
        observer
    }

    /// Returns whether any switch is on.
    #[inline]
    pub(crate) fn is_on(&self) -> bool {
        self.switches.is_any_on()
    }

    /// Returns whether any switch but the timeline's is on.
    #[inline]
    fn is_measured(&self) -> bool {
        self.switches.is_any_of(!(Switch::Timeline as u8))
    }
}

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

    /// Returns whether a new task is counted or shown to a hook, by
    /// [`seen_identity`](Self::seen_identity).
    #[inline]
    pub(crate) fn sees_identities(&self) -> bool {
        self.switches.is_any_of(Switch::Tasks as u8 | Switch::Hooks as u8)
    }

    /// Returns the identity of a new task of the runtime's own, with counters if tasks are counted,
    /// and with the data that the user's hook has attached. Call this where users' code may run.
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
        if self.is_measured() {
            self.note_ready_time(task.id());
            if !is_new {
                task.count_wake();
            }
        }
        self.record_ready(&task, is_new);
        place(task);
    }

    /// Polls a task, and observes the poll. The holder of the processor with index `processor` has
    /// found the task in `source`, one of the timeline's numbers.
    ///
    /// The timeline may be on for good: a poll that is recorded and nothing else pays for nothing
    /// else.
    #[cold]
    #[inline(never)]
    pub(crate) fn poll(&self, processor: usize, task: Runnable, source: u32) {
        if self.is_measured() {
            return self.poll_measured(processor, task, source);
        }
        let _recorded = self.record_poll(processor, &task, source);
        task.run();
    }

    #[inline(never)]
    fn poll_measured(&self, processor: usize, task: Runnable, source: u32) {
        let readied = self.take_ready_time(task.id());
        let _hooked = self.call_poll_hooks(&task, readied);
        let _timed = self.time_poll(processor, readied);
        let _counted = task.begin_counted();
        let _recorded = self.record_poll(processor, &task, source);
        let _sited = self.measure_site(processor, &task);
        task.run();
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

/// A local set, as seen by a dump.
pub(crate) trait ShownSet: Send + Sync {
    /// Returns the registry of the set's live tasks.
    fn live(&self) -> &OwnedTasks;
}

/// All sets that were ever polled in this runtime. Entries of dropped sets are removed when another
/// set is added. A set that moves between runtimes and returns is added each time; the duplicates
/// are removed when another set is added, too.
#[derive(Debug, Default)]
pub(crate) struct LocalSets(Mutex<Vec<Weak<dyn ShownSet>>>);

impl LocalSets {
    /// Adds a set that is polled in this runtime, and was last polled in another runtime or in
    /// none.
    pub(crate) fn add(&self, set: Weak<dyn ShownSet>) {
        let mut sets = self.0.lock();
        if sets.len() == sets.capacity() {
            sets.retain(|set| set.strong_count() > 0);
            sets.sort_unstable_by_key(|set| set.as_ptr().cast::<()>());
            sets.dedup_by(|one, other| one.ptr_eq(other));
        }
        sets.push(set);
    }

    /// Returns the sets that still exist.
    pub(crate) fn alive(&self) -> Vec<Arc<dyn ShownSet>> {
        self.0.lock().iter().filter_map(Weak::upgrade).collect()
    }
}

/// One kind of observation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Switch {
    /// Events for the timeline.
    Timeline = 1 << 0,
    /// Statistics on each task, for dumps.
    Tasks = 1 << 1,
    /// Histograms of the time that tasks wait to run, and of the time that they run.
    Latency = 1 << 2,
    /// The user's hooks.
    Hooks = 1 << 3,
    /// The polls of each spawn site.
    Sites = 1 << 4,
    /// The polls of each task name.
    Names = 1 << 5,
}

/// The set of switches that are on: one word, which every poll, spawn, wake and end of a task
/// reads. Relaxed: each kind's data is published by its own lock.
///
/// An atomic of std's on purpose: a thread that is late to see a switch shows a poll more or less,
/// which is no part of any protocol.
#[derive(Debug, Default)]
pub(crate) struct Switches(AtomicU8);

impl Switches {
    /// Returns whether any switch is on, the only question that the fast paths ask.
    #[inline]
    fn is_any_on(&self) -> bool {
        self.is_any_of(u8::MAX)
    }

    /// Returns whether any of these switches is on.
    #[inline]
    fn is_any_of(&self, switches: u8) -> bool {
        self.0.load(Relaxed) & switches != 0
    }

    #[inline]
    pub(crate) fn is_on(&self, switch: Switch) -> bool {
        self.is_any_of(switch as u8)
    }

    pub(crate) fn turn_on(&self, switch: Switch) {
        self.set(switch, true);
    }

    pub(crate) fn turn_off(&self, switch: Switch) {
        self.set(switch, false);
    }

    /// Turns a switch on or off. Returns whether it was on.
    pub(crate) fn set(&self, switch: Switch, on: bool) -> bool {
        let bit = switch as u8;
        let before = if on { self.0.fetch_or(bit, Relaxed) } else { self.0.fetch_and(!bit, Relaxed) };
        before & bit != 0
    }
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests {
    use super::*;
    use crate::runtime::Builder;
    use crate::task::LocalSet;

    #[test]
    fn a_set_that_changes_runtimes_is_noted_a_few_times() {
        let runtimes = [(); 2].map(|()| Builder::new_current_thread().build().expect("a runtime"));
        let set = LocalSet::new();
        for runtime in runtimes.iter().cycle().take(200) {
            set.block_on(runtime, async {});
        }
        for runtime in &runtimes {
            let noted = runtime.block_on(async { crate::scheduler::Context::current_scheduler() }).expect("inside");
            let noted = noted.observer.local_sets.0.lock().len();
            assert!((1..=8).contains(&noted), "{noted}");
        }
    }

    #[test]
    fn each_switch_is_turned_by_itself() {
        let switches = Switches::default();
        assert!(!switches.is_any_on());
        switches.turn_on(Switch::Timeline);
        switches.turn_on(Switch::Latency);
        assert!(switches.is_on(Switch::Timeline) && switches.is_on(Switch::Latency));
        assert!(!switches.is_on(Switch::Tasks));
        switches.turn_off(Switch::Timeline);
        assert!(switches.is_any_on() && !switches.is_on(Switch::Timeline));
        switches.turn_off(Switch::Latency);
        assert!(!switches.is_any_on());
    }
}
