//! Calls that block: the pool of threads for them, and what a task does so that no other waits
//! while it blocks.

pub(crate) mod in_place;
pub(crate) mod jobs;
pub(crate) mod pool;
