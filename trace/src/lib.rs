//! The timeline of wsrt's scheduler: the events that threads record, and their encoding as a
//! Perfetto trace.
//!
//! The executor writes traces with this crate, and `wsrt-report` reads them. Names, track numbers
//! and the field numbers of Perfetto's messages are therefore defined here, in one place. The crate
//! does not depend on the scheduler: tasks and processors are plain numbers.
//!
//! ```text
//! a thread ─► Event ─► EventWriter ═► EventReader ─► encode::Encoder ─► a file ─► decode::Decoder
//!                      └── event_buffer ──┘
//! ```
//!
//! This crate is an implementation detail of wsrt. Its API may change in any release.

#![cfg_attr(wsrt_loom, allow(unreachable_pub))]

mod buckets;
mod buffer;
mod clock_sync;
mod counter;
pub mod decode;
#[doc(hidden)]
pub mod drop_in;
pub mod encode;
mod event;
pub mod fields;
pub mod files;
mod int_hasher;
pub mod names;
pub mod place;
mod sync;
mod track;
pub mod wire;

pub use buckets::Buckets;
pub use buffer::{EventReader, EventWriter, event_buffer};
pub use clock_sync::{ClockReading, ClockSync};
pub use counter::{StampCounter, monotonic_nanos};
pub use event::{Activity, Event, EventKind, NO_PROCESSOR, PollStart, WokenBy};
pub use int_hasher::IntHasher;
pub use names::{AnnotationKey, Awaited, EventName, PollOutcome, TaskSource, WakeCause};
pub use sync::EVENT_CAPACITY;
pub use track::{Track, TrackEventKind};

#[cfg(all(test, wsrt_loom))]
mod loom_models;
