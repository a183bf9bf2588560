//! Blocking calls: the pool of threads for blocking jobs, and the call by which a task that blocks
//! lets other tasks run.

#[cfg(not(wsrt_loom))]
pub(crate) mod in_place;
#[cfg(not(wsrt_loom))]
pub(crate) mod jobs;
#[cfg(not(wsrt_loom))]
pub(crate) mod pool;
#[cfg_attr(wsrt_loom, allow(dead_code))]
mod queue;

#[cfg(all(test, wsrt_loom))]
mod loom_models;
