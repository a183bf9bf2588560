//! What everything stands on: std or loom, a random number generator, short waits, reports, and the holding back of panics.

pub(crate) mod backoff;
pub(crate) mod report;
pub(crate) mod rng;
pub(crate) mod sync;
pub(crate) mod thread_state;
pub(crate) mod time_slice;
pub(crate) mod unwind;
