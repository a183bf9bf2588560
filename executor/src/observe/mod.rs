//! Observation: the runtime's counters, records and views of itself while it runs.
//!
//! Data at the bottom (switches, counters, histograms, statistics), which other modules write;
//! readers on top, which no other folder imports.

pub(crate) mod busy_time;
pub(crate) mod counters;
pub(crate) mod histogram;
pub(crate) mod ready_times;
pub(crate) mod victims;

#[cfg(all(not(loom), feature = "console"))]
pub(crate) mod console;
#[cfg(all(not(loom), not(feature = "console")))]
#[path = "console_off.rs"]
pub(crate) mod console;
#[cfg(not(loom))]
pub(crate) mod doors;
#[cfg(not(loom))]
pub(crate) mod dump;
#[cfg(not(loom))]
pub(crate) mod latency;
#[cfg(not(loom))]
pub(crate) mod local_sets;
#[cfg(not(loom))]
pub(crate) mod no_progress;
#[cfg(not(loom))]
pub(crate) mod observer;
#[cfg(not(loom))]
pub(crate) mod rescues;
#[cfg(not(loom))]
mod statics;
#[cfg(not(loom))]
pub(crate) mod switches;
#[cfg(not(loom))]
pub(crate) mod sync_waits;
#[cfg(not(loom))]
pub(crate) mod task_hooks;
#[cfg(not(loom))]
pub(crate) mod timeline;

#[cfg(all(test, loom))]
mod loom_models;
