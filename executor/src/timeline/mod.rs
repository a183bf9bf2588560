//! What threads write down for the timeline: events of 32 bytes, each thread's in a buffer of its own, stamped by the cheapest
//! counter that there is.
//!
//! Here is what both ends share, and nothing of what is written down when: that is `policy/seeing/timeline/`.

mod buffer;
mod counter;
mod event;

pub(crate) use buffer::{Reader, Writer, buffer};
pub(crate) use counter::{Counter, monotonic_nanos};
pub(crate) use event::{Begun, By, Event, NO_PROCESSOR, Outcome, Span, What};

#[cfg(all(test, loom))]
mod loom_models;
