//! From events to the bytes of a Perfetto trace.

mod batch;
mod encoder;
mod flows;
mod groups;
mod packets;
mod strings;
mod tracks;

pub use batch::{Batch, Entry, Names, Sample, Scene, ThreadFacts, time, written_at};
pub use encoder::Story;
