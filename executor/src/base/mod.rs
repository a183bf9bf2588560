//! What everything stands on: std or loom, a random number generator, and the holding back of panics.

pub(crate) mod rng;
pub(crate) mod sync;
pub(crate) mod thread_state;
pub(crate) mod time_slice;
pub(crate) mod unwind;
