//! What everything stands on: std or loom, and a random number generator.

pub(crate) mod rng;
pub(crate) mod sync;
pub(crate) mod thread_state;
pub(crate) mod time_slice;
