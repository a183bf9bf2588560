//! The observer of a runtime: its switches, and the data of each kind of observation.
//!
//! Every kind of observation is in the ordinary build, and off by default. Each spawn, wake, poll
//! and end of a task reads one word, the [`Switches`], at its door (`doors.rs`), and calls the
//! out-of-line recording functions only if a switch is on.

use super::latency::Latency;
use super::local_sets::LocalSets;
use super::switches::Switches;
use super::task_hooks::{Hooked, TaskHooks};
use super::timeline::Timeline;

/// The observation state of one runtime.
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
