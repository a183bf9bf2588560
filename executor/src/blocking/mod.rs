//! Blocking calls: the pool of threads for blocking jobs, and the call by which a task that blocks
//! lets other tasks run.

#[cfg(not(loom))]
pub(crate) mod in_place;
#[cfg(not(loom))]
pub(crate) mod jobs;
#[cfg(not(loom))]
pub(crate) mod pool;
#[cfg_attr(loom, allow(dead_code))]
mod queue;

#[cfg(all(test, loom))]
mod loom_models;
