//! The timeline of wsrt's scheduler: what threads record, and the Perfetto trace that becomes of it.
//!
//! The executor writes with this crate and `wsrt-report` reads with it, so that what both have to
//! agree on stands here once. It knows nothing of the scheduler: tasks and processors are numbers.

#![allow(missing_docs, reason = "the next commits give these types their names and their words")]
#![cfg_attr(loom, allow(unreachable_pub))]

mod buffer;
mod clock_sync;
mod counter;
pub mod decode;
pub mod encode;
mod event;
mod int_hasher;
mod sync;
mod wire;

pub use buffer::{Reader, Writer, buffer};
pub use clock_sync::{Anchor, Anchors};
pub use counter::{Counter, monotonic_nanos};
pub use event::{Begun, By, Event, NO_PROCESSOR, Outcome, Span, What};
pub use int_hasher::Scatter;
pub use sync::EVENT_CAPACITY;

#[cfg(all(test, loom))]
mod loom_models;
