//! The encoder: from batches of events to the bytes of a Perfetto trace.
//!
//! ```text
//! EventBatch ─► flows: which wake led to which poll
//!            ─► groups: the events in the order of time ─► tracks ─► packets
//! ```

mod batch;
mod encoder;
mod flows;
mod groups;
mod packets;
mod strings;
mod tracks;

pub use batch::{BatchEntry, EncodeContext, EventBatch, QueueSample, StackSample, TaskNames, ThreadInfo, time_events};
pub use encoder::Encoder;
