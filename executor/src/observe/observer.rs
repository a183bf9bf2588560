//! The observer of a runtime: its switches, and the data of each kind of observation.
//!
//! All of it is in the ordinary build, and off. A spawn, a wake, a poll and the end of a task read
//! one word, the [`Switches`], at their door (`doors.rs`); only where a switch is on do they call
//! the recording functions, out of line.

use super::latency::Latency;
use super::local_sets::LocalSets;
use super::switches::Switches;
use super::task_hooks::{Hooked, TaskHooks};
use super::timeline::Timeline;

/// The observer of one runtime.
#[derive(Debug)]
pub(crate) struct Observer {
    pub(crate) switches: Switches,
    pub(crate) latency: Latency,
    pub(crate) local_sets: LocalSets,
    pub(crate) timeline: Timeline,
    pub(crate) hooked: Hooked,
}

impl Observer {
    pub(crate) fn new(hooks: TaskHooks) -> Self {
        let observer = Self {
            switches: Switches::default(),
            latency: Latency::new(),
            local_sets: LocalSets::default(),
            timeline: Timeline::default(),
            hooked: Hooked::new(hooks),
        };
        observer.hook_on();
        observer
    }

    /// Returns whether any switch is on.
    #[inline]
    pub(crate) fn is_on(&self) -> bool {
        self.switches.is_any_on()
    }
}
