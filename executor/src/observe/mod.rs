//! Observation: the runtime's counters, records and views of itself while it runs.
//!
//! Data at the bottom (counters, histograms, ready times), which other modules write;
//! readers on top, which no other folder imports.
//!
//! Maps here are ordered. A new `HashMap` takes the thread's next random keys: a look at a
//! simulated runtime would change the order of the program's own maps.

pub(crate) mod counters;
pub(crate) mod ready_times;

#[cfg(not(wsrt_loom))]
pub(crate) mod await_chains;
#[cfg(all(not(wsrt_loom), feature = "console"))]
pub(crate) mod console;
#[cfg(all(not(wsrt_loom), not(feature = "console")))]
#[path = "console_off.rs"]
pub(crate) mod console;
#[cfg(not(wsrt_loom))]
pub(crate) mod deadlocks;
#[cfg(not(wsrt_loom))]
pub(crate) mod dump;
#[cfg(not(wsrt_loom))]
pub(crate) mod futurelocks;
#[cfg(not(wsrt_loom))]
pub(crate) mod latency;
#[cfg(not(wsrt_loom))]
pub(crate) mod no_progress;
#[cfg(not(wsrt_loom))]
pub(crate) mod observer;
#[cfg(not(wsrt_loom))]
pub(crate) mod orphans;
#[cfg(not(wsrt_loom))]
pub(crate) mod sites;
#[cfg(not(wsrt_loom))]
pub(crate) mod sync_waits;
#[cfg(not(wsrt_loom))]
pub(crate) mod task_hooks;
#[cfg(not(wsrt_loom))]
pub(crate) mod timeline;
