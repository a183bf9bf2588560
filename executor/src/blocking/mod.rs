//! Calls that block: the pool of threads for them, and the call by which a task that blocks lets
//! others run.

pub(crate) mod in_place;
pub(crate) mod jobs;
pub(crate) mod pool;
